package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.WhereExpression;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all operators over one source share: a time range, a condition, limits, and the choice of indexes. Not thread-safe.
 *
 * @param <Q> the operator
 */
public abstract class Query<Q extends Query<Q>> {
    /** The memory of any operator, except for the longest jumbo payload met. */
    static final long MEMORY_BYTES = 1 << 20;

    private final Snapshot snapshot;
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
        this.snapshot = Objects.requireNonNull(snapshot);
        this.sourceId = sourceId;
    }

    abstract Q self();

    /** The range of arrival times; default all. */
    public Q range(TimeRange times) {
        range = Objects.requireNonNull(times);
        return self();
    }

    /**
     * Returns only records that meet an expression over the fields of the source's format. Indexes over these fields show
     * which parts of the log can be skipped; they never change the answer. Several calls are joined by and.
     *
     * @throws IllegalArgumentException if the format lacks a field, or if the field can't be compared in this way
     */
    public Q where(WhereExpression condition) {
        condition.bind(format());
        conditions.add(condition);
        return self();
    }

    /** Returns only records whose own time is in a range; an index over such times narrows the search. */
    public Q eventRange(EventClock clock, TimeRange times) {
        eventClock = Objects.requireNonNull(clock);
        eventRange = Objects.requireNonNull(times);
        return self();
    }

    /**
     * Narrows the event range to a window that may shrink while the query runs. The supplier is called for each record, and
     * before each part of the log is read.
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

    /** Called by the query's thread between two records, about once a page. */
    public Q pulse(Runnable onPulse) {
        pulse = Objects.requireNonNull(onPulse);
        return self();
    }

    /** Where the query reserves its memory while it is open; default unlimited. */
    public Q memory(QueryMemory reservedFrom) {
        memory = Objects.requireNonNull(reservedFrom);
        return self();
    }

    /** Whether to find the time range through the timestamp index; default yes. Without both indexes every page is read. */
    public Q useTimeIndex(boolean use) {
        timeIndex = use;
        return self();
    }

    /** Whether to use what indexes hold about chunks; default yes. */
    public Q useChunkIndex(boolean use) {
        chunkIndex = use;
        return self();
    }

    /** The format of the source's payloads. */
    final PayloadFormat format() {
        return snapshot.sources().stream()
                .filter(source -> source.id() == sourceId)
                .map(Source::format)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("source has no format: id=" + sourceId));
    }

    /** The source's indexes that may be used. */
    final List<Index> indexes() {
        return chunkIndex ? snapshot.indexes(sourceId) : List.of();
    }

    final Snapshot snapshot() {
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

    /** The clock of the event range; null if there is none. */
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

    /** Records at lower addresses are skipped. */
    long fromAddress() {
        return 0;
    }
}
