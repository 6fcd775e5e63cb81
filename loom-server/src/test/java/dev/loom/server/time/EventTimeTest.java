package dev.loom.server.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueType;
import dev.loom.format.Formats;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import org.junit.jupiter.api.Test;

/** What an index over event times tells of the times of the records in a chunk. */
final class EventTimeTest {
    private static final long LAST_MS = 1_700_000_000_000L;

    private static TimeRange times(long min, long max) {
        return new EventTime("ts_ms", null)
                .reader(Formats.json())
                .times(new Value(ValueType.I64, min), new Value(ValueType.I64, max));
    }

    /** They are 1 and 0 in an index, and no times where records are read. */
    @Test
    void shouldNotTakeTrueAndFalseForTimes() {
        assertEquals(TimeRange.ALL, times(1, LAST_MS));
        assertEquals(TimeRange.ALL, times(0, 0));
        assertEquals(TimeRange.ALL, times(-5, LAST_MS));
        assertEquals(TimeRange.closed(2_000_000, LAST_MS * 1_000_000), times(2, LAST_MS));
        assertEquals(TimeRange.closed(-5_000_000, -1_000_000), times(-5, -1));
    }

    /** The least of several times has its unit from the whole number below it. */
    @Test
    void shouldTakeFractionsBelowAUnitsEndForThatUnit() {
        double least = -99_999_999_999.5;
        assertEquals(-100_000_000_000L * 1_000_000 + 500_000, EpochTime.ofAnyUnit(least));
        TimeRange times =
                new EventTime("ts", null).reader(Formats.parse("struct:ts:f64")).times(of(least), of(-1.0));
        assertTrue(times.contains(-5_000_000_000L * 1_000_000_000), "the time of -5e9 s: " + times);
    }

    private static Value of(double value) {
        return new Value(ValueType.F64, ValueType.doubleKey(value));
    }
}
