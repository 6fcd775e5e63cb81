package dev.loom.query;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.query.histogram.CellCounts;
import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.histogram.HistogramChunks;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import dev.loom.value.BinScale;
import dev.loom.value.KeyReader;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts one source's records by value in bins, by time in steps, or by both (a heatmap). Exact. A chunk within one step is
 * answered from its totals if all its values fall into one bin. Otherwise it is answered from an index's bins if each of
 * those falls into one bin of this histogram, which is so for the index's own bins and for coarser ones. All other chunks
 * are read. Records without a value are not counted.
 *
 * <p>Constant memory: 1 MiB; 8 bytes per bin and step, 24 per step and 32 per bin, which stay reserved in the {@link
 * QueryMemory} for the counts; and the longest jumbo payload met. Not thread-safe.
 */
public final class Histogram extends Query<Histogram> {
    /** The greatest product of bins and steps. */
    public static final int CELLS_MAX = CellCounts.CELLS_MAX;

    private final IndexedFunction indexed;
    private Bins bins;
    private long stepNs;
    private boolean byValue = true;
    private int @Nullable [] groupEnds;

    private Histogram(Snapshot snapshot, IndexedFunction indexed, Bins bins) {
        super(snapshot, indexed.sourceId());
        this.indexed = indexed;
        this.bins = bins;
    }

    /**
     * A histogram with an index's own bins; uses all indexes of the source with an equal function.
     *
     * @throws IllegalArgumentException if the function can't be read
     */
    public static Histogram of(Snapshot snapshot, Index index) {
        Bins bins = index.kind() == Index.Kind.VALUE ? index.bins() : Bins.logLinear();
        return of(snapshot, index.sourceId(), index.function()).bins(bins);
    }

    /** A histogram with log-linear bins, with or without indexes over the function. */
    public static Histogram of(Snapshot snapshot, int sourceId, IndexFunction function) {
        return new Histogram(snapshot, IndexedFunction.of(sourceId, function), Bins.logLinear());
    }

    @Override
    Histogram self() {
        return this;
    }

    /** Counts by value in these bins. */
    public Histogram bins(Bins into) {
        bins = Objects.requireNonNull(into);
        byValue = true;
        groupEnds = null;
        return this;
    }

    /**
     * Merges neighbouring bins of those set before. Values below the first bin count in the first group, values above the
     * last in the last.
     *
     * @param ends the first bin of the first group, then for each group the bin after its last; ascending
     */
    public Histogram groups(int... ends) {
        groupEnds = ends.clone();
        return this;
    }

    /** The number of bins, or of groups of them, that values are counted in, empty ones included. */
    public int binCount() {
        return byValue ? scale(indexed.function().type()).count() : 1;
    }

    /** Counts all values together. */
    public Histogram oneBin() {
        byValue = false;
        return this;
    }

    /**
     * Counts in time steps of this length, from the start of the range on; zero, the default, for a single step.
     * Times are arrival times, or the records' own times with {@link #eventRange}.
     *
     * @throws IllegalArgumentException if it is negative, or longer than 292 years
     */
    public Histogram step(Duration length) {
        stepNs = checkedNs("step", length);
        return this;
    }

    /**
     * Runs the query.
     *
     * @throws IllegalArgumentException if there are steps but the range has no start; if bins times steps exceed {@link
     *     #CELLS_MAX}; or if a group names bins that don't exist
     */
    public Counts run() {
        QueryTerms terms = terms();
        ValueType type = indexed.function().type();
        EventRange events = terms.eventRange();
        EventClock clock = events == null ? null : events.clock();
        CellCounts counts = new CellCounts(
                indexed.function(),
                byValue ? scale(type) : null,
                events == null ? terms.range() : events.range(),
                stepNs,
                terms.limits().memory());
        try (QueryScope scope = new QueryScope(terms)) {
            IndexSummaries summaries = indexed.summaries(scope.plan(), index -> true);
            KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
            SourceWalk walk = scope.walk(Order.OLDEST_FIRST, decider(scope.plan(), summaries, clock, counts));
            StoredRecord record = walk.record();
            long read = 0;
            while (walk.next()) {
                read++;
                if (reader.read(record.buffer(), record.offset(), record.length())) {
                    long timeNs = clock == null
                            ? record.timeNs()
                            : clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
                    counts.add(counts.times().step(timeNs), reader.key(), reader.remainder());
                }
            }
            return new Counts(counts, scope.statistics(read), scope.completeness());
        }
    }

    private BinScale scale(ValueType type) {
        BinScale scale = BinScale.of(bins, type);
        return groupEnds == null ? scale : scale.grouped(groupEnds);
    }

    private static ChunkDecider decider(
            WherePlan plan, @Nullable IndexSummaries summaries, @Nullable EventClock clock, CellCounts counts) {
        EventTimes times = clock == null ? null : EventTimes.of(clock, plan);
        return summaries == null
                ? ChunkDecider.READ_ALL
                : new HistogramChunks(summaries, new ChunkSteps(counts.times(), times), counts);
    }

    /** The counts of a {@link Histogram}: bins from the lowest values up, steps from the earliest on. Immutable. */
    public static final class Counts {
        private final CellCounts cells;
        private final QueryStatistics statistics;
        private final Completeness completeness;

        Counts(CellCounts cells, QueryStatistics statistics, Completeness completeness) {
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
            return cells.times().range(step);
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
}
