package dev.loom.query;

/**
 * A half-open range of times, epoch nanoseconds: {@code from <= t < to}. One that ends with the greatest time that there is
 * has no end, and holds that time too.
 */
public record TimeRange(long fromNs, long toNs) {
    public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

    public TimeRange {
        if (fromNs > toNs) {
            throw new IllegalArgumentException("time range ends before it begins: from=" + fromNs + ", to=" + toNs);
        }
    }

    /** From one time up to another, both included. */
    public static TimeRange closed(long firstNs, long lastNs) {
        return new TimeRange(firstNs, lastNs == Long.MAX_VALUE ? lastNs : lastNs + 1);
    }

    /** Whether a time is in the range. */
    public boolean contains(long timeNs) {
        return timeNs >= fromNs && !endsBefore(timeNs);
    }

    /** Whether a time is behind the range. */
    boolean endsBefore(long timeNs) {
        return timeNs >= toNs && toNs != Long.MAX_VALUE;
    }

    /** The last time of a range that is not empty. */
    long lastNs() {
        return toNs == Long.MAX_VALUE ? toNs : toNs - 1;
    }

    /** How many of the times in another range, which is not empty, are in this one. */
    Coverage cover(TimeRange times) {
        if (endsBefore(times.fromNs) || times.endsBefore(fromNs)) {
            return Coverage.NONE;
        }
        return times.fromNs >= fromNs && times.toNs <= toNs && !times.equals(ALL) ? Coverage.ALL : Coverage.SOME;
    }

    /** The times in both; empty where they end if there are none. */
    TimeRange and(TimeRange other) {
        long end = Math.min(toNs, other.toNs);
        return new TimeRange(Math.min(Math.max(fromNs, other.fromNs), end), end);
    }
}
