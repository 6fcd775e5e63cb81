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
}
