package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.index.BinScale;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a {@link Histogram} counted: bins from the lowest values on, for each step from the first on. */
public final class HistogramCounts {
    private static final long BYTES_PER_CELL = Long.BYTES;
    private static final long BYTES_PER_STEP = 2 * (Long.BYTES + Integer.BYTES);
    /** Of edges, and of what chunks give at a time. */
    private static final long BYTES_PER_BIN = 32;

    private final ValueType type;
    private final boolean exact;
    private final @Nullable BinScale scale;
    private final TimeRange range;
    private final long stepNs;
    private final int bins;
    private final int steps;
    private final long[] cells;
    private final long[] minKeys;
    private final long[] maxKeys;
    private final int[] minRemainders;
    private final int[] maxRemainders;
    private QueryStatistics statistics = QueryStatistics.NONE;
    private Completeness completeness = Completeness.WHOLE;

    /**
     * @param scale null for one bin
     * @param stepNs 0 for one step
     * @param memory of what is counted, which stays reserved
     */
    HistogramCounts(
            IndexFunction function, @Nullable BinScale scale, TimeRange range, long stepNs, QueryMemory memory) {
        this.type = function.type();
        this.exact = function.isExact();
        this.scale = scale;
        this.range = range;
        this.stepNs = stepNs;
        bins = scale == null ? 1 : scale.count();
        steps = steps(range, stepNs, bins);
        memory.reserve(BYTES_PER_CELL * bins * steps + BYTES_PER_STEP * steps + BYTES_PER_BIN * bins);
        cells = new long[bins * steps];
        minKeys = new long[steps];
        maxKeys = new long[steps];
        minRemainders = new int[steps];
        maxRemainders = new int[steps];
        Arrays.fill(minKeys, Long.MAX_VALUE);
        Arrays.fill(maxKeys, Long.MIN_VALUE);
    }

    private static int steps(TimeRange range, long stepNs, int bins) {
        if (stepNs == 0) {
            return 1;
        }
        if (range.fromNs() == Long.MIN_VALUE) {
            throw new IllegalArgumentException("steps need a time range with a begin: range=" + range);
        }
        long lengthNs = range.toNs() - range.fromNs(); // unsigned
        long steps = Long.divideUnsigned(lengthNs, stepNs) + (Long.remainderUnsigned(lengthNs, stepNs) == 0 ? 0 : 1);
        if (Long.compareUnsigned(steps, Histogram.CELLS_MAX / bins) > 0) {
            throw new IllegalArgumentException("too many bins and steps: bins=" + bins + ", steps="
                    + Long.toUnsignedString(steps) + ", max=" + Histogram.CELLS_MAX);
        }
        return (int) steps;
    }

    /** Whether values that are whole are integers: see {@link IndexFunction#isExact}. */
    public boolean isExact() {
        return exact;
    }

    /** How many bins there are, with those that hold nothing. */
    public int bins() {
        return bins;
    }

    /** How many steps there are, with those that hold nothing. */
    public int steps() {
        return steps;
    }

    /** How many values of a step are in a bin. */
    public long count(int step, int bin) {
        return cells[step * bins + bin];
    }

    /** How many values there are in a step. */
    public long count(int step) {
        return Arrays.stream(cells, step * bins, (step + 1) * bins).sum();
    }

    /** How many values there are in all. */
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

    /** The least value of a step, or null. */
    public @Nullable Value min(int step) {
        return minKeys[step] > maxKeys[step] ? null : new Value(type, minKeys[step], minRemainders[step]);
    }

    /** The greatest value of a step, or null. */
    public @Nullable Value max(int step) {
        return minKeys[step] > maxKeys[step] ? null : new Value(type, maxKeys[step], maxRemainders[step]);
    }

    /** When a step begins and ends; the last one ends with the range. */
    public TimeRange range(int step) {
        if (stepNs == 0) {
            return range;
        }
        long fromNs = range.fromNs() + step * stepNs;
        return new TimeRange(fromNs, step == steps - 1 ? range.toNs() : fromNs + stepNs);
    }

    /** The work that it took. */
    public QueryStatistics statistics() {
        return statistics;
    }

    /** What the counts lack. */
    public Completeness completeness() {
        return completeness;
    }

    int step(long timeNs) {
        // a range without an end holds the time at which the others end
        return stepNs == 0 ? 0 : (int) Math.min(steps - 1L, Long.divideUnsigned(timeNs - range.fromNs(), stepNs));
    }

    int bin(long key) {
        return scale == null ? 0 : scale.bin(key);
    }

    void add(int step, long key, int remainder) {
        cells[step * bins + bin(key)]++;
        stretch(step, key, key, remainder);
    }

    void add(int step, int bin, long count) {
        cells[step * bins + bin] += count;
    }

    /** @param remainder of both keys */
    void stretch(int step, long minKey, long maxKey, int remainder) {
        if (minKey < minKeys[step] || (minKey == minKeys[step] && remainder < minRemainders[step])) {
            minKeys[step] = minKey;
            minRemainders[step] = remainder;
        }
        if (maxKey > maxKeys[step] || (maxKey == maxKeys[step] && remainder > maxRemainders[step])) {
            maxKeys[step] = maxKey;
            maxRemainders[step] = remainder;
        }
    }

    void finish(QueryStatistics work, Completeness lack) {
        statistics = work;
        completeness = lack;
    }
}
