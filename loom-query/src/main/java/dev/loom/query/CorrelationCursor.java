package dev.loom.query;

import dev.loom.query.correlation.CauseBatch;
import dev.loom.query.correlation.CorrelatedChunks;
import dev.loom.query.correlation.RecordSpan;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The matches of a {@link Correlation}: each record with one of its causes. For one thread. */
public final class CorrelationCursor implements QueryCursor {
    private static final int NO_CAUSE = -1;

    private final Correlation query;
    private final RecordSpan span;
    private final CauseBatch batch;
    private final QueryScope scope;
    private final CorrelatedChunks decider;

    private @Nullable SourceWalk walk;
    private int cause = NO_CAUSE;
    private long returned;
    private long causesSeen;
    private long causesWithoutSpan;
    private long recordsWithoutSpan;
    private QueryStatistics causesWork = QueryStatistics.NONE;
    private Completeness causesLack = Completeness.WHOLE;
    private boolean done;
    private boolean closed;

    CorrelationCursor(Correlation query, QueryScope scope) {
        this.query = query;
        this.scope = scope;
        this.batch = new CauseBatch(query.terms().limits().memory(), query.causesAtATime());
        this.span = query.span(scope.lookup());
        this.decider = new CorrelatedChunks(scope.plan(), query.clock(), query.duration(), query.fromStart(), batch);
    }

    @Override
    public boolean next() {
        if (closed) {
            throw new IllegalStateException("cursor is closed");
        }
        if (cause != NO_CAUSE && !query.distinct()) {
            cause = batch.next(cause + 1, span.startNs(), span.endNs());
        } else {
            cause = NO_CAUSE;
        }
        while (cause == NO_CAUSE && !done) {
            SourceWalk current = walk;
            if (current != null && current.next()) {
                cause = match(current.record());
            } else if (current != null && (current.limit() != Limit.NONE || !batch.hasMore())) {
                done = true;
            } else {
                beginBatch();
            }
        }
        returned += cause == NO_CAUSE ? 0 : 1;
        return cause != NO_CAUSE;
    }

    private int match(StoredRecord record) {
        if (!span.read(record.address(), record.timeNs(), record.buffer(), record.offset(), record.length())) {
            recordsWithoutSpan++;
            return NO_CAUSE;
        }
        if (query.distinct() && batch.touchedBefore(span.startNs())) {
            return NO_CAUSE;
        }
        return batch.next(batch.firstEndingFrom(span.startNs()), span.startNs(), span.endNs());
    }

    private void beginBatch() {
        batch.beginNext();
        takeCauses();
        batch.sort();
        if (batch.isEmpty()) {
            done = true;
            return;
        }
        recordsWithoutSpan = 0;
        walk = scope.walk(Order.OLDEST_FIRST, decider, scope.terms().range().and(arrivals()));
    }

    /** The arrival times that a match of this batch can have. */
    private TimeRange arrivals() {
        if (query.clock() != null) {
            return TimeRange.ALL;
        }
        boolean spans = query.duration() != null;
        return TimeRange.closed(
                spans && query.fromStart() ? Long.MIN_VALUE : batch.earliestStart(),
                spans && !query.fromStart() ? Long.MAX_VALUE : batch.latestEnd());
    }

    private void takeCauses() {
        RecordSpan causeSpan = query.causeSpan(scope.lookup());
        causesWithoutSpan = 0;
        causesSeen = 0;
        try (QueryCursor causes = query.causes().get()) {
            while (causes.next()) {
                causesSeen++;
                if (causeSpan.read(
                        causes.address(), causes.timeNs(), causes.buffer(), causes.offset(), causes.length())) {
                    batch.offer(
                            RecordSpan.minus(causeSpan.startNs(), query.beforeNs()),
                            RecordSpan.minus(causeSpan.endNs(), -query.afterNs()),
                            causes.address());
                } else {
                    causesWithoutSpan++;
                }
            }
            causesWork = causesWork.plus(causes.statistics());
            causesLack = causes.completeness();
        }
    }

    /** The address of the cause that the record matches. */
    public long causeAddress() {
        checkOnRecord();
        return batch.address(cause);
    }

    /** The number of causes so far. */
    public long causes() {
        return causesSeen;
    }

    /** The number of causes so far that match nothing, as they lack a time or a duration. */
    public long causesWithoutSpan() {
        return causesWithoutSpan;
    }

    /** The number of records so far that match nothing, as they lack a time or a duration. */
    public long recordsWithoutSpan() {
        return recordsWithoutSpan;
    }

    private StoredRecord checkOnRecord() {
        SourceWalk current = walk;
        if (cause == NO_CAUSE || current == null || closed) {
            throw new IllegalStateException("cursor is not on a record");
        }
        return current.record();
    }

    @Override
    public long address() {
        return checkOnRecord().address();
    }

    @Override
    public long timeNs() {
        return checkOnRecord().timeNs();
    }

    /** The time by which the record matched: its own or its arrival time. */
    public long matchedTimeNs() {
        checkOnRecord();
        return span.timeNs();
    }

    @Override
    public int sourceId() {
        return checkOnRecord().sourceId();
    }

    @Override
    public DirectBuffer buffer() {
        return checkOnRecord().buffer();
    }

    @Override
    public int offset() {
        return checkOnRecord().offset();
    }

    @Override
    public int length() {
        return checkOnRecord().length();
    }

    /** The work on causes and records; causes don't count as records returned. */
    @Override
    public QueryStatistics statistics() {
        return scope.statistics(returned).plus(causesWork.withoutRecords());
    }

    @Override
    public Completeness completeness() {
        if (closed) {
            throw new IllegalStateException("cursor is closed");
        }
        return scope.completeness().and(causesLack);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            batch.close();
            scope.close();
        }
    }
}
