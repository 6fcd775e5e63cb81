package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.schema.SeenFields;
import dev.loom.query.Completeness;
import dev.loom.query.Query;
import dev.loom.query.QueryBudget;
import dev.loom.query.QueryCursor;
import dev.loom.query.QueryStatistics;
import dev.loom.query.RawScan;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The scans of one query: they share its budget and its interruption, and their work is summed up. For one thread. */
public final class QueryRun {
    private static final int PAUSE_EVERY = 256;
    /** Memory per byte of a payload: the payload, its text, and the text's old buffer while it grows. */
    private static final long BYTES_PER_PAYLOAD_BYTE = 4;
    /** Every operator has room for payloads of this length. */
    private static final int PAYLOAD_LENGTH = 64 << 10;

    private static final Completeness COMPLETE = new Completeness(0, 0, false, Completeness.Limit.NONE, false);

    private final Console console;
    private final QueryOptions options;
    private final QueryBudget budget;
    private final long startNs = System.nanoTime();
    private final long startCpuNs = cpuNs();
    private QueryStatistics work = QueryStatistics.NONE;
    private Completeness completeness = COMPLETE;
    /** Completeness of the scans before {@link #repeat()}. */
    private Completeness earlier = COMPLETE;

    private int longest = PAYLOAD_LENGTH;
    private final Map<String, Object> told = new LinkedHashMap<>();
    private UnaryOperator<String> hints = field -> "";
    private int scans;
    private long pages;

    public QueryRun(Console console, QueryOptions options) {
        this.console = console;
        this.options = options;
        this.budget = options.budget();
    }

    /** Notes a finding, to be reported with the outcome. */
    void tell(String name, Object value) {
        told.put(name, value);
    }

    /** The findings to be reported. */
    Map<String, Object> told() {
        return told;
    }

    /** Sets the source whose fields {@link #hint} knows. */
    void source(Snapshot snapshot, Source source) {
        hints = field -> SeenFields.of(snapshot, source).hint(field);
    }

    /** What the user may have meant by a field that no record has. */
    String hint(String field) {
        return hints.apply(field);
    }

    /** Takes the records that pass the filter. */
    interface Visitor {
        /** Takes one record; false to stop. */
        boolean visit(QueryCursor record);

        /** Called every few hundred records. */
        default void pause() {}
    }

    /** Runs one scan. False if the budget or Ctrl-C cut it short; then no other should follow. */
    boolean scan(RawScan query, RecordFilter filter, Visitor visitor) {
        filter.applyTo(query);
        try (Progress progress = progress();
                QueryCursor cursor = prepare(query, progress, visitor::pause).open()) {
            visit(cursor, visitor);
            add(cursor);
            return cursor.completeness().limit() == Completeness.Limit.NONE;
        }
    }

    private void visit(QueryCursor cursor, Visitor visitor) {
        boolean going = true;
        long visited = 0;
        while (going && cursor.next()) {
            holds(cursor);
            going = visitor.visit(cursor);
            if (++visited % PAUSE_EVERY == 0) {
                visitor.pause();
            }
        }
    }

    /** Reserves the memory for printing a long payload. */
    void holds(QueryCursor record) {
        if (record.length() > longest) {
            long more = (record.length() - longest) * BYTES_PER_PAYLOAD_BYTE;
            console.memory().reserve(more);
            longest = record.length();
        }
    }

    Progress progress() {
        return new Progress(console, "pages read", !console.outTerminal());
    }

    /** Gives a query the options and what is left of the budget. */
    <Q extends Query<Q>> Q prepare(Query<Q> query, Progress progress, Runnable pause) {
        return query.useTimeIndex(options.useTimeIndex())
                .useChunkIndex(options.useChunkIndex())
                .budget(budgetLeft())
                .memory(console.memory())
                .cancellation(console.interruption().cancellation())
                .pulse(() -> {
                    progress.updateNow(++pages);
                    pause.run();
                });
    }

    /** Adds a cursor's work. */
    void add(QueryCursor cursor) {
        add(cursor.statistics(), cursor.completeness());
    }

    private QueryBudget budgetLeft() {
        return new QueryBudget(Math.max(0, budget.bytesReadMax() - work.bytesRead()), timeLeft());
    }

    /** The time left in the budget. */
    Duration timeLeft() {
        Duration left = budget.timeMax().minusNanos(System.nanoTime() - startNs);
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

    void add(QueryStatistics more, Completeness missing) {
        scans++;
        work = work.plus(more);
        completeness = new Completeness(
                completeness.lost() + missing.lost(),
                completeness.damagedPages() + missing.damagedPages(),
                completeness.expired() || missing.expired(),
                completeness.limit() == Completeness.Limit.NONE ? missing.limit() : completeness.limit(),
                missing.reachesFuture());
    }

    QueryStatistics work() {
        return work;
    }

    /** What the scans lacked; their ranges must not overlap, except after {@link #repeat()}. */
    Completeness completeness() {
        return new Completeness(
                Math.max(earlier.lost(), completeness.lost()),
                Math.max(earlier.damagedPages(), completeness.damagedPages()),
                earlier.expired() || completeness.expired(),
                earlier.limit() == Completeness.Limit.NONE ? completeness.limit() : earlier.limit(),
                earlier.reachesFuture() || completeness.reachesFuture());
    }

    int scans() {
        return scans;
    }

    boolean usedTimeIndex() {
        return options.useTimeIndex();
    }

    boolean usedChunkIndex() {
        return options.useChunkIndex();
    }

    long wallNs() {
        return System.nanoTime() - startNs;
    }

    /** CPU time of this thread since the query began. */
    long cpuTimeNs() {
        return cpuNs() - startCpuNs;
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
