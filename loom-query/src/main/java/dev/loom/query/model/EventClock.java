package dev.loom.query.model;

import dev.loom.api.IndexFunction;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the times that a source's records carry themselves (paper, section 5.2). For one thread. */
public interface EventClock {
    /** Stands for the time of a record that has none. */
    long NONE = Long.MIN_VALUE;

    /**
     * The time of a record in epoch nanoseconds, or {@link #NONE}.
     *
     * @param lookup finds the records that this one refers to; it must already stand at this record
     */
    long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length);

    /** The function that an index over these times uses; null if there can be no such index. */
    @Nullable
    IndexFunction function();

    /**
     * The range of times of the records whose {@link #function()} value lies between two values, both included. {@link
     * TimeRange#ALL} if the range is not known, or if such a record may have no time.
     */
    TimeRange times(Value min, Value max);
}
