package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import dev.loom.query.correlation.CauseBatch;
import dev.loom.query.correlation.CorrelatedChunks;
import dev.loom.query.correlation.RecordSpan;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one source around those of a cursor, the <em>causes</em> (paper, section 4.3): within a time window around
 * each cause, or during it. Times are arrival times or the records' own times.
 *
 * <p>A cause's window is {@code [time - duration - before, time + after]}; a record covers {@code [time - duration, time]}.
 * They match if they overlap, ends included. Without durations, both durations are 0. A record matches nothing if it lacks a
 * time, or if its duration is absent or negative. This query's condition and time range apply to the records, not to the
 * causes.
 *
 * <p>Causes are processed in batches of up to {@link #CAUSES_AT_A_TIME}, or fewer if memory is short, ordered by the start
 * of their windows; the cursor is read once per batch. For each batch the source is scanned once, oldest arrival first, and
 * only the chunks that may hold a match are read. Those are found through the timestamp index, or through an index over
 * event times; an index over durations, if there is one, says by how much to widen each chunk's times. Each match is
 * returned once per cause, in the order of the causes; with {@link #distinct}, once, with the cause whose window starts
 * first (or, if several do, the one at the lowest address).
 *
 * <p>Bounded memory: 1 MiB in addition to the cursor over the causes, the longest jumbo payload met, and 32 bytes per cause
 * (64 while the batch grows). The batch grows only while the query's {@linkplain #memory memory} has four times as much
 * left. Not thread-safe.
 */
public final class Correlation extends Query<Correlation> {
    /** The most causes in a batch, which takes one pass over the records. */
    public static final int CAUSES_AT_A_TIME = 1 << 19;

    private final Function<QueryBudget, ? extends QueryCursor> causes;
    private int causesAtATime = CAUSES_AT_A_TIME;
    private long beforeNs;
    private long afterNs;
    private @Nullable EventClock causeClock;
    private @Nullable EventClock clock;
    private @Nullable IndexFunction causeDuration;
    private @Nullable IndexFunction duration;
    private boolean causesFromStart;
    private boolean fromStart;
    private boolean distinct;

    private Correlation(Snapshot snapshot, int sourceId, Function<QueryBudget, ? extends QueryCursor> causes) {
        super(snapshot, sourceId);
        this.causes = Objects.requireNonNull(causes);
    }

    /**
     * The records of a source at the times of other records. What is read for causes counts in this query's budget.
     *
     * @param causes opens a cursor over the causes; called once per batch, always for the same causes; each cursor is closed
     */
    public static Correlation of(Snapshot snapshot, int sourceId, Supplier<? extends QueryCursor> causes) {
        Objects.requireNonNull(causes);
        return of(snapshot, sourceId, left -> causes.get());
    }

    /**
     * As {@link #of(Snapshot, int, Supplier)}, with cursors over causes that end where this query's budget does.
     *
     * @param causes opens such a cursor, given what is left of the budget
     */
    public static Correlation of(Snapshot snapshot, int sourceId, Function<QueryBudget, ? extends QueryCursor> causes) {
        return new Correlation(snapshot, sourceId, causes);
    }

    @Override
    Correlation self() {
        return this;
    }

    /**
     * Widens the causes' windows; default 0 on both sides.
     *
     * @param before how long before a cause
     * @param after how long after a cause
     * @throws IllegalArgumentException if one is negative, or longer than 292 years
     */
    public Correlation window(Duration before, Duration after) {
        beforeNs = checkedNs("window before", before);
        afterNs = checkedNs("window after", after);
        return this;
    }

    /** Matches by the records' own times; default arrival times. */
    public Correlation eventTime(EventClock ofCauses, EventClock ofRecords) {
        causeClock = Objects.requireNonNull(ofCauses);
        clock = Objects.requireNonNull(ofRecords);
        return this;
    }

    /**
     * Gives causes and records durations, which end at their times or, with {@link #fromStart}, start there; default none.
     *
     * @param ofCauses durations of causes, in the function's unit, or in nanoseconds if it has none
     * @param ofRecords durations of records, in the function's unit, or in nanoseconds if it has none
     * @throws IllegalArgumentException if a function can't be read
     */
    public Correlation durations(IndexFunction ofCauses, IndexFunction ofRecords) {
        if (!ofCauses.isReadable() || !ofRecords.isReadable()) {
            throw new IllegalArgumentException(
                    "duration function has no reader: causes=" + ofCauses.text() + ", records=" + ofRecords.text());
        }
        causeDuration = ofCauses;
        duration = ofRecords;
        return this;
    }

    /** Declares which times are starts of durations; by default both are ends. */
    public Correlation fromStart(boolean ofCauses, boolean ofRecords) {
        causesFromStart = ofCauses;
        fromStart = ofRecords;
        return this;
    }

    /** Whether to return each match only once. */
    public Correlation distinct(boolean once) {
        distinct = once;
        return this;
    }

    /** For tests, which have fewer causes. */
    Correlation causesAtATime(int count) {
        causesAtATime = count;
        return this;
    }

    /** Starts the search. */
    public Cursor open() {
        return QueryScope.open(terms(), scope -> new Cursor(this, scope));
    }

    QueryCursor causes(QueryBudget left) {
        return causes.apply(left);
    }

    int causesAtATime() {
        return causesAtATime;
    }

    long beforeNs() {
        return beforeNs;
    }

    long afterNs() {
        return afterNs;
    }

    boolean distinct() {
        return distinct;
    }

    RecordSpan causeSpan(RecordLookup lookup) {
        return new RecordSpan(causeClock, causeDuration, causesFromStart, lookup);
    }

    RecordSpan span(RecordLookup lookup) {
        return new RecordSpan(clock, duration, fromStart, lookup);
    }

    boolean fromStart() {
        return fromStart;
    }

    @Nullable
    EventClock clock() {
        return clock;
    }

    @Nullable
    IndexFunction duration() {
        return duration;
    }

    /** The matches of a {@link Correlation}: each record with one of its causes. For one thread. */
    public static final class Cursor implements QueryCursor {
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

        Cursor(Correlation query, QueryScope scope) {
            this.query = query;
            this.scope = scope;
            this.batch = new CauseBatch(query.terms().limits().memory(), query.causesAtATime());
            this.span = query.span(scope.lookup());
            this.decider =
                    new CorrelatedChunks(scope.plan(), query.clock(), query.duration(), query.fromStart(), batch);
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
            return batch.next(0, span.startNs(), span.endNs());
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
            long without = 0;
            long seen = 0;
            try (QueryCursor causes =
                    query.causes(scope.limits().left(scope.statistics(0).bytesRead()))) {
                while (causes.next()) {
                    seen++;
                    if (causeSpan.read(
                            causes.address(), causes.timeNs(), causes.buffer(), causes.offset(), causes.length())) {
                        batch.offer(
                                RecordSpan.minus(causeSpan.startNs(), query.beforeNs()),
                                RecordSpan.minus(causeSpan.endNs(), -query.afterNs()),
                                causes.address());
                    } else {
                        without++;
                    }
                }
                // a budget that is used up here ends the match at its first page
                scope.limits().addOther(causes.statistics().bytesRead());
                causesWork = causesWork.plus(causes.statistics());
                causesLack = causes.completeness();
            }
            // that of a later batch may have been cut short
            causesSeen = Math.max(causesSeen, seen);
            causesWithoutSpan = Math.max(causesWithoutSpan, without);
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
}
