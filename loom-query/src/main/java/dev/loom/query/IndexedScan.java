package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.KeyRange;
import dev.loom.query.plan.KeyRanges;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.QueryScope;
import dev.loom.value.KeyReader;
import java.util.List;
import java.util.Objects;

/**
 * The records of one source in a time range whose indexed value is in a range (paper, sections 4.3 and 5.1). Reads only
 * chunks that may hold such a value according to their minimum and maximum, or to their bins where those don't decide, and
 * chunks without a summary. Constant memory: 1 MiB, the edges of the bins if there are more than 8 Ki, and the longest jumbo
 * payload met. Each {@link #open()} or {@link #forEach} is a new scan. Not thread-safe.
 */
public final class IndexedScan extends Query<IndexedScan> {
    private final IndexedFunction indexed;
    private ValueRange values = ValueRange.ALL;
    private Order order = Order.NEWEST_FIRST;
    private AddressRange addresses = AddressRange.ALL;

    private IndexedScan(Snapshot snapshot, IndexedFunction indexed) {
        super(snapshot, indexed.sourceId());
        this.indexed = indexed;
    }

    /**
     * A scan over an index; uses all indexes of the source with an equal function.
     *
     * @throws IllegalArgumentException if the function can't be read; {@link Index#supply} provides one that can
     */
    public static IndexedScan of(Snapshot snapshot, Index index) {
        return of(snapshot, index.sourceId(), index.function());
    }

    /**
     * A scan of any function over a source; uses all indexes with an equal function, if there are any.
     *
     * @throws IllegalArgumentException if the function can't be read
     */
    public static IndexedScan of(Snapshot snapshot, int sourceId, IndexFunction function) {
        return new IndexedScan(snapshot, IndexedFunction.of(sourceId, function));
    }

    @Override
    IndexedScan self() {
        return this;
    }

    /** Returns only records with a value in this range; default all values. A record without a value is in no range. */
    public IndexedScan values(ValueRange range) {
        values = Objects.requireNonNull(range);
        return this;
    }

    /** Default newest first. */
    public IndexedScan order(Order direction) {
        order = Objects.requireNonNull(direction);
        return this;
    }

    /** Returns only records at these addresses; default all. */
    public IndexedScan addresses(AddressRange range) {
        addresses = Objects.requireNonNull(range);
        return this;
    }

    @Override
    AddressRange addresses() {
        return addresses;
    }

    /** Starts the scan. */
    public QueryCursor open() {
        return QueryScope.open(terms(), this::cursor);
    }

    private ScanCursor cursor(QueryScope scope) {
        ValueRange wanted = values;
        KeyRange range = KeyRange.of(wanted, indexed.function().type());
        KeyRanges keys = KeyRanges.of(List.of(range));
        KeyReader reader = new KeyReader(indexed.function(), scope.lookup());
        IndexSummaries summaries = indexed.summaries(scope.plan(), index -> true);
        scope.plan().requireValues(indexed.function(), summaries, keys);
        return new ScanCursor(
                scope,
                scope.walk(order, ChunkDecider.READ_ALL),
                record -> reader.read(record.buffer(), record.offset(), record.length())
                        && contains(wanted, range, reader));
    }

    /** Whether the value that a reader has read is in a range with these keys. */
    private static boolean contains(ValueRange wanted, KeyRange keys, KeyReader read) {
        return read.remainder() == 0
                ? keys.contains(read.key())
                : wanted.contains(new Value(read.type(), read.key(), read.remainder()).toBigDecimal());
    }

    /**
     * Calls the handler for each record (paper, Figure 9).
     *
     * @return what the answer lacks
     */
    public Completeness forEach(QueryCursor.RecordHandler handler) {
        try (QueryCursor cursor = open()) {
            return cursor.forEach(handler);
        }
    }
}
