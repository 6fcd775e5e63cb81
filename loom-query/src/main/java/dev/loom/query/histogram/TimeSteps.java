package dev.loom.query.histogram;

import dev.loom.query.model.TimeRange;
import java.time.Duration;

/** Steps of equal length, from the start of a range on; the last one ends with the range. Immutable. */
public final class TimeSteps {
    private final TimeRange range;
    private final long lengthNs;
    private final int count;

    /**
     * @param lengthNs 0 for one step
     * @throws IllegalArgumentException if there are steps but the range has no start, or more than {@link CellCounts#CELLS_MAX}
     */
    public TimeSteps(TimeRange range, long lengthNs) {
        this.range = range;
        this.lengthNs = lengthNs;
        this.count = count(range, lengthNs);
    }

    private static int count(TimeRange range, long lengthNs) {
        if (lengthNs == 0) {
            return 1;
        }
        if (range.fromNs() == Long.MIN_VALUE) {
            throw new IllegalArgumentException("steps need a time range with a start: range=" + range);
        }
        long count = range.steps(Duration.ofNanos(lengthNs));
        if (Long.compareUnsigned(count, CellCounts.CELLS_MAX) > 0) {
            throw new IllegalArgumentException(
                    "too many steps: steps=" + Long.toUnsignedString(count) + ", max=" + CellCounts.CELLS_MAX);
        }
        return (int) count;
    }

    /** The times of all steps. */
    public TimeRange range() {
        return range;
    }

    /** The number of steps. */
    public int count() {
        return count;
    }

    /** The times of a step. */
    public TimeRange range(int step) {
        if (lengthNs == 0) {
            return range;
        }
        long fromNs = range.fromNs() + step * lengthNs;
        return new TimeRange(fromNs, step == count - 1 ? range.toNs() : fromNs + lengthNs);
    }

    /** The step of a time in the range. */
    public int step(long timeNs) {
        // a range without an end includes Long.MAX_VALUE, which may lie one past the last step
        return lengthNs == 0 ? 0 : (int) Math.min(count - 1L, Long.divideUnsigned(timeNs - range.fromNs(), lengthNs));
    }
}
