package dev.loom.query.correlation;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.EventClock;
import dev.loom.value.KeyReader;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The time span of a record, both ends included: its duration up to its time, or from its time on if that is the start;
 * without a duration, its time alone. For one thread.
 */
public final class RecordSpan {
    private final @Nullable EventClock clock;
    private final @Nullable KeyReader duration;
    private final @Nullable ValueUnit unit;
    private final boolean fromStart;
    private final RecordLookup lookup;
    private long timeNs;
    private long startNs;
    private long endNs;

    /**
     * @param clock of the records' own times; null for arrival times
     * @param duration in its unit, or in nanoseconds if it has none; null for no durations
     * @param fromStart whether a record's time is its start
     * @param lookup finds the records that others refer to
     */
    public RecordSpan(
            @Nullable EventClock clock, @Nullable IndexFunction duration, boolean fromStart, RecordLookup lookup) {
        this.clock = clock;
        this.duration = duration == null ? null : new KeyReader(duration, lookup);
        this.unit = duration == null ? null : duration.unit();
        this.fromStart = fromStart;
        this.lookup = lookup;
    }

    /** Reads a record's span; false if it has none: no time, no duration, or a negative one. */
    public boolean read(long address, long arrivalNs, DirectBuffer payload, int offset, int length) {
        lookup.from(address);
        timeNs = clock == null ? arrivalNs : clock.epochNs(lookup, payload, offset, length);
        startNs = timeNs;
        endNs = timeNs;
        if (clock != null && timeNs == EventClock.NONE) {
            return false;
        }
        KeyReader reader = duration;
        if (reader == null) {
            return true;
        }
        if (!reader.read(payload, offset, length)) {
            return false;
        }
        long durationNs = durationNs(reader.type(), unit, reader.key(), reader.remainder());
        if (fromStart) {
            endNs = plus(timeNs, durationNs);
        } else {
            startNs = minus(timeNs, durationNs);
        }
        return durationNs >= 0;
    }

    /**
     * A duration in whole nanoseconds, clamped to the range of a long.
     *
     * @param remainder how much greater the duration is than that of its key
     */
    public static long durationNs(ValueType type, @Nullable ValueUnit unit, long key, int remainder) {
        long unitNs = unit == ValueUnit.MICROSECONDS
                ? 1_000
                : unit == ValueUnit.MILLISECONDS ? 1_000_000 : unit == ValueUnit.SECONDS ? 1_000_000_000 : 1;
        if (type == ValueType.F64) {
            return plus((long) Math.floor(ValueType.doubleOf(key) * unitNs), remainder * unitNs);
        }
        long units = type == ValueType.U64 && type.bits(key) < 0 ? Long.MAX_VALUE : type.bits(key);
        boolean fits = Math.multiplyHigh(units, unitNs) == (units * unitNs) >> 63;
        return fits ? units * unitNs : units < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** An upper bound of the durations whose key is at most this one. */
    public static long longestNs(ValueType type, @Nullable ValueUnit unit, long maxKey) {
        // integers that share a double lie between this double and the next
        long key = type == ValueType.F64 ? ValueType.doubleKey(Math.nextUp(ValueType.doubleOf(maxKey))) : maxKey;
        return Math.max(0, durationNs(type, unit, key, 0));
    }

    /** A time plus a duration, clamped to the range of a long. */
    public static long plus(long timeNs, long durationNs) {
        return minus(timeNs, -durationNs);
    }

    /** A time minus a duration, clamped to the range of a long. */
    public static long minus(long timeNs, long durationNs) {
        long difference = timeNs - durationNs;
        boolean overflow = ((timeNs ^ durationNs) & (timeNs ^ difference)) < 0;
        return overflow ? (durationNs > 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : difference;
    }

    /** The record's time. */
    public long timeNs() {
        return timeNs;
    }

    public long startNs() {
        return startNs;
    }

    public long endNs() {
        return endNs;
    }
}
