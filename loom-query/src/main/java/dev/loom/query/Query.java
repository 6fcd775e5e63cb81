package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.plan.RunLimits;
import dev.loom.query.where.Where;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all operators over one source share: a time range, a condition, limits, and the choice of indexes. Not thread-safe.
 *
 * @param <Q> the operator
 */
public abstract class Query<Q extends Query<Q>> {
    private static final Duration LENGTH_MAX = Duration.ofNanos(Long.MAX_VALUE);

    private final Snapshot snapshot;
    private final int sourceId;
    private final List<Where> conditions = new ArrayList<>();
    private TimeRange range = TimeRange.ALL;
    private @Nullable EventClock eventClock;
    private TimeRange eventRange = TimeRange.ALL;
    private Supplier<TimeRange> eventWindow = () -> TimeRange.ALL;
    private QueryBudget budget = QueryBudget.UNLIMITED;
    private BooleanSupplier cancelled = () -> false;
    private Runnable pulse = () -> {};
    private QueryMemory memory = QueryMemory.UNLIMITED;
    private final Set<QueryIndex> indexes = EnumSet.allOf(QueryIndex.class);

    Query(Snapshot snapshot, int sourceId) {
        this.snapshot = Objects.requireNonNull(snapshot);
        this.sourceId = sourceId;
    }

    abstract Q self();

    /**
     * A length of time in nanoseconds.
     *
     * @throws IllegalArgumentException if it is negative, or longer than 292 years
     */
    static long checkedNs(String name, Duration length) {
        if (length.isNegative() || length.compareTo(LENGTH_MAX) > 0) {
            throw new IllegalArgumentException(
                    name + " is out of range: length=" + length + ", min=PT0S, max=" + LENGTH_MAX);
        }
        return length.toNanos();
    }

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
    public Q where(Where condition) {
        condition.bind(QueryTerms.format(snapshot, sourceId));
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

    /**
     * Ends the query early, with what it has found, once this is true. The query's thread checks it about once a page. An interrupt
     * of that thread ends the query in the same way, and stays set. {@link dev.loom.query.model.Completeness#limit()} reports both.
     */
    public Q cancelWhen(BooleanSupplier condition) {
        cancelled = Objects.requireNonNull(condition);
        return self();
    }

    /** Called by the query's thread between two records, about once a page. */
    public Q pulse(Runnable onPulse) {
        pulse = Objects.requireNonNull(onPulse);
        return self();
    }

    /**
     * Where the query reserves its memory; default unlimited. Give it a {@link QueryMemory#part()}, and close that once the result is no
     * longer used: {@link Histogram} and {@link ProgressiveCount} keep the memory of their counts reserved. Where there is not enough, running
     * the query throws {@link QueryMemory.Exhausted}.
     */
    public Q memory(QueryMemory reservedFrom) {
        memory = Objects.requireNonNull(reservedFrom);
        return self();
    }

    /** Whether to use an index; default yes. */
    public Q use(QueryIndex index, boolean use) {
        if (use) {
            indexes.add(index);
        } else {
            indexes.remove(index);
        }
        return self();
    }

    /** Sets another query up as this one is; returns it. */
    final <O extends Query<O>> O copyTo(Query<O> other) {
        other.conditions.addAll(conditions);
        other.range = range;
        other.eventClock = eventClock;
        other.eventRange = eventRange;
        other.eventWindow = eventWindow;
        other.budget = budget;
        other.cancelled = cancelled;
        other.pulse = pulse;
        other.memory = memory;
        other.indexes.clear();
        other.indexes.addAll(indexes);
        return other.self();
    }

    /** The query as it is now. */
    final QueryTerms terms() {
        return new QueryTerms(
                snapshot,
                sourceId,
                conditions,
                range,
                addresses(),
                eventClock == null ? null : new EventRange(eventClock, eventRange, eventWindow),
                new RunLimits(budget, cancelled, pulse, memory),
                indexes);
    }

    /** Records at other addresses are skipped. */
    AddressRange addresses() {
        return AddressRange.ALL;
    }
}
