package dev.loom.query.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The order of sums: those of integers alone exactly, any other as its double. */
final class ValueSumTest {
    private static final double TWO_53 = 0x1p53;

    /** Ascending; sums of one line are equal. */
    private static final List<List<ValueSum>> ORDER = List.of(
            List.of(exact(Double.NEGATIVE_INFINITY)),
            List.of(whole(-TWO_53, -1)),
            List.of(whole(-TWO_53, 0), exact(-TWO_53, -0.5, -0.5), exact(-TWO_53 + 1, -0.5, -0.5)),
            List.of(exact(-0.5, 0.5), exact(), whole(0, 0)),
            List.of(exact(0.5)),
            List.of(exact(125), exact(62.5, 62.5)),
            List.of(exact(TWO_53 - 1, 0.5, 0.5), exact(TWO_53 - 2, 0.5, 1.5), whole(TWO_53, 0)),
            List.of(whole(TWO_53, 1)),
            List.of(whole(TWO_53, 2)),
            List.of(exact(0x1p70)),
            List.of(exact(Double.POSITIVE_INFINITY)));

    private static ValueSum exact(double... values) {
        ValueSum sum = new ValueSum(ValueType.F64, true);
        for (double value : values) {
            sum.add(ValueType.doubleKey(value), 0);
        }
        return sum;
    }

    private static ValueSum whole(double value, int remainder) {
        ValueSum sum = new ValueSum(ValueType.F64, true);
        sum.add(ValueType.doubleKey(value), remainder);
        return sum;
    }

    @Test
    void shouldPutSumsThatShareADoubleInOneOrder() {
        List<ValueSum> sums = ORDER.stream().flatMap(List::stream).toList();
        for (ValueSum left : sums) {
            for (ValueSum right : sums) {
                assertEquals(
                        Integer.compare(place(left), place(right)),
                        Integer.signum(left.compareSums(right)),
                        () -> left.text() + " and " + right.text());
            }
        }
    }

    private static int place(ValueSum sum) {
        return (int) ORDER.stream().takeWhile(equal -> !equal.contains(sum)).count();
    }

    @Test
    void shouldCompareThreeSumsAlikeInWhateverOrderTheyCome() {
        List<ValueSum> sums = ORDER.stream().flatMap(List::stream).toList();
        for (ValueSum a : sums) {
            for (ValueSum b : sums) {
                for (ValueSum c : sums) {
                    boolean ascending = a.compareSums(b) <= 0 && b.compareSums(c) <= 0;
                    assertTrue(
                            !ascending || a.compareSums(c) <= 0,
                            () -> Stream.of(a, b, c)
                                    .map(ValueSum::text)
                                    .toList()
                                    .toString());
                }
            }
        }
    }
}
