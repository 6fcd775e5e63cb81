package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.query.model.Order;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.rank.RankedRecords;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.ChunkSummary;
import dev.loom.read.StoredRecord;
import dev.loom.value.KeyReader;

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
    public TopCursor open() {
        return QueryScope.open(terms(), this::cursor);
    }

    private TopCursor cursor(QueryScope scope) {
        IndexSummaries summaries = indexed.summaries(scope.plan(), index -> true);
        KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
        long reached = summaries == null ? Long.MIN_VALUE : reached(scope, summaries, reader);
        RankedRecords best = new RankedRecords(count);
        SourceWalk walk = scope.walk(
                Order.NEWEST_FIRST, summaries == null ? ChunkDecider.READ_ALL : mayRank(summaries, best, reached));
        StoredRecord record = walk.record();
        while (walk.next()) {
            if (reader.read(record.buffer(), record.offset(), record.length())) {
                best.offer(rank(reader.key()), smallest ? -reader.remainder() : reader.remainder(), record.address());
            }
        }
        best.sort();
        return TopCursor.of(scope, best, indexed.function().type(), smallest);
    }

    /** A rank that at least as many records reach as are wanted, according to summaries. */
    private long reached(QueryScope scope, IndexSummaries summaries, KeyReader reader) {
        RankedRecords maxima = new RankedRecords(count);
        SourceWalk walk = scope.walk(Order.NEWEST_FIRST, (chunk, whole) -> {
            if (whole && summaries.read(chunk) && summaries.totals().count() > 0) {
                maxima.offer(rank(summaries.totals()), 0, chunk.start());
            }
            return ChunkUse.DEFERRED;
        });
        StoredRecord record = walk.record();
        while (walk.next()) {
            if (reader.read(record.buffer(), record.offset(), record.length())) {
                maxima.offer(rank(reader.key()), 0, record.address());
            }
        }
        return maxima.isFull() ? maxima.leastKey() : Long.MIN_VALUE;
    }

    /** The walk goes to older records, which rank after those kept with the same value. */
    private ChunkDecider mayRank(IndexSummaries summaries, RankedRecords best, long reached) {
        return (chunk, whole) -> {
            if (!summaries.read(chunk)) {
                return ChunkUse.READ;
            }
            long max = rank(summaries.totals());
            boolean none = summaries.totals().count() == 0 || max < reached;
            boolean behind = best.isFull() && (max < best.leastKey() || (max == best.leastKey() && isExact(max)));
            return none || behind ? ChunkUse.SKIPPED_BY_BINS : ChunkUse.READ;
        };
    }

    /** Whether all values of a rank are equal; not so for integers that share a double. */
    private boolean isExact(long rank) {
        long key = smallest ? ~rank : rank;
        return indexed.function().type() != ValueType.F64 || Math.abs(ValueType.doubleOf(key)) < EXACT_MAX;
    }
}
