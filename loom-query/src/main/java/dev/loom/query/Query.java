package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.WhereExpression;
import dev.loom.store.StoreSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all operators over one source have in common: a time range, a condition, limits, and which indexes to use. Not
 * thread-safe.
 *
 * @param <Q> the operator
 */
public abstract class Query<Q extends Query<Q>> {
    /** What any operator takes, but for the longest jumbo payload met. */
    static final long MEMORY_BYTES = 1 << 20;

    private final StoreSnapshot snapshot;
    private final int sourceId;
    private final List<WhereExpression> conditions = new ArrayList<>();
    private TimeRange range = TimeRange.ALL;
    private @Nullable EventClock eventClock;
    private TimeRange eventRange = TimeRange.ALL;
    private Supplier<TimeRange> eventWindow = () -> TimeRange.ALL;
    private QueryBudget budget = QueryBudget.UNLIMITED;
    private Cancellation cancellation = new Cancellation();
    private Runnable pulse = () -> {};
    private QueryMemory memory = QueryMemory.UNLIMITED;
    private boolean timeIndex = true;
    private boolean chunkIndex = true;

    Query(Snapshot snapshot, int sourceId) {
        this.snapshot = (StoreSnapshot) Objects.requireNonNull(snapshot);
        this.sourceId = sourceId;
    }

    abstract Q self();

    /** Arrival times; default all. */
    public Q range(TimeRange times) {
        range = Objects.requireNonNull(times);
        return self();
    }

    /**
     * Leaves out records that don't meet an expression over the source's format. Indexes over the fields that it compares
     * tell which parts of the log need not be read for it; they never change the answer. Of several calls all have to be met.
     *
     * @throws IllegalArgumentException for a field that the format doesn't have, or that can't be compared in this way
     */
    public Q where(WhereExpression condition) {
        condition.bind(format());
        conditions.add(condition);
        return self();
    }

    /** Leaves out records whose own time is not in a range, or that have none; an index over such times narrows the search. */
    public Q eventRange(EventClock clock, TimeRange times) {
        eventClock = Objects.requireNonNull(clock);
        eventRange = Objects.requireNonNull(times);
        return self();
    }

    /**
     * Leaves out records of the event range whose time is not in a window either, which may become narrower while the query
     * runs: it is asked for each record, and before a part of the log is read.
     */
    public Q eventWindow(Supplier<TimeRange> window) {
        eventWindow = Objects.requireNonNull(window);
        return self();
    }

    /** Default unlimited. */
    public Q budget(QueryBudget limits) {
        budget = Objects.requireNonNull(limits);
        return self();
    }

    public Q cancellation(Cancellation switchOff) {
        cancellation = Objects.requireNonNull(switchOff);
        return self();
    }

    /** Called now and then by the query's thread, about once a page, between two records. */
    public Q pulse(Runnable onPulse) {
        pulse = Objects.requireNonNull(onPulse);
        return self();
    }

    /** Where the query reserves what it takes, as long as it is open; default unlimited. */
    public Q memory(QueryMemory reservedFrom) {
        memory = Objects.requireNonNull(reservedFrom);
        return self();
    }

    /** Whether to use the timestamp index to find the time range; default yes. Without both indexes every page is read. */
    public Q useTimeIndex(boolean use) {
        timeIndex = use;
        return self();
    }

    /** Whether to use what indexes hold of chunks; default yes. */
    public Q useChunkIndex(boolean use) {
        chunkIndex = use;
        return self();
    }

    /** How the source's payloads read. */
    final PayloadFormat format() {
        return snapshot.sources().stream()
                .filter(source -> source.id() == sourceId)
                .map(Source::format)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("source has no format: id=" + sourceId));
    }

    /** The indexes of the source that may be used. */
    final List<Index> indexes() {
        return chunkIndex ? snapshot.indexes(sourceId) : List.of();
    }

    final StoreSnapshot snapshot() {
        return snapshot;
    }

    final int sourceId() {
        return sourceId;
    }

    final List<WhereExpression> conditions() {
        return conditions;
    }

    final TimeRange range() {
        return range;
    }

    /** Of the event range; null if there is none. */
    final @Nullable EventClock eventClock() {
        return eventClock;
    }

    final TimeRange eventRange() {
        return eventRange;
    }

    final Supplier<TimeRange> eventWindow() {
        return eventWindow;
    }

    final QueryBudget budget() {
        return budget;
    }

    final Cancellation cancellation() {
        return cancellation;
    }

    final Runnable pulse() {
        return pulse;
    }

    final QueryMemory memory() {
        return memory;
    }

    final boolean timeIndex() {
        return timeIndex;
    }

    final boolean chunkIndex() {
        return chunkIndex;
    }

    /** Records at lower addresses are left out. */
    long fromAddress() {
        return 0;
    }
}
