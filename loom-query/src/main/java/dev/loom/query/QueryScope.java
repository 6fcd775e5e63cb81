package dev.loom.query;

import dev.loom.api.Index;
import dev.loom.format.RecordLookup;
import dev.loom.query.Completeness.Limit;
import dev.loom.query.where.PayloadPredicate;
import dev.loom.query.where.WhereExpression;
import dev.loom.read.SnapshotLookup;
import dev.loom.read.SnapshotReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a query: its lease of the snapshot, its limits, its condition, and the work of its walks, which run one after
 * the other. For one thread.
 */
final class QueryScope implements AutoCloseable {
    private final Query<?> query;
    private final SnapshotReader reader;
    private final ScanLimits limits;
    private final WherePlan plan;
    private final SnapshotLookup lookup;
    private final @Nullable PayloadPredicate conditions;
    private final @Nullable PayloadPredicate predicate;
    private final long begin;

    private @Nullable SourceWalk walk;
    private QueryStatistics done = QueryStatistics.NONE;
    private long pagesDamaged;
    private long entriesDamaged;
    private boolean expired;
    private Limit limit = Limit.NONE;
    private boolean closed;

    QueryScope(Query<?> query) {
        this.query = query;
        reader = SnapshotReader.of(query.snapshot());
        try {
            limits = new ScanLimits(query.budget(), query.cancellation(), query.pulse());
            plan = new WherePlan(query, reader);
            lookup = reader.lookup();
            conditions = predicate(query, lookup);
            predicate = inEventRange(query, conditions);
            begin = reader.beginAddress();
            query.memory().reserve(Query.MEMORY_BYTES);
        } catch (Throwable e) {
            reader.close();
            throw e;
        }
    }

    private static @Nullable PayloadPredicate predicate(Query<?> query, RecordLookup lookup) {
        List<WhereExpression> all = query.conditions();
        return switch (all.size()) {
            case 0 -> null;
            case 1 -> all.get(0).bind(query.format(), lookup);
            default -> new WhereExpression.And(all).bind(query.format(), lookup);
        };
    }

    private @Nullable PayloadPredicate inEventRange(Query<?> ofQuery, @Nullable PayloadPredicate others) {
        EventClock clock = ofQuery.eventClock();
        if (clock == null) {
            return others;
        }
        TimeRange range = ofQuery.eventRange();
        EventTimes times = EventTimes.of(clock, this);
        Supplier<TimeRange> window = ofQuery.eventWindow();
        plan.require(chunk -> {
            TimeRange ofChunk = times.of(chunk);
            return range.cover(ofChunk).and(window.get().cover(ofChunk));
        });
        return (buffer, offset, length) -> {
            if (others != null && !others.test(buffer, offset, length)) {
                return false;
            }
            long timeNs = clock.epochNs(lookup, buffer, offset, length);
            return timeNs != EventClock.NONE
                    && range.contains(timeNs)
                    && window.get().contains(timeNs);
        };
    }

    /** Summaries of indexes with equal functions; the plan reports their use. */
    IndexSummaries summaries(List<Index> indexes) {
        return plan.summaries(indexes);
    }

    WherePlan plan() {
        return plan;
    }

    /** Starts a walk over the source's records that meet the time range and the condition; closes the previous walk. */
    SourceWalk walk(Order order, ChunkDecider decider) {
        return walk(order, decider, query.range());
    }

    /** Starts a walk over part of the time range. */
    SourceWalk walk(Order order, ChunkDecider decider, TimeRange range) {
        return begin(order, false, decider, range);
    }

    /** Starts a walk that returns records in batches, in any order within a chunk. */
    SourceWalk batches(Order order, ChunkDecider decider) {
        return begin(order, true, decider, query.range());
    }

    private SourceWalk begin(Order order, boolean inBatches, ChunkDecider decider, TimeRange range) {
        endWalk();
        SourceWalk next = new SourceWalk(this, order, inBatches, decider, range);
        walk = next;
        return next;
    }

    /** Ends the last walk and releases its memory. */
    void endWalk() {
        SourceWalk last = walk;
        if (last != null) {
            last.close();
            done = done.plus(last.statistics());
            pagesDamaged = pagesDamaged();
            entriesDamaged = Math.max(entriesDamaged, last.entriesDamaged());
            expired = isExpired();
            limit = limit();
            walk = null;
        }
    }

    Query<?> query() {
        return query;
    }

    SnapshotReader reader() {
        return reader;
    }

    ScanLimits limits() {
        return limits;
    }

    @Nullable
    PayloadPredicate predicate() {
        return predicate;
    }

    /** Finds the records that the query's records refer to; the walk tells it where it stands. */
    SnapshotLookup lookup() {
        return lookup;
    }

    /** Bytes read by previous walks, of bins, and of records that others refer to. */
    long bytesReadBesides() {
        return done.bytesRead() + bytesReadOfOthers();
    }

    private long bytesReadOfOthers() {
        return lookup.bytesRead() + reader.binBytesRead();
    }

    /** Why the query ended early. */
    Limit limit() {
        SourceWalk current = walk;
        return limit != Limit.NONE || current == null ? limit : current.limit();
    }

    /** Whether records that were passed over may be gone. */
    boolean isExpired() {
        SourceWalk current = walk;
        return expired || (current != null && current.isExpired());
    }

    /** Whether the oldest records were deleted since the query began. */
    boolean hasLostBegin() {
        return reader.beginAddress() > begin;
    }

    private List<String> lines() {
        SourceWalk current = walk;
        long damaged = Math.max(entriesDamaged, current == null ? 0 : current.entriesDamaged());
        if (damaged == 0) {
            return plan.lines();
        }
        List<String> lines = new ArrayList<>(plan.lines());
        lines.add("timestamp index: entries damaged=" + damaged + ", records read instead");
        return lines;
    }

    private long pagesDamaged() {
        SourceWalk current = walk;
        // each walk meets the same damaged pages
        return current == null ? pagesDamaged : Math.max(pagesDamaged, current.pagesDamaged());
    }

    /** The work so far. */
    QueryStatistics statistics(long recordsReturned) {
        SourceWalk current = walk;
        QueryStatistics all = current == null ? done : done.plus(current.statistics());
        QueryStatistics more =
                new QueryStatistics(0, 0, 0, 0, bytesReadOfOthers(), recordsReturned, 0, 0, 0, lines(), fieldsSeen());
        return all.plus(more);
    }

    private Map<String, Boolean> fieldsSeen() {
        return conditions == null ? Map.of() : conditions.fieldsSeen();
    }

    /** What the answer lacks so far. */
    Completeness completeness() {
        // an interrupt that ended the query must not prevent this report
        boolean interrupted = Thread.interrupted();
        try {
            TimeRange range = query.range();
            boolean beginInRange = reader.beginAddress() > 0 && range.fromNs() == Long.MIN_VALUE;
            boolean future = query.snapshot().live() && range.toNs() > reader.lastTimeNs();
            return new Completeness(
                    reader.lost(query.sourceId(), range.fromNs(), range.toNs()),
                    pagesDamaged() + lookup.pagesDamaged(),
                    isExpired() || beginInRange,
                    limit(),
                    future);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            endWalk();
            lookup.close();
            reader.close();
            query.memory().release(Query.MEMORY_BYTES);
        }
    }
}
