package dev.loom.query.where;

import dev.loom.format.FieldValue;
import dev.loom.query.where.Where.Operator;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a value, or any in an array, equals one of many literals. The literals are sorted by kind, so a test takes
 * logarithmic time.
 */
final class EqualitySet implements Condition, FieldSlot.ValueTest {
    private final FieldSlot slot;
    private final long[] signed;
    /** With the highest bit flipped, so that signed order is unsigned order. */
    private final long[] unsigned;

    private final double[] doubles;
    private final TextComparand[] texts;

    EqualitySet(FieldSlot slot, List<Condition> terms) {
        this.slot = slot;
        List<NumberComparand> numbers = terms.stream()
                .filter(Condition.NumberTest.class::isInstance)
                .map(term -> ((Condition.NumberTest) term).comparand())
                .toList();
        signed = numbers.stream()
                .filter(NumberComparand::isSigned)
                .mapToLong(NumberComparand::longValue)
                .sorted()
                .toArray();
        unsigned = numbers.stream()
                .filter(NumberComparand::isUnsigned)
                .mapToLong(number -> number.longValue() ^ Long.MIN_VALUE)
                .sorted()
                .toArray();
        doubles = numbers.stream()
                .filter(NumberComparand::isDouble)
                .mapToDouble(NumberComparand::doubleValue)
                .sorted()
                .toArray();
        texts = terms.stream()
                .filter(Condition.TextTest.class::isInstance)
                .map(term -> ((Condition.TextTest) term).comparand())
                .sorted()
                .toArray(TextComparand[]::new);
    }

    /** The field that a term compares with a literal by {@code ==}; null for any other term. */
    static @Nullable FieldSlot slotOf(Condition term) {
        if (term instanceof Condition.NumberTest number && number.operator() == Operator.EQUAL) {
            return number.slot();
        }
        return term instanceof Condition.TextTest text && text.operator() == Operator.EQUAL ? text.slot() : null;
    }

    @Override
    public boolean test() {
        return slot.any(this);
    }

    @Override
    public boolean passes(FieldValue value) {
        return switch (value.kind()) {
            case INTEGER -> Arrays.binarySearch(signed, value.longValue()) >= 0;
            case UNSIGNED -> Arrays.binarySearch(unsigned, value.longValue() ^ Long.MIN_VALUE) >= 0;
            // -0.0 equals 0, NaN equals nothing
            case DOUBLE -> Arrays.binarySearch(doubles, value.doubleValue() + 0.0) >= 0;
            case TEXT, BYTES -> has(value);
            case ABSENT, BOOLEAN, JSON -> false;
        };
    }

    private boolean has(FieldValue value) {
        int low = 0;
        int high = texts.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int outcome = texts[middle].compare(value);
            if (outcome == Outcome.EQUAL) {
                return true;
            }
            low = outcome == Outcome.GREATER ? middle + 1 : low;
            high = outcome == Outcome.LESS ? middle - 1 : high;
        }
        return false;
    }
}
