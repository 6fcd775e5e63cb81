package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.QueryScope;
import java.util.Objects;
import java.util.function.LongPredicate;

/**
 * The records of one source in a time range (paper, sections 4.3 and 5.1): newest first along the source's chain, or oldest
 * first page by page. With {@link #where}, skips the parts of the log that indexes show to hold no match. Constant memory: 1
 * MiB, and the longest jumbo payload met. Each {@link #open()} or {@link #forEach} is a new scan. Not thread-safe.
 */
public final class RawScan extends Query<RawScan> {
    private Order order = Order.NEWEST_FIRST;
    private AddressRange addresses = AddressRange.ALL;
    private LongPredicate damagedReferences = page -> true;

    private RawScan(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
    }

    public static RawScan of(Snapshot snapshot, Source source) {
        return of(snapshot, source.id());
    }

    /** Scans a source by id; 0 is the store's own source. A source that is not defined has no records; a condition on it is refused. */
    public static RawScan of(Snapshot snapshot, int sourceId) {
        return new RawScan(snapshot, sourceId);
    }

    @Override
    RawScan self() {
        return this;
    }

    /** Default newest first. */
    public RawScan order(Order direction) {
        order = Objects.requireNonNull(direction);
        return this;
    }

    /** Skips records at lower addresses; default 0. */
    public RawScan fromAddress(long address) {
        return addresses(new AddressRange(address, addresses.to()));
    }

    /** Returns only records at these addresses; default all. */
    public RawScan addresses(AddressRange range) {
        addresses = Objects.requireNonNull(range);
        return this;
    }

    /**
     * Which damaged pages, to which references lead, the answer lacks: asked by the address of a page each time that one is met; default all.
     * So scans that follow one another count each of them once.
     */
    public RawScan countDamagedReferences(LongPredicate pages) {
        damagedReferences = Objects.requireNonNull(pages);
        return this;
    }

    @Override
    AddressRange addresses() {
        return addresses;
    }

    /** Starts the scan. */
    public QueryCursor open() {
        return QueryScope.open(terms(), scope -> {
            scope.reader().countLookupDamaged(damagedReferences);
            return new ScanCursor(scope, scope.walk(order, ChunkDecider.READ_ALL), null);
        });
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
