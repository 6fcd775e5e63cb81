package dev.loom.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ValueTypeTest {
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldOrderKeysAsValues() {
        System.out.println("ValueTypeTest: -Dloom.test.seed=" + seed);
        long[] ends = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE, (1L << 53) - 1, 1L << 53, (1L << 53) + 1};
        for (int i = 0; i < 20_000; i++) {
            long a = random.nextBoolean() ? ends[random.nextInt(ends.length)] : random.nextLong();
            long b = random.nextBoolean() ? ends[random.nextInt(ends.length)] : a + random.nextInt(3) - 1;
            assertOrder(ValueType.I64, a, b, Long.compare(a, b));
            assertOrder(ValueType.U64, a, b, Long.compareUnsigned(a, b));
            double x = Double.longBitsToDouble(a);
            double y = Double.longBitsToDouble(b);
            if (!Double.isNaN(x) && !Double.isNaN(y)) {
                assertOrder(ValueType.F64, a, b, x < y ? -1 : x > y ? 1 : 0);
            }
        }
    }

    private void assertOrder(ValueType type, long a, long b, int expected) {
        String what = "seed=" + seed + " " + type + " " + a + " " + b;
        assertEquals(expected, Long.compare(type.key(a), type.key(b)), what);
        assertTrue(type.key(a) >= type.lowestKey() && type.key(a) <= type.highestKey(), what);
        boolean negativeZero = type == ValueType.F64 && a == Long.MIN_VALUE;
        assertEquals(negativeZero ? 0 : a, type.bits(type.key(a)), what);
    }

    @Test
    void shouldHaveNoGapBetweenKeysOfDoubles() {
        assertEquals(0, ValueType.doubleKey(-0.0));
        assertEquals(0, ValueType.doubleKey(0.0));
        assertEquals(1, ValueType.doubleKey(Double.MIN_VALUE));
        assertEquals(-1, ValueType.doubleKey(-Double.MIN_VALUE));
        assertEquals(ValueType.F64.highestKey() - 1, ValueType.doubleKey(Double.MAX_VALUE));
        assertEquals(ValueType.F64.lowestKey() + 1, ValueType.doubleKey(-Double.MAX_VALUE));
        assertEquals(-1.5, ValueType.doubleOf(ValueType.doubleKey(-1.5)));
    }

    @Test
    void shouldReadAndWriteText() {
        for (ValueType type : ValueType.values()) {
            assertEquals(type, ValueType.parse(type.text()));
        }
        for (ValueUnit unit : ValueUnit.values()) {
            assertEquals(unit, ValueUnit.parse(unit.text()));
        }
        assertEquals(ValueUnit.NANOSECONDS, ValueUnit.ofName("latency_ns"));
        assertEquals(ValueUnit.SECONDS, ValueUnit.ofName("up_s"));
        assertEquals(ValueUnit.NONE, ValueUnit.ofName("status"));
        assertThrows(IllegalArgumentException.class, () -> ValueType.parse("i32"));
        assertThrows(IllegalArgumentException.class, () -> ValueUnit.parse(""));
        assertEquals("18446744073709551615", ValueType.U64.format(Long.MAX_VALUE));
        assertEquals("-9223372036854775808", ValueType.I64.format(Long.MIN_VALUE));
        assertEquals("0.25", ValueType.F64.format(ValueType.doubleKey(0.25)));
    }
}
