package dev.loom.query.histogram;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.value.BinScale;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Counts of values by step and bin: bins from the lowest values up, steps from the earliest on. For one thread. */
public final class CellCounts {
    /** The most bins times steps. */
    public static final int CELLS_MAX = 1 << 19;

    private static final long BYTES_PER_CELL = Long.BYTES;
    private static final long BYTES_PER_STEP = 2 * (Long.BYTES + Integer.BYTES);
    /** For the edges, and for the bins of one chunk. */
    private static final long BYTES_PER_BIN = 32;

    private final ValueType type;
    private final boolean exact;
    private final @Nullable BinScale scale;
    private final TimeSteps times;
    private final int bins;
    private final int steps;
    private final long[] cells;
    private final long[] minKeys;
    private final long[] maxKeys;
    private final int[] minRemainders;
    private final int[] maxRemainders;

    /**
     * @param scale null for one bin
     * @param stepNs 0 for one step
     * @param memory reserves the counts, which stay reserved
     */
    public CellCounts(
            IndexFunction function, @Nullable BinScale scale, TimeRange range, long stepNs, QueryMemory memory) {
        this.type = function.type();
        this.exact = function.isExact();
        this.scale = scale;
        bins = scale == null ? 1 : scale.count();
        times = new TimeSteps(range, stepNs);
        if (times.count() > CELLS_MAX / bins) {
            throw new IllegalArgumentException(
                    "too many bins and steps: bins=" + bins + ", steps=" + times.count() + ", max=" + CELLS_MAX);
        }
        steps = times.count();
        memory.reserve(BYTES_PER_CELL * bins * steps + BYTES_PER_STEP * steps + BYTES_PER_BIN * bins);
        cells = new long[bins * steps];
        minKeys = new long[steps];
        maxKeys = new long[steps];
        minRemainders = new int[steps];
        maxRemainders = new int[steps];
        Arrays.fill(minKeys, Long.MAX_VALUE);
        Arrays.fill(maxKeys, Long.MIN_VALUE);
    }

    /** Whether whole values are exact integers: see {@link IndexFunction#isExact}. */
    public boolean isExact() {
        return exact;
    }

    /** The number of bins, including empty ones. */
    public int bins() {
        return bins;
    }

    /** The number of steps, including empty ones. */
    public int steps() {
        return steps;
    }

    /** The number of values in one bin of a step. */
    public long count(int step, int bin) {
        return cells[step * bins + bin];
    }

    /** The number of values in a step. */
    public long count(int step) {
        return Arrays.stream(cells, step * bins, (step + 1) * bins).sum();
    }

    /** The number of values in all. */
    public long count() {
        return Arrays.stream(cells).sum();
    }

    /** The least value that a bin can hold. */
    public Value low(int bin) {
        return new Value(type, scale == null ? type.lowestKey() : scale.lowKey(bin));
    }

    /** The greatest value that a bin can hold. */
    public Value high(int bin) {
        return new Value(type, scale == null ? type.highestKey() : scale.highKey(bin));
    }

    /** The least value in a step; null if it is empty. */
    public @Nullable Value min(int step) {
        return minKeys[step] > maxKeys[step] ? null : new Value(type, minKeys[step], minRemainders[step]);
    }

    /** The greatest value in a step; null if it is empty. */
    public @Nullable Value max(int step) {
        return minKeys[step] > maxKeys[step] ? null : new Value(type, maxKeys[step], maxRemainders[step]);
    }

    /** The times of the steps. */
    public TimeSteps times() {
        return times;
    }

    /** The bin of a key. */
    public int bin(long key) {
        return scale == null ? 0 : scale.bin(key);
    }

    /** Counts a value. */
    public void add(int step, long key, int remainder) {
        cells[step * bins + bin(key)]++;
        stretch(step, key, key, remainder);
    }

    /** Counts values of one bin, without their extremes. */
    public void add(int step, int bin, long count) {
        cells[step * bins + bin] += count;
    }

    /**
     * Widens the extremes of a step.
     *
     * @param remainder the remainder of both keys
     */
    public void stretch(int step, long minKey, long maxKey, int remainder) {
        if (minKey < minKeys[step] || (minKey == minKeys[step] && remainder < minRemainders[step])) {
            minKeys[step] = minKey;
            minRemainders[step] = remainder;
        }
        if (maxKey > maxKeys[step] || (maxKey == maxKeys[step] && remainder > maxRemainders[step])) {
            maxKeys[step] = maxKey;
            maxRemainders[step] = remainder;
        }
    }
}
