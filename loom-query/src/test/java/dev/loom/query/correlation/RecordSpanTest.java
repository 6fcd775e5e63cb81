package dev.loom.query.correlation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import org.junit.jupiter.api.Test;

class RecordSpanTest {
    /** Integers that a double stands for are a little greater than it. */
    @Test
    void shouldTellALongestDurationThatNoneExceeds() {
        for (long most : new long[] {(1L << 53) + 1, (1L << 60) + 255, Long.MAX_VALUE}) {
            double stored = most;
            long key = ValueType.doubleKey(stored > most ? Math.nextDown(stored) : stored);
            assertTrue(RecordSpan.longestNs(ValueType.F64, null, key) >= most, "most=" + most);
        }
        long micros = (1L << 53) + 1;
        assertTrue(RecordSpan.longestNs(ValueType.F64, ValueUnit.MICROSECONDS, ValueType.doubleKey((double) (1L << 53)))
                >= micros * 1_000);
        assertEquals(5, RecordSpan.longestNs(ValueType.F64, null, ValueType.doubleKey(5)));
        assertEquals(0, RecordSpan.longestNs(ValueType.F64, null, ValueType.doubleKey(-1)));
        assertEquals(
                Long.MAX_VALUE,
                RecordSpan.longestNs(ValueType.F64, null, ValueType.doubleKey(Double.POSITIVE_INFINITY)));
        assertEquals(7, RecordSpan.longestNs(ValueType.I64, null, 7));
    }

    @Test
    void shouldCountTheRemainderInTheUnitOfTheDuration() {
        long key = ValueType.doubleKey((double) (1L << 53));
        assertEquals((1L << 53) + 1, RecordSpan.durationNs(ValueType.F64, null, key, 1));
        assertEquals(((1L << 53) + 1) * 1_000, RecordSpan.durationNs(ValueType.F64, ValueUnit.MICROSECONDS, key, 1));
        assertEquals(Long.MAX_VALUE, RecordSpan.durationNs(ValueType.F64, ValueUnit.SECONDS, key, 1));
    }
}
