package dev.loom.query.rank;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.ExpiredException;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.plan.Coverage;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.KeyedCondition;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.PassGuard;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.KeyedSummary;
import dev.loom.value.BinScale;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Passes over the values of a query's records (paper, section 4.3: the indexed aggregate). Each chunk is answered from its
 * totals, from its bins, or from its records. All passes see the same records, those of the snapshot. For one thread.
 */
public final class KeyPasses {
    private final QueryScope scope;
    private final IndexFunction function;
    private final KeyReader keys;
    private final @Nullable IndexSummaries summaries;
    private final RecordBatch batch = new RecordBatch();
    private final PassGuard passes;
    private long recordsRead;

    /** @param usable which indexes over the function hold what is asked for */
    public KeyPasses(QueryScope scope, IndexedFunction indexed, Predicate<Index> usable) {
        this.scope = scope;
        this.passes = new PassGuard(scope);
        this.function = indexed.function();
        this.keys = new KeyReader(indexed.function(), scope.lookup());
        this.summaries = indexed.summaries(scope.plan(), usable);
    }

    /** The scale of the bins most likely to be used; null if there are none. */
    @Nullable
    public BinScale scale() {
        return summaries == null ? scope.plan().keyScale(function) : summaries.scale();
    }

    /** Whether only records that meet a condition count. */
    public boolean hasConditions() {
        return !scope.terms().conditions().isEmpty();
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
        SourceWalk walk = scope.batches(order, decider(tally));
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

    private ChunkDecider decider(KeyTally tally) {
        return new ChunkDecider() {
            @Override
            public ChunkUse decide(ChunkCursor chunk, boolean whole) {
                return KeyPasses.this.decide(tally, chunk, whole);
            }

            @Override
            public ChunkUse decideByKeys(ChunkCursor chunk, boolean whole, KeyedCondition keys) {
                ChunkUse use = decide(chunk, whole);
                return use == ChunkUse.READ && addKeys(tally, chunk, keys) ? ChunkUse.FROM_BINS : use;
            }

            @Override
            public boolean takesRuns() {
                return true;
            }
        };
    }

    /** Adds what an index has of the keys that count, if it is enough. */
    private boolean addKeys(KeyTally tally, ChunkCursor chunk, KeyedCondition wanted) {
        KeyedSummary keys = wanted.read(chunk, function);
        if (keys == null || !areEnough(tally, keys, wanted)) {
            return false;
        }
        keys.rewind();
        while (keys.next()) {
            ChunkSummary totals = keys.totals();
            if (totals.count() == 0 || !wanted.matches(keys)) {
                continue;
            }
            switch (tally.cover(totals.minKey(), totals.maxKey())) {
                case NONE -> {}
                case ALL -> tally.add(totals);
                case SOME -> {
                    BinListReader bins = Objects.requireNonNull(keys.bins());
                    tally.addBelow(bins.limit(tally.lowKey(), tally.highKey()));
                    addEach(tally, bins);
                }
            }
        }
        return true;
    }

    /** Walks over all that is to be added, so that adding meets nothing impossible half way. */
    private static boolean areEnough(KeyTally tally, KeyedSummary keys, KeyedCondition wanted) {
        try {
            boolean enough = true;
            while (enough && keys.next()) {
                ChunkSummary totals = keys.totals();
                if (totals.count() > 0 && wanted.matches(keys)) {
                    Coverage coverage = tally.cover(totals.minKey(), totals.maxKey());
                    enough = coverage == Coverage.NONE
                            || (tally.takes(totals) && (coverage == Coverage.ALL || areEnoughBins(tally, keys)));
                }
            }
            return enough;
        } catch (CorruptStoreException e) {
            wanted.noteDamaged();
            return false;
        }
    }

    private static boolean areEnoughBins(KeyTally tally, KeyedSummary keys) {
        BinListReader bins = keys.bins();
        if (bins == null) {
            return false;
        }
        bins.limit(tally.lowKey(), tally.highKey());
        return areEnough(tally, bins);
    }

    /** Whether each bin counts as a whole, or has all its values. */
    private static boolean areEnough(KeyTally tally, BinListReader bins) {
        boolean enough = true;
        while (enough && bins.next()) {
            enough = bins.isComplete() || tally.cover(bins.minKey(), bins.maxKey()) != Coverage.SOME;
        }
        return enough;
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
        if (!areEnough(tally, bins)) {
            return false;
        }
        bins.rewind();
        tally.addBelow(below);
        addEach(tally, bins);
        return true;
    }

    private static void addEach(KeyTally tally, BinListReader bins) {
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
