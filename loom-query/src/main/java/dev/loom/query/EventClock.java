package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The times that the records of a source carry themselves (paper, section 5.2). For one thread. */
public interface EventClock {
    /** The time of a record that has none. */
    long NONE = Long.MIN_VALUE;

    /**
     * The time of a record, epoch nanoseconds, or {@link #NONE}.
     *
     * @param lookup finds the records that it refers to, from where it is
     */
    long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length);

    /** What an index over these times is over, or null if there can be none. */
    @Nullable
    IndexFunction function();

    /**
     * The times of records whose value of {@link #function()} is between two, both included; {@link TimeRange#ALL} if they
     * can't be told, or if such a record may have none.
     */
    TimeRange times(Value min, Value max);
}
