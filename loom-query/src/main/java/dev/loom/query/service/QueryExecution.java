package dev.loom.query.service;

import dev.loom.query.Histogram;
import dev.loom.query.Query;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.QueryStatistics;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The scans of one request: they share its budget and its cancellation, and their work is summed up. For one thread. */
final class QueryExecution {
    /** Memory per byte of a payload: the payload, its text, and the text's old buffer while it grows. */
    private static final long BYTES_PER_PAYLOAD_BYTE = 4;

    /** Every operator has room for payloads of this length. */
    private static final int PAYLOAD_LENGTH = 64 << 10;

    private static final Completeness COMPLETE = new Completeness(0, 0, false, Completeness.Limit.NONE, false);

    private final QueryLimits limits;
    private final QueryMemory memory;
    private final BooleanSupplier cancelled;
    private final ResultHandler results;
    private final long startNs = System.nanoTime();
    private QueryStatistics work = QueryStatistics.NONE;
    private Completeness completeness = COMPLETE;

    /** Completeness of the scans before {@link #repeat()}. */
    private Completeness earlier = COMPLETE;

    private int longest = PAYLOAD_LENGTH;
    private long held;
    private int scans;

    QueryExecution(QueryLimits limits, QueryMemory memory, BooleanSupplier cancelled, ResultHandler results) {
        this.limits = limits;
        this.memory = memory;
        this.cancelled = cancelled;
        this.results = results;
    }

    /** Moves to the next record, and makes sure of the memory that a handler needs for it. */
    boolean next(QueryCursor cursor) {
        boolean found = cursor.next();
        if (found) {
            holds(cursor);
        }
        return found;
    }

    /** Reserves the memory for what a handler makes of a long payload. */
    private void holds(QueryCursor record) {
        if (record.length() > longest) {
            long bytes = (record.length() - longest) * BYTES_PER_PAYLOAD_BYTE;
            memory.reserve(bytes);
            held += bytes;
            longest = record.length();
        }
    }

    /** Gives a query the limits and what is left of the budget. */
    <Q extends Query<Q>> Q prepare(Query<Q> query) {
        for (QueryIndex index : QueryIndex.values()) {
            query.use(index, limits.uses(index));
        }
        return query.budget(new QueryBudget(Math.max(0, limits.budget().bytesReadMax() - work.bytesRead()), timeLeft()))
                .memory(memory)
                .cancelWhen(cancelled)
                .pulse(results::onPulse);
    }

    Histogram.Counts count(Histogram query) {
        Histogram.Counts counts = RecordSelection.checked(query::run);
        add(counts.statistics(), counts.completeness());
        return counts;
    }

    QueryMemory memory() {
        return memory;
    }

    boolean cancelled() {
        return cancelled.getAsBoolean();
    }

    /** The time left in the budget. */
    Duration timeLeft() {
        Duration left = limits.budget().timeMax().minusNanos(System.nanoTime() - startNs);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Forgets what the scans so far lacked, because the next one covers the same range. */
    void forgetMissing() {
        completeness = COMPLETE;
    }

    /** Lets the next scan cover the same range; what both lack is counted once. */
    void repeat() {
        earlier = completeness();
        completeness = COMPLETE;
    }

    /** Records that the time limit was reached. */
    void endByTime() {
        scans--;
        add(QueryStatistics.NONE, new Completeness(0, 0, false, Completeness.Limit.TIME, false));
    }

    /** Takes a cancellation for the end, of what has none by itself, so that nothing is missing for it. */
    void endByCancellation() {
        completeness = new Completeness(
                completeness.lost(),
                completeness.damagedPages(),
                completeness.expired(),
                completeness.limit() == Completeness.Limit.CANCELLED ? Completeness.Limit.NONE : completeness.limit(),
                completeness.reachesFuture(),
                completeness.overtaken());
    }

    /** Adds a cursor's work. False if the budget or a cancellation cut it short; then no other scan should follow. */
    boolean add(QueryCursor cursor) {
        Completeness missing = cursor.completeness();
        add(cursor.statistics(), missing);
        return missing.limit() == Completeness.Limit.NONE;
    }

    /** As {@link #add(QueryCursor)}, with another number of lost records than those of the cursor's range. */
    boolean add(QueryCursor cursor, long lost) {
        Completeness missing = cursor.completeness();
        add(
                cursor.statistics(),
                new Completeness(
                        lost,
                        missing.damagedPages(),
                        missing.expired(),
                        missing.limit(),
                        missing.reachesFuture(),
                        missing.overtaken()));
        return missing.limit() == Completeness.Limit.NONE;
    }

    /** As {@link #add(QueryCursor)}, where another scan reports what the range lacks. */
    boolean addAgain(QueryCursor cursor) {
        Completeness missing = cursor.completeness();
        add(cursor.statistics(), new Completeness(0, 0, false, missing.limit(), missing.reachesFuture()));
        return missing.limit() == Completeness.Limit.NONE;
    }

    void add(QueryStatistics more, Completeness missing) {
        scans++;
        work = work.plus(more);
        completeness = new Completeness(
                completeness.lost() + missing.lost(),
                completeness.damagedPages() + missing.damagedPages(),
                completeness.expired() || missing.expired(),
                completeness.limit() == Completeness.Limit.NONE ? missing.limit() : completeness.limit(),
                missing.reachesFuture(),
                completeness.overtaken() || missing.overtaken());
    }

    /** Adds what was learnt without a scan. */
    void addWork(QueryStatistics more, Completeness missing) {
        scans--;
        add(more, missing);
    }

    /** Adds what a part of the range lacks in which there is nothing to find. */
    void addMissing(Completeness missing) {
        boolean reachesFuture = completeness.reachesFuture() || missing.reachesFuture();
        scans--;
        add(
                QueryStatistics.NONE,
                new Completeness(
                        missing.lost(),
                        missing.damagedPages(),
                        missing.expired(),
                        missing.limit(),
                        reachesFuture,
                        missing.overtaken()));
    }

    /** Sets what was lost in the whole range of scans that share it: a loss may reach from one into the next. */
    void lost(long records) {
        completeness = new Completeness(
                records,
                completeness.damagedPages(),
                completeness.expired(),
                completeness.limit(),
                completeness.reachesFuture(),
                completeness.overtaken());
    }

    /** What the scans lacked; their ranges must not overlap, except after {@link #repeat()}. */
    Completeness completeness() {
        return new Completeness(
                Math.max(earlier.lost(), completeness.lost()),
                Math.max(earlier.damagedPages(), completeness.damagedPages()),
                earlier.expired() || completeness.expired(),
                earlier.limit() == Completeness.Limit.NONE ? completeness.limit() : earlier.limit(),
                earlier.reachesFuture() || completeness.reachesFuture(),
                earlier.overtaken() || completeness.overtaken());
    }

    /** Ends the request: what was held for its long payloads is released. */
    QueryReport report(long withoutTime, boolean withoutTimeCounted) {
        memory.release(held);
        held = 0;
        longest = PAYLOAD_LENGTH;
        return new QueryReport(completeness(), work, scans, withoutTime, withoutTimeCounted);
    }
}
