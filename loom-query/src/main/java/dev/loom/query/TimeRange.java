package dev.loom.query;

/**
 * A half-open range of arrival times, epoch nanoseconds: {@code from <= t < to}.
 */
public record TimeRange(long fromNs, long toNs) {
    public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

    public TimeRange {
        if (fromNs > toNs) {
            throw new IllegalArgumentException("time range ends before it begins: from=" + fromNs + ", to=" + toNs);
        }
    }

    /** How many of the times in another range, which is not empty, are in this one. */
    Coverage cover(TimeRange times) {
        if (times.fromNs >= toNs || times.toNs <= fromNs) {
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
