package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.query.histogram.CellCounts;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import org.jspecify.annotations.Nullable;

/** The counts of a {@link Histogram}: bins from the lowest values up, steps from the earliest on. Immutable. */
public final class HistogramCounts {
    private final CellCounts cells;
    private final QueryStatistics statistics;
    private final Completeness completeness;

    HistogramCounts(CellCounts cells, QueryStatistics statistics, Completeness completeness) {
        this.cells = cells;
        this.statistics = statistics;
        this.completeness = completeness;
    }

    /** Whether whole values are exact integers: see {@link IndexFunction#isExact}. */
    public boolean isExact() {
        return cells.isExact();
    }

    /** The number of bins, including empty ones. */
    public int bins() {
        return cells.bins();
    }

    /** The number of steps, including empty ones. */
    public int steps() {
        return cells.steps();
    }

    /** The number of values in one bin of a step. */
    public long count(int step, int bin) {
        return cells.count(step, bin);
    }

    /** The number of values in a step. */
    public long count(int step) {
        return cells.count(step);
    }

    /** The number of values in all. */
    public long count() {
        return cells.count();
    }

    /** The least value that a bin can hold. */
    public Value low(int bin) {
        return cells.low(bin);
    }

    /** The greatest value that a bin can hold. */
    public Value high(int bin) {
        return cells.high(bin);
    }

    /** The least value in a step; null if it is empty. */
    public @Nullable Value min(int step) {
        return cells.min(step);
    }

    /** The greatest value in a step; null if it is empty. */
    public @Nullable Value max(int step) {
        return cells.max(step);
    }

    /** The times of a step; the last one ends with the range. */
    public TimeRange range(int step) {
        return cells.range(step);
    }

    /** The work done. */
    public QueryStatistics statistics() {
        return statistics;
    }

    /** What the counts lack. */
    public Completeness completeness() {
        return completeness;
    }
}
