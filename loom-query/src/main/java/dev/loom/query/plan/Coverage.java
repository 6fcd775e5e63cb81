package dev.loom.query.plan;

import dev.loom.query.model.TimeRange;

/** How many of a chunk's records meet a condition, as far as indexes show. */
public enum Coverage {
    NONE,
    /** Some, or not known. */
    SOME,
    ALL;

    /** How many of the times of a non-empty range are in another range. */
    public static Coverage of(TimeRange range, TimeRange times) {
        if (range.endsBefore(times.fromNs()) || times.endsBefore(range.fromNs())) {
            return NONE;
        }
        boolean within = times.fromNs() >= range.fromNs() && times.toNs() <= range.toNs();
        return within && !times.equals(TimeRange.ALL) ? ALL : SOME;
    }

    public Coverage and(Coverage other) {
        return compareTo(other) <= 0 ? this : other;
    }

    public Coverage or(Coverage other) {
        return compareTo(other) >= 0 ? this : other;
    }

    public Coverage not() {
        return this == NONE ? ALL : this == ALL ? NONE : SOME;
    }
}
