package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.index.IndexSummary;
import dev.loom.index.KeyReader;
import dev.loom.record.PageRecords;

/**
 * The records of one source with the largest values, largest first; of equal values the newest first. The greatest values of
 * the chunks give a value that as many records reach as are wanted; then only chunks are read whose greatest value is as
 * large, and larger than what was found by then. A record without a value is not among them.
 *
 * <p>Constant memory: 1 MiB, of which 20 bytes for each record wanted, and the longest jumbo payload met. The records
 * themselves are read again when the cursor comes to them. Not thread-safe.
 */
public final class TopRecords extends Query<TopRecords> {
    /** The most records that can be wanted. */
    public static final int COUNT_MAX = 16_384;

    /** Integers below it are doubles. */
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
                    "records wanted out of range: count=" + count + ", min=1, max=" + COUNT_MAX);
        }
    }

    /**
     * The largest by an index; all indexes of its source with an equal function are used.
     *
     * @throws IllegalArgumentException when its function can't be read, and for a count out of range
     */
    public static TopRecords of(Snapshot snapshot, Index index, int count) {
        return of(snapshot, index.sourceId(), index.function(), count);
    }

    /** The largest by a function, whether there are indexes over it or not; else as of an index. */
    public static TopRecords of(Snapshot snapshot, int sourceId, IndexFunction function, int count) {
        return new TopRecords(snapshot, IndexedFunction.of(sourceId, function), count);
    }

    @Override
    TopRecords self() {
        return this;
    }

    /** Looks for the smallest values instead, smallest first; of equal ones the newest first. */
    public TopRecords smallest() {
        smallest = true;
        return this;
    }

    /** Ranks a key: the other way round when the smallest are looked for. */
    private long rank(long key) {
        return smallest ? ~key : key;
    }

    /** The highest rank of a chunk's values. */
    private long rank(IndexSummary totals) {
        return smallest ? ~totals.minKey() : totals.maxKey();
    }

    /** Finds them. Of a query that its budget ended, they are the largest of what was looked at. */
    public TopCursor open() {
        QueryScope scope = new QueryScope(this);
        try {
            IndexSummaries summaries = indexed.summaries(scope, index -> true);
            KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
            long reached = summaries == null ? Long.MIN_VALUE : reached(scope, summaries, reader);
            RankedRecords best = new RankedRecords(count);
            SourceWalk walk = scope.walk(
                    Order.NEWEST_FIRST, summaries == null ? ChunkDecider.READ_ALL : mayRank(summaries, best, reached));
            PageRecords record = walk.record();
            while (walk.next()) {
                if (reader.read(record.buffer(), record.offset(), record.length())) {
                    best.offer(
                            rank(reader.key()), smallest ? -reader.remainder() : reader.remainder(), record.address());
                }
            }
            best.sort();
            return new TopCursor(scope, best, indexed.function().type(), smallest);
        } catch (Throwable e) {
            scope.close();
            throw e;
        }
    }

    /** A key that as many records as are wanted reach or exceed, as far as summaries tell. */
    private long reached(QueryScope scope, IndexSummaries summaries, KeyReader reader) {
        RankedRecords maxima = new RankedRecords(count);
        SourceWalk walk = scope.walk(Order.NEWEST_FIRST, (chunk, whole) -> {
            if (whole && summaries.read(chunk) && summaries.totals().count() > 0) {
                maxima.offer(rank(summaries.totals()), 0, chunk.start());
            }
            return ChunkUse.DEFERRED;
        });
        PageRecords record = walk.record();
        while (walk.next()) {
            if (reader.read(record.buffer(), record.offset(), record.length())) {
                maxima.offer(rank(reader.key()), 0, record.address());
            }
        }
        return maxima.isFull() ? maxima.leastKey() : Long.MIN_VALUE;
    }

    /** The walk goes to older records, which rank behind those of the same value that are kept. */
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

    /** Whether all values that rank so are equal: not those of integers that doubles stand for. */
    private boolean isExact(long rank) {
        long key = smallest ? ~rank : rank;
        return indexed.function().type() != ValueType.F64 || Math.abs(ValueType.doubleOf(key)) < EXACT_MAX;
    }
}
