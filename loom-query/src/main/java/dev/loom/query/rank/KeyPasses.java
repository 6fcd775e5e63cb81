package dev.loom.query.rank;

import dev.loom.api.Index;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.ExpiredException;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.plan.Coverage;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.PassGuard;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.value.BinScale;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Passes over the values of a query's records (paper, section 4.3: the indexed aggregate). Each chunk is answered from its
 * totals, from its bins, or from its records. All passes see the same records, those of the snapshot. For one thread.
 */
public final class KeyPasses {
    private final QueryScope scope;
    private final KeyReader keys;
    private final @Nullable IndexSummaries summaries;
    private final RecordBatch batch = new RecordBatch();
    private final PassGuard passes;
    private long recordsRead;

    /** @param usable which indexes over the function hold what is asked for */
    public KeyPasses(QueryScope scope, IndexedFunction indexed, Predicate<Index> usable) {
        this.scope = scope;
        this.passes = new PassGuard(scope);
        this.keys = new KeyReader(indexed.function(), scope.lookup());
        this.summaries = indexed.summaries(scope.plan(), usable);
    }

    /** The scale of the bins most likely to be used; null if there are none. */
    @Nullable
    public BinScale scale() {
        return summaries == null ? null : summaries.scale();
    }

    /** Makes the next pass the first one. */
    public void restart() {
        passes.restart();
    }

    /**
     * Goes over all values once.
     *
     * @return false if the query ended early
     * @throws ExpiredException if records of the range were deleted since the first pass began
     */
    public boolean run(KeyTally tally) {
        passes.begin();
        boolean whole = pass(tally);
        passes.end();
        return whole;
    }

    private boolean pass(KeyTally tally) {
        // the chain finds totals fastest; a pass that reads pages goes forward, for the disk's read-ahead
        Order order = passes.first() && summaries != null ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
        SourceWalk walk = scope.batches(order, ChunkDecider.overRuns((chunk, whole) -> decide(tally, chunk, whole)));
        while (walk.next(batch)) {
            recordsRead += batch.count();
            int found = keys.readAll(batch);
            if (batch.hasRemainders()) {
                for (int i = 0; i < found; i++) {
                    tally.addExact(batch.keys()[i], batch.remainder(i));
                }
            } else {
                tally.add(batch.keys(), found);
            }
        }
        return walk.limit() == Limit.NONE;
    }

    private ChunkUse decide(KeyTally tally, ChunkCursor chunk, boolean whole) {
        IndexSummaries known = summaries;
        if (known == null || !known.read(chunk)) {
            return ChunkUse.READ;
        }
        ChunkSummary totals = known.totals();
        Coverage coverage = totals.count() == 0 ? Coverage.NONE : tally.cover(totals.minKey(), totals.maxKey());
        if (coverage == Coverage.NONE) {
            return ChunkUse.SKIPPED_BY_BINS;
        }
        if (!whole || !tally.takes(totals)) {
            return ChunkUse.READ;
        }
        if (coverage == Coverage.ALL) {
            tally.add(totals);
            return ChunkUse.FROM_TOTALS;
        }
        return addBins(tally, known) ? ChunkUse.FROM_BINS : ChunkUse.READ;
    }

    /** Adds a chunk's bins if they are enough. */
    private static boolean addBins(KeyTally tally, IndexSummaries known) {
        BinListReader bins = known.bins();
        try {
            return bins != null && addBins(tally, bins);
        } catch (CorruptStoreException e) {
            known.noteDamaged();
            return false;
        }
    }

    /** Adds all or, if it fails, nothing. */
    private static boolean addBins(KeyTally tally, BinListReader bins) {
        long below = bins.limit(tally.lowKey(), tally.highKey());
        if (tally.countsBins(bins.scale())) {
            addCounts(tally, bins);
            tally.addBelow(below);
            return true;
        }
        while (bins.next()) {
            if (!bins.isComplete() && tally.cover(bins.minKey(), bins.maxKey()) == Coverage.SOME) {
                return false;
            }
        }
        bins.rewind();
        tally.addBelow(below);
        while (bins.next()) {
            switch (tally.cover(bins.minKey(), bins.maxKey())) {
                case NONE -> {}
                case ALL -> tally.add(bins);
                case SOME -> {
                    for (int i = 0; i < bins.count(); i++) {
                        tally.add(bins.key(i));
                    }
                }
            }
        }
        return true;
    }

    private static void addCounts(KeyTally tally, BinListReader bins) {
        int added = 0;
        try {
            for (; bins.nextCount(); added++) {
                tally.addBin(bins.bin(), bins.count());
            }
        } catch (CorruptStoreException e) {
            bins.rewind();
            for (; added > 0 && bins.nextCount(); added--) {
                tally.addBin(bins.bin(), -bins.count());
            }
            throw e;
        }
    }

    /** The number of records read and examined. */
    public long recordsRead() {
        return recordsRead;
    }
}
