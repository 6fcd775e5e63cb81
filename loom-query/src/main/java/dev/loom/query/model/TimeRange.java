package dev.loom.query.model;

import java.time.Duration;

/**
 * A half-open range of times in epoch nanoseconds: {@code from <= t < to}. If {@code to} is {@link Long#MAX_VALUE} the range
 * has no end, and includes that time too.
 */
public record TimeRange(long fromNs, long toNs) {
    private static final double NS_PER_S = 1e9;
    private static final Duration STEP_MAX = Duration.ofNanos(Long.MAX_VALUE);

    public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

    public TimeRange {
        if (fromNs > toNs) {
            throw new IllegalArgumentException("time range ends before it begins: from=" + fromNs + ", to=" + toNs);
        }
    }

    /** From one time to another, both included. */
    public static TimeRange closed(long firstNs, long lastNs) {
        return new TimeRange(firstNs, lastNs == Long.MAX_VALUE ? lastNs : lastNs + 1);
    }

    /** Whether no time is in the range. */
    public boolean isEmpty() {
        return fromNs == toNs && toNs != Long.MAX_VALUE;
    }

    /** Whether a time is in the range. */
    public boolean contains(long timeNs) {
        return timeNs >= fromNs && !endsBefore(timeNs);
    }

    /** Whether a time lies past the range. */
    public boolean endsBefore(long timeNs) {
        return timeNs >= toNs && toNs != Long.MAX_VALUE;
    }

    /** The last time in the range, which must not be empty. */
    public long lastNs() {
        return toNs == Long.MAX_VALUE ? toNs : toNs - 1;
    }

    /** Whether the range has a start and an end. */
    public boolean isBounded() {
        return fromNs != Long.MIN_VALUE && toNs != Long.MAX_VALUE;
    }

    /** The length of a bounded range in seconds. The times themselves are not converted: as doubles they are up to 128 ns off. */
    public double seconds() {
        long lengthNs = toNs - fromNs; // unsigned
        return (lengthNs >= 0 ? lengthNs : 2.0 * (lengthNs >>> 1)) / NS_PER_S;
    }

    /**
     * The number of steps of a length that the range takes, unsigned. The last one ends with the range.
     *
     * @throws IllegalArgumentException if the length is zero, negative or longer than 292 years
     */
    public long steps(Duration length) {
        if (length.isZero() || length.isNegative() || length.compareTo(STEP_MAX) > 0) {
            throw new IllegalArgumentException(
                    "step is out of range: length=" + length + ", min=PT0.000000001S, max=" + STEP_MAX);
        }
        if (isEmpty()) {
            return 0;
        }
        // one less than the length, unsigned; a range from Long.MAX_VALUE on has that time, but no length
        long lengthLessOneNs = Math.max(fromNs, toNs - 1) - fromNs;
        return Long.divideUnsigned(lengthLessOneNs, length.toNanos()) + 1;
    }

    /** The intersection; if there is none, an empty range at the earlier end. */
    public TimeRange and(TimeRange other) {
        long end = Math.min(toNs, other.toNs);
        return new TimeRange(Math.min(Math.max(fromNs, other.fromNs), end), end);
    }
}
