package dev.loom.query.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueType;
import dev.loom.query.plan.KeyRange;
import java.math.BigDecimal;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The keys of value ranges, at the edges of types, against comparing the values themselves. */
class ValueRangeTest {
    private static final List<String> NUMBERS = List.of(
            "0",
            "0.5",
            "-0.5",
            "1",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "9007199254740994",
            "9223372036854775806.5",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775808.5",
            "-9223372036854775809",
            "18446744073709551614",
            "18446744073709551615",
            "18446744073709551615.5",
            "18446744073709551616",
            "-1",
            "0.1",
            "1e308",
            "1.7976931348623157e308",
            "1e309",
            "-1e309",
            "4.9e-324",
            "1e-400");

    private static final BigDecimal INFINITY = new BigDecimal("1e1000");

    private static BigDecimal value(ValueType type, long key) {
        if (type == ValueType.F64 && Double.isInfinite(ValueType.doubleOf(key))) {
            return ValueType.doubleOf(key) > 0 ? INFINITY : INFINITY.negate();
        }
        return new Value(type, key).toBigDecimal();
    }

    @Test
    void shouldHoldJustTheKeysOfItsValues() {
        Random random = new Random(3);
        for (ValueType type : ValueType.values()) {
            for (String text : NUMBERS) {
                BigDecimal number = new BigDecimal(text);
                BigDecimal compared = number;
                if (type == ValueType.F64 && number.stripTrailingZeros().scale() > 0) {
                    compared = new BigDecimal(number.doubleValue());
                }
                for (int i = 0; i < 400; i++) {
                    long key = key(type, compared, random);
                    BigDecimal value = value(type, key);
                    String what = "type=" + type + ", number=" + text + ", value=" + value;
                    int order = value.compareTo(compared);
                    assertEquals(
                            order > 0,
                            KeyRange.of(ValueRange.above(number), type).contains(key),
                            what);
                    assertEquals(
                            order >= 0,
                            KeyRange.of(ValueRange.atLeast(number), type).contains(key),
                            what);
                    assertEquals(
                            order < 0,
                            KeyRange.of(ValueRange.below(number), type).contains(key),
                            what);
                    assertEquals(
                            order <= 0,
                            KeyRange.of(ValueRange.atMost(number), type).contains(key),
                            what);
                    Value found = new Value(type, key);
                    assertEquals(
                            new KeyRange(key, key),
                            KeyRange.of(ValueRange.atLeast(found).to(ValueRange.atMost(found)), type));
                    assertTrue(KeyRange.of(ValueRange.above(found).to(ValueRange.below(found)), type)
                            .isEmpty());
                }
            }
        }
    }

    /** Mostly next to a number, or at an end of the type. */
    private static long key(ValueType type, BigDecimal number, Random random) {
        long near = type == ValueType.F64
                ? ValueType.doubleKey(number.doubleValue())
                : type.key(number.toBigInteger().longValue());
        long key = switch (random.nextInt(4)) {
            case 0 -> type.lowestKey() + random.nextInt(3);
            case 1 -> type.highestKey() - random.nextInt(3);
            case 2 -> near + random.nextInt(5) - 2;
            default -> type.key(random.nextLong() >> random.nextInt(64));
        };
        return Math.max(type.lowestKey(), Math.min(type.highestKey(), key));
    }

    @Test
    void shouldTakeInfinitiesAndRefuseNaN() {
        long highest = ValueType.F64.highestKey();
        assertEquals(new KeyRange(highest, highest), KeyRange.of(ValueRange.above(Double.MAX_VALUE), ValueType.F64));
        assertTrue(KeyRange.of(ValueRange.above(Double.POSITIVE_INFINITY), ValueType.F64)
                .isEmpty());
        assertTrue(KeyRange.of(ValueRange.below(Double.NEGATIVE_INFINITY), ValueType.F64)
                .isEmpty());
        assertTrue(KeyRange.of(ValueRange.atLeast(Double.POSITIVE_INFINITY), ValueType.U64)
                .isEmpty());
        assertEquals(KeyRange.ALL, KeyRange.of(ValueRange.below(Double.POSITIVE_INFINITY), ValueType.I64));
        assertEquals(KeyRange.ALL, KeyRange.of(ValueRange.ALL, ValueType.I64));
        assertThrows(IllegalArgumentException.class, () -> ValueRange.above(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> ValueRange.above(1).to(ValueRange.above(2)));
    }

    @Test
    void shouldPrintItsEnds() {
        assertEquals("[10, 20)", ValueRange.atLeast(10).to(ValueRange.below(20)).toString());
        assertEquals(
                "(.., infinity]", ValueRange.atMost(Double.POSITIVE_INFINITY).toString());
        assertEquals("(.., ..)", ValueRange.ALL.toString());
    }
}
