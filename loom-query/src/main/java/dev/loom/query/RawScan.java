package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.store.StoreSnapshot;
import java.util.Objects;

/**
 * The records of one source in a time range (paper, sections 4.3 and 5.1): newest first along the source's chain, or
 * oldest first by page. Constant memory: 1 MiB, and the longest jumbo payload met. Each {@link #open()} or {@link
 * #forEach} is a new scan. Not thread-safe.
 */
public final class RawScan {
    private final StoreSnapshot snapshot;
    private final int sourceId;
    private TimeRange range = TimeRange.ALL;
    private Order order = Order.NEWEST_FIRST;
    private QueryBudget budget = QueryBudget.UNLIMITED;
    private Cancellation cancellation = new Cancellation();
    private boolean timeIndex = true;
    private long fromAddress;

    private RawScan(StoreSnapshot snapshot, int sourceId) {
        this.snapshot = snapshot;
        this.sourceId = sourceId;
    }

    public static RawScan of(Snapshot snapshot, Source source) {
        return of(snapshot, source.id());
    }

    /** By id; 0 is the store's own source. */
    public static RawScan of(Snapshot snapshot, int sourceId) {
        return new RawScan((StoreSnapshot) Objects.requireNonNull(snapshot), sourceId);
    }

    /** Arrival times; default all. */
    public RawScan range(TimeRange times) {
        range = Objects.requireNonNull(times);
        return this;
    }

    /** Default newest first. */
    public RawScan order(Order direction) {
        order = Objects.requireNonNull(direction);
        return this;
    }

    /** Default unlimited. */
    public RawScan budget(QueryBudget limits) {
        budget = Objects.requireNonNull(limits);
        return this;
    }

    public RawScan cancellation(Cancellation switchOff) {
        cancellation = Objects.requireNonNull(switchOff);
        return this;
    }

    /** Whether to use the timestamp index; without it every page is read. Default yes. */
    public RawScan useTimeIndex(boolean use) {
        timeIndex = use;
        return this;
    }

    /** Leaves out records at lower addresses; default 0. */
    public RawScan fromAddress(long address) {
        fromAddress = address;
        return this;
    }

    /** Starts the scan. */
    public RecordCursor open() {
        return new RawScanCursor(this);
    }

    /**
     * Calls the handler for each record (paper, Figure 9).
     *
     * @return what the answer lacks
     */
    public Completeness forEach(RecordHandler handler) {
        try (RecordCursor cursor = open()) {
            while (cursor.next()) {
                handler.onRecord(cursor.timeNs(), cursor.buffer(), cursor.offset(), cursor.length());
            }
            return cursor.completeness();
        }
    }

    StoreSnapshot snapshot() {
        return snapshot;
    }

    int sourceId() {
        return sourceId;
    }

    TimeRange range() {
        return range;
    }

    Order order() {
        return order;
    }

    QueryBudget budget() {
        return budget;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    boolean timeIndex() {
        return timeIndex;
    }

    long fromAddress() {
        return fromAddress;
    }
}
