package dev.loom.query.plan;

import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import java.util.function.Supplier;

/**
 * A range of times that records carry themselves.
 *
 * @param window lies in the range, and may shrink while the query runs
 */
public record EventRange(EventClock clock, TimeRange range, Supplier<TimeRange> window) {
    /** Whether a record's time is in the range. */
    public boolean contains(long timeNs) {
        return timeNs != EventClock.NONE
                && range.contains(timeNs)
                && window.get().contains(timeNs);
    }

    /** How many of the times of another, non-empty range are in this one. */
    public Coverage cover(TimeRange times) {
        return Coverage.of(range, times).and(Coverage.of(window.get(), times));
    }
}
