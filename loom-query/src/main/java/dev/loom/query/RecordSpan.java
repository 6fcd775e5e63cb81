package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.format.RecordLookup;
import dev.loom.index.KeyReader;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The stretch of time that a record stands for: from its duration before its time up to its time, both included; without
 * durations its time alone. For one thread.
 */
final class RecordSpan {
    private final @Nullable EventClock clock;
    private final @Nullable KeyReader duration;
    private final RecordLookup lookup;
    private long startNs;
    private long endNs;

    /**
     * @param clock of the records' own times; null for arrival
     * @param duration in nanoseconds; null for none
     * @param lookup finds the records that others refer to
     */
    RecordSpan(@Nullable EventClock clock, @Nullable IndexFunction duration, RecordLookup lookup) {
        this.clock = clock;
        this.duration = duration == null ? null : new KeyReader(duration, lookup);
        this.lookup = lookup;
    }

    /** Reads a record's; false when it has no time, or no duration, or a negative one, and so stands for no time. */
    boolean read(long address, long arrivalNs, DirectBuffer payload, int offset, int length) {
        lookup.from(address);
        endNs = clock == null ? arrivalNs : clock.epochNs(lookup, payload, offset, length);
        startNs = endNs;
        if (clock != null && endNs == EventClock.NONE) {
            return false;
        }
        KeyReader reader = duration;
        if (reader == null) {
            return true;
        }
        if (!reader.read(payload, offset, length)) {
            return false;
        }
        long durationNs = durationNs(reader.type(), reader.key());
        startNs = minus(endNs, durationNs);
        return durationNs >= 0;
    }

    /** A duration as whole nanoseconds; those that do not fit are the longest. */
    static long durationNs(ValueType type, long key) {
        return switch (type) {
            case I64 -> key;
            case U64 -> type.bits(key) < 0 ? Long.MAX_VALUE : type.bits(key);
            case F64 -> (long) Math.floor(ValueType.doubleOf(key));
        };
    }

    /** A time less a duration, at least the earliest time that there is. */
    static long minus(long timeNs, long durationNs) {
        long difference = timeNs - durationNs;
        boolean overflow = ((timeNs ^ durationNs) & (timeNs ^ difference)) < 0;
        return overflow ? (durationNs > 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : difference;
    }

    long startNs() {
        return startNs;
    }

    long endNs() {
        return endNs;
    }
}
