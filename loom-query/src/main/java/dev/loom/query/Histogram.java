package dev.loom.query;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKind;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.index.BinScale;
import dev.loom.index.KeyReader;
import dev.loom.record.PageRecords;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How many records of one source have values in each of some bins, arrived in each of some steps of time, or both (a
 * heatmap). Exact. A chunk that lies within one step is answered by its totals if all of it falls into one bin, else by the
 * bins of an index if each of those falls into one bin of this histogram, as those of an index do into its own or coarser
 * ones; all others are read. Records without a value count nowhere.
 *
 * <p>Constant memory: 1 MiB; 8 bytes a bin and step, 24 a step and 32 a bin, which stay reserved of the {@link QueryMemory} for
 * the counts; and the longest jumbo payload met. Not thread-safe.
 */
public final class Histogram extends Query<Histogram> {
    /** The most bins and steps, multiplied. */
    public static final int CELLS_MAX = 1 << 19;

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
     * A histogram with an index's own bins; all indexes of its source with an equal function are used.
     *
     * @throws IllegalArgumentException when its function can't be read
     */
    public static Histogram of(Snapshot snapshot, Index index) {
        Bins bins = index.kind() == IndexKind.VALUE ? index.bins() : Bins.logLinear();
        return of(snapshot, index.sourceId(), index.function()).bins(bins);
    }

    /** A histogram with log-linear bins, whether there are indexes over the function or not. */
    public static Histogram of(Snapshot snapshot, int sourceId, IndexFunction function) {
        return new Histogram(snapshot, IndexedFunction.of(sourceId, function), Bins.logLinear());
    }

    @Override
    Histogram self() {
        return this;
    }

    /** Counts by value, in these bins. */
    public Histogram bins(Bins into) {
        bins = Objects.requireNonNull(into);
        byValue = true;
        groupEnds = null;
        return this;
    }

    /**
     * Takes neighbouring bins together, of those set before. Values below the first of them count in the first group, those
     * above the last in the last.
     *
     * @param ends of the groups: the first bin of the first, and for each the bin after its last; ascending
     */
    public Histogram groups(int... ends) {
        groupEnds = ends.clone();
        return this;
    }

    /** Counts all values together. */
    public Histogram oneBin() {
        byValue = false;
        return this;
    }

    /**
     * Counts by time of arrival, or with {@link #eventRange} by the records' own, from the range's begin on, in steps of so
     * many nanoseconds; 0, the default, for one step.
     */
    public Histogram step(long nanoseconds) {
        if (nanoseconds < 0) {
            throw new IllegalArgumentException("step is negative: ns=" + nanoseconds);
        }
        stepNs = nanoseconds;
        return this;
    }

    /**
     * Counts.
     *
     * @throws IllegalArgumentException when the range has no begin and there are steps; for more than {@link #CELLS_MAX} bins
     *     times steps; or for groups of bins that there are not
     */
    public HistogramCounts count() {
        ValueType type = indexed.function().type();
        EventClock clock = eventClock();
        HistogramCounts counts = new HistogramCounts(
                indexed.function(),
                byValue ? scale(type) : null,
                clock == null ? range() : eventRange(),
                stepNs,
                memory());
        try (QueryScope scope = new QueryScope(this)) {
            IndexSummaries summaries = indexed.summaries(scope, index -> true);
            KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
            SourceWalk walk = scope.walk(Order.OLDEST_FIRST, decider(scope, summaries, counts));
            PageRecords record = walk.record();
            long read = 0;
            while (walk.next()) {
                read++;
                if (reader.read(record.buffer(), record.offset(), record.length())) {
                    long timeNs = clock == null
                            ? record.timeNs()
                            : clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
                    counts.add(counts.step(timeNs), reader.key(), reader.remainder());
                }
            }
            counts.finish(scope.statistics(read), scope.completeness());
            return counts;
        }
    }

    private BinScale scale(ValueType type) {
        BinScale scale = BinScale.of(bins, type);
        return groupEnds == null ? scale : scale.grouped(groupEnds);
    }

    private ChunkDecider decider(QueryScope scope, @Nullable IndexSummaries summaries, HistogramCounts counts) {
        EventClock clock = eventClock();
        EventTimes times = clock == null ? null : EventTimes.of(clock, scope);
        return summaries == null ? ChunkDecider.READ_ALL : new HistogramChunks(summaries, times, counts);
    }
}
