package dev.loom.query.walk;

import dev.loom.format.RecordLookup;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.where.Where;
import dev.loom.read.SnapshotReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run of a query: its lease of the snapshot, its limits, its condition, and the work of its walks, which run one after
 * the other. For one thread.
 */
public final class QueryScope implements AutoCloseable {
    /** The memory of any operator, except for the longest jumbo payload met. */
    public static final long MEMORY_BYTES = 1 << 20;

    private final QueryTerms terms;
    private final SnapshotReader reader;
    private final RecordLookup lookup;
    private final WherePlan plan;
    private final ScanLimits limits;
    private final Where.@Nullable Predicate conditions;
    private final WalkContext context;

    private @Nullable SourceWalk walk;
    private QueryStatistics done = QueryStatistics.NONE;
    private boolean disjoint;
    private long pagesDamaged;
    private long entriesDamaged;
    private long pagesExpired;
    private Limit limit = Limit.NONE;
    private boolean closed;

    public QueryScope(QueryTerms terms) {
        this.terms = terms;
        reader = SnapshotReader.of(terms.snapshot());
        try {
            limits = new ScanLimits(terms.limits());
            plan = new WherePlan(terms, reader);
            lookup = reader.lookup();
            conditions = conditions(terms, lookup);
            context = new WalkContext(
                    terms,
                    reader,
                    lookup,
                    plan,
                    limits,
                    predicate(terms, plan, lookup, conditions),
                    conditions == null ? 0 : conditions.operands());
            terms.limits().memory().reserve(MEMORY_BYTES);
        } catch (Throwable e) {
            reader.close();
            throw e;
        }
    }

    /** Opens what runs in a scope of its own, and closes the scope if that fails. */
    public static <C> C open(QueryTerms terms, Function<QueryScope, C> opening) {
        QueryScope scope = new QueryScope(terms);
        try {
            return opening.apply(scope);
        } catch (RuntimeException | Error e) {
            scope.close();
            throw e;
        }
    }

    private static Where.@Nullable Predicate conditions(QueryTerms terms, RecordLookup lookup) {
        List<Where> all = terms.conditions();
        return switch (all.size()) {
            case 0 -> null;
            case 1 -> all.get(0).bind(terms.format(), lookup);
            default -> new Where.And(all).bind(terms.format(), lookup);
        };
    }

    /** The conditions and the event range; the plan learns what indexes know of the latter. */
    private static Where.@Nullable Predicate predicate(
            QueryTerms terms, WherePlan plan, RecordLookup lookup, Where.@Nullable Predicate conditions) {
        EventRange range = terms.eventRange();
        if (range == null) {
            return conditions;
        }
        EventTimes times = EventTimes.of(range.clock(), plan);
        plan.require(chunk -> range.cover(times.of(chunk)));
        return (buffer, offset, length) -> (conditions == null || conditions.test(buffer, offset, length))
                && range.contains(range.clock().epochNs(lookup, buffer, offset, length));
    }

    /** How indexes are used. */
    public WherePlan plan() {
        return plan;
    }

    /** Starts a walk over the source's records that meet the time range and the condition; closes the previous walk. */
    public SourceWalk walk(Order order, ChunkDecider decider) {
        return walk(order, decider, terms.range());
    }

    /** Starts a walk over part of the time range. */
    public SourceWalk walk(Order order, ChunkDecider decider, TimeRange range) {
        return begin(order, false, decider, range);
    }

    /** Starts a walk that returns records in batches, in any order within a chunk. */
    public SourceWalk batches(Order order, ChunkDecider decider) {
        return begin(order, true, decider, terms.range());
    }

    private SourceWalk begin(Order order, boolean inBatches, ChunkDecider decider, TimeRange range) {
        endWalk();
        SourceWalk next = new SourceWalk(context, done.bytesRead(), order, inBatches, decider, range);
        walk = next;
        return next;
    }

    /** Declares that no walk reads what another one has read. */
    public void walksAreDisjoint() {
        disjoint = true;
    }

    /** Ends the last walk and releases its memory. */
    public void endWalk() {
        SourceWalk last = walk;
        if (last != null) {
            last.close();
            done = done.plus(last.statistics());
            pagesDamaged = pagesDamaged();
            entriesDamaged = Math.max(entriesDamaged, last.entriesDamaged());
            pagesExpired = pagesExpired();
            limit = limit();
            walk = null;
        }
    }

    /** What the query asks. */
    public QueryTerms terms() {
        return terms;
    }

    public SnapshotReader reader() {
        return reader;
    }

    public ScanLimits limits() {
        return limits;
    }

    /** Finds the records that the query's records refer to; the walk sets where it stands. */
    public RecordLookup lookup() {
        return lookup;
    }

    /** Bytes read by previous walks, of bins, and of records that others refer to. */
    public long bytesReadBesides() {
        return done.bytesRead() + reader.bytesReadBesides();
    }

    /** Why the query ended early. */
    public Limit limit() {
        SourceWalk current = walk;
        return limit != Limit.NONE || current == null ? limit : current.limit();
    }

    /** Looks, between walks, whether the query was cancelled, which {@link #limit()} tells from then on. */
    public boolean isCancelled() {
        if (limits.check(done.bytesRead()) == Limit.CANCELLED) {
            limit = Limit.CANCELLED;
        }
        return limit() == Limit.CANCELLED;
    }

    /** Pages that were deleted before a walk reached them. */
    public long pagesExpired() {
        SourceWalk current = walk;
        return pagesExpired + (current == null ? 0 : current.pagesExpired());
    }

    /** Whether records that were passed over may be gone. */
    public boolean isExpired() {
        return pagesExpired() > 0;
    }

    /** Whether retention deleted records of the range, or may have. */
    public boolean hasDeleted() {
        return terms.addresses().from() < reader.beginAddress()
                && reader.hasDeleted(terms.sourceId(), terms.range().fromNs());
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
        long more = current == null ? 0 : current.pagesDamaged();
        // walks over the same parts meet the same damaged pages
        return disjoint ? pagesDamaged + more : Math.max(pagesDamaged, more);
    }

    /** Damaged pages so far, those of records that others refer to among them. */
    public long damaged() {
        return pagesDamaged() + reader.lookupPagesDamaged();
    }

    /** The work so far. */
    public QueryStatistics statistics(long recordsReturned) {
        SourceWalk current = walk;
        QueryStatistics all = current == null ? done : done.plus(current.statistics());
        QueryStatistics more = new QueryStatistics(
                0, 0, 0, 0, 0, reader.bytesReadBesides(), recordsReturned, 0, 0, 0, 0, lines(), fieldsSeen());
        return all.plus(more);
    }

    private Map<String, Boolean> fieldsSeen() {
        return conditions == null ? Map.of() : conditions.fieldsSeen();
    }

    /** What the answer lacks so far. */
    public Completeness completeness() {
        // an interrupt that ended the query must not prevent this report
        boolean interrupted = Thread.interrupted();
        try {
            TimeRange range = terms.range();
            boolean future = terms.snapshot().live() && range.toNs() > reader.lastTimeNs();
            return new Completeness(
                    reader.lost(terms.sourceId(), range.fromNs(), range.toNs()),
                    damaged(),
                    isExpired() || hasDeleted(),
                    limit(),
                    future,
                    isExpired());
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
            try {
                endWalk();
            } finally {
                terms.limits().memory().release(MEMORY_BYTES);
                reader.close();
            }
        }
    }
}
