package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.Value;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.KeyedCondition;
import dev.loom.query.rank.RankedRecords;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.KeyedSummary;
import dev.loom.read.RecordReader;
import dev.loom.read.StoredRecord;
import dev.loom.read.StoredRecordCursor;
import dev.loom.value.KeyReader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records of one source with the largest values, largest first; among equal values the newest first. The chunks' maxima
 * give a value that at least as many records reach as are wanted. Then only chunks are read whose maximum reaches that value
 * and exceeds what was found so far. Records without a value are left out.
 *
 * <p>Constant memory: 1 MiB, of which 20 bytes per record wanted, and the longest jumbo payload met. The cursor reads each
 * record again when it moves to it. Not thread-safe.
 */
public final class TopRecords extends Query<TopRecords> {
    /** The most records that can be asked for. */
    public static final int COUNT_MAX = 16_384;

    /** Every integer below this is exact as a double. */
    private static final double EXACT_MAX = 1L << 53;

    private final IndexedFunction indexed;
    private final int count;
    private boolean smallest;

    private TopRecords(Snapshot snapshot, IndexedFunction indexed, int count) {
        super(snapshot, indexed.sourceId());
        this.indexed = indexed;
        this.count = count;
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException(
                    "record count out of range: count=" + count + ", min=1, max=" + COUNT_MAX);
        }
    }

    /**
     * The largest values of an index; uses all indexes of the source with an equal function.
     *
     * @throws IllegalArgumentException if the function can't be read, or if the count is out of range
     */
    public static TopRecords of(Snapshot snapshot, Index index, int count) {
        return of(snapshot, index.sourceId(), index.function(), count);
    }

    /** The largest values of a function, with or without indexes over it; errors as for an index. */
    public static TopRecords of(Snapshot snapshot, int sourceId, IndexFunction function, int count) {
        return new TopRecords(snapshot, IndexedFunction.of(sourceId, function), count);
    }

    @Override
    TopRecords self() {
        return this;
    }

    /** Finds the smallest values instead, smallest first; among equal values the newest first. */
    public TopRecords smallest() {
        smallest = true;
        return this;
    }

    /** The rank of a key: reversed when the smallest values are searched. */
    private long rank(long key) {
        return smallest ? ~key : key;
    }

    /** The highest rank of the values in a chunk. */
    private long rank(ChunkSummary totals) {
        return smallest ? ~totals.minKey() : totals.maxKey();
    }

    /** Runs the query. If its budget ended it early, the result holds the largest values of what was read. */
    public Cursor open() {
        return QueryScope.open(terms(), this::cursor);
    }

    private Cursor cursor(QueryScope scope) {
        IndexSummaries summaries = indexed.summaries(scope.plan(), index -> true);
        KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
        boolean indexes = summaries != null || scope.plan().keyScale(indexed.function()) != null;
        long reached = indexes ? reached(scope, summaries, reader) : Long.MIN_VALUE;
        RankedRecords best = best(scope, summaries, reader, indexes, reached);
        boolean lacking = !best.isFull() || best.leastKey() < reached;
        if (lacking && reached != Long.MIN_VALUE && scope.limit() == Limit.NONE) {
            // records that summaries know of can't be read any more, so those left may rank lower
            best = best(scope, summaries, reader, indexes, Long.MIN_VALUE);
        }
        best.sort();
        scope.endWalk();
        return Cursor.of(scope, best, indexed.function().type(), smallest);
    }

    /** The records that rank first of those that reach a rank. */
    private RankedRecords best(
            QueryScope scope, @Nullable IndexSummaries summaries, KeyReader reader, boolean indexes, long reached) {
        RankedRecords best = new RankedRecords(count);
        SourceWalk walk = scope.walk(
                Order.NEWEST_FIRST, indexes ? new ByRank(summaries, mayRank(best, reached)) : ChunkDecider.READ_ALL);
        StoredRecord record = walk.record();
        while (walk.next()) {
            if (reader.read(record.buffer(), record.offset(), record.length())) {
                best.offer(rank(reader.key()), smallest ? -reader.remainder() : reader.remainder(), record.address());
            }
        }
        return best;
    }

    /** A rank that at least as many records reach as are wanted, according to summaries. */
    private long reached(QueryScope scope, @Nullable IndexSummaries summaries, KeyReader reader) {
        RankedRecords maxima = new RankedRecords(count);
        SourceWalk walk = scope.walk(Order.NEWEST_FIRST, new ByRank(summaries, (chunk, whole, highest) -> {
            boolean known = whole && highest.known();
            boolean reaches = known && highest.any() && !(maxima.isFull() && highest.rank() <= maxima.leastKey());
            if (chunk.isRun()) {
                return known && !reaches ? ChunkUse.DEFERRED : ChunkUse.READ; // several of its chunks may rank
            }
            if (reaches) {
                maxima.offer(highest.rank(), 0, chunk.start());
            }
            return ChunkUse.DEFERRED;
        }));
        StoredRecord record = walk.record();
        while (walk.next()) {
            if (reader.read(record.buffer(), record.offset(), record.length())) {
                maxima.offer(rank(reader.key()), 0, record.address());
            }
        }
        return maxima.isFull() ? maxima.leastKey() : Long.MIN_VALUE;
    }

    /** The walk goes to older records, which rank after those kept with the same value. */
    private Ranked mayRank(RankedRecords best, long reached) {
        return (chunk, whole, highest) -> {
            if (!highest.known()) {
                return ChunkUse.READ;
            }
            long max = highest.rank();
            boolean none = !highest.any() || max < reached;
            boolean behind = best.isFull() && (max < best.leastKey() || (max == best.leastKey() && isExact(max)));
            return none || behind ? ChunkUse.SKIPPED_BY_BINS : ChunkUse.READ;
        };
    }

    /** Decides about a part by the highest rank in it. */
    private interface Ranked {
        /** @param whole whether all records that the rank is of count */
        ChunkUse decide(ChunkCursor chunk, boolean whole, Highest highest);
    }

    /** The highest rank of the values in a part, or of those of the keys that count. For one thread. */
    private static final class Highest {
        private boolean known;
        private boolean any;
        private long rank;

        void clear(boolean isKnown) {
            known = isKnown;
            any = false;
            rank = Long.MIN_VALUE;
        }

        void add(ChunkSummary totals, long itsRank) {
            if (totals.count() > 0) {
                any = true;
                rank = Math.max(rank, itsRank);
            }
        }

        boolean known() {
            return known;
        }

        /** Whether there is a value. */
        boolean any() {
            return any;
        }

        long rank() {
            return rank;
        }
    }

    /** Finds the highest rank in each part. For one thread. */
    private final class ByRank implements ChunkDecider {
        private final @Nullable IndexSummaries summaries;
        private final Ranked ranked;
        private final Highest highest = new Highest();

        /** @param summaries null if there are indexes by keys alone */
        ByRank(@Nullable IndexSummaries summaries, Ranked ranked) {
            this.summaries = summaries;
            this.ranked = ranked;
        }

        @Override
        public ChunkUse decide(ChunkCursor chunk, boolean whole) {
            IndexSummaries known = summaries;
            highest.clear(known != null && known.read(chunk));
            if (known != null && highest.known()) {
                highest.add(known.totals(), rank(known.totals()));
            }
            return ranked.decide(chunk, whole, highest);
        }

        @Override
        public ChunkUse decideByKeys(ChunkCursor chunk, boolean whole, KeyedCondition wanted) {
            KeyedSummary keys = wanted.read(chunk, indexed.function());
            if (keys == null) {
                return decide(chunk, whole);
            }
            highest.clear(true);
            while (keys.next()) {
                if (wanted.matches(keys)) {
                    highest.add(keys.totals(), rank(keys.totals()));
                }
            }
            return ranked.decide(chunk, true, highest);
        }

        @Override
        public boolean takesRuns() {
            return true;
        }
    }

    /** Whether all values of a rank are equal; not so for integers that share a double. */
    private boolean isExact(long rank) {
        long key = smallest ? ~rank : rank;
        return indexed.function().type() != ValueType.F64 || Math.abs(ValueType.doubleOf(key)) < EXACT_MAX;
    }

    /** The records of a {@link TopRecords} in order; each is read when the cursor moves to it. For one thread. */
    public static final class Cursor extends StoredRecordCursor implements QueryCursor {
        private final QueryScope scope;
        private final RankedRecords ranked;
        private final ValueType type;
        private final boolean smallest;
        private final RecordReader records;
        private final long bytesReadBefore;
        /** What ended the search early, so that what it had found is read whatever is left. */
        private final Limit endedBy;

        private int next;
        private Limit limit = Limit.NONE;

        private Cursor(QueryScope scope, RankedRecords ranked, ValueType type, boolean smallest, RecordReader records) {
            super(records);
            this.scope = scope;
            this.ranked = ranked;
            this.type = type;
            this.smallest = smallest;
            this.records = records;
            this.bytesReadBefore = scope.bytesReadBesides();
            this.endedBy = scope.limit();
        }

        static Cursor of(QueryScope scope, RankedRecords ranked, ValueType type, boolean smallest) {
            RecordReader records = scope.reader().records(scope.terms().sourceId());
            return new Cursor(scope, ranked, type, smallest, records);
        }

        @Override
        protected boolean advance() {
            boolean found = false;
            while (!found && next < ranked.size() && limit == Limit.NONE) {
                limit = spent();
                found = limit == Limit.NONE && records.read(ranked.address(next++));
            }
            return found;
        }

        private Limit spent() {
            Limit reached = scope.limits().check(bytesReadBefore + records.bytesRead());
            if (endedBy == Limit.NONE) {
                return reached;
            }
            // an interrupted thread can't read; who cancels once more does not want what was found
            boolean ends = Thread.currentThread().isInterrupted()
                    || (reached == Limit.CANCELLED && endedBy != Limit.CANCELLED);
            return ends ? Limit.CANCELLED : Limit.NONE;
        }

        /** The record's value. */
        public Value value() {
            checkOnRecord();
            long key = ranked.key(next - 1);
            int remainder = ranked.remainder(next - 1);
            return smallest ? new Value(type, ~key, -remainder) : new Value(type, key, remainder);
        }

        @Override
        public QueryStatistics statistics() {
            return scope.statistics(recordsReturned())
                    .plus(new QueryStatistics(
                            0, 0, 0, 0, records.pagesRead(), records.bytesRead(), 0, 0, 0, 0, 0, List.of(), Map.of()));
        }

        @Override
        public Completeness completeness() {
            checkOpen();
            return scope.completeness()
                    .and(new Completeness(0, records.damaged(), records.expired(), limit, false, records.expired()));
        }

        @Override
        protected void release() {
            records.close();
            scope.close();
        }
    }
}
