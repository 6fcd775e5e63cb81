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

/**
 * The scans of one query, which share its budget and its Ctrl-C, and whose work is summed up. For one
 * thread.
 */
public final class QueryRun {
    private static final int PAUSE_EVERY = 256;
    /** A payload, its text, and the text's shorter buffer while that is lengthened. */
    private static final long BYTES_PER_PAYLOAD_BYTE = 4;
    /** Payloads that every operator has room for. */
    private static final int PAYLOAD_LENGTH = 64 << 10;

    private static final Completeness COMPLETE = new Completeness(0, 0, false, Completeness.Limit.NONE, false);

    private final Console console;
    private final QueryOptions options;
    private final QueryBudget budget;
    private final long startNs = System.nanoTime();
    private final long startCpuNs = cpuNs();
    private QueryStatistics work = QueryStatistics.NONE;
    private Completeness completeness = COMPLETE;
    /** Of scans of the range that is covered again. */
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

    /** Notes what was found on the way to the answer, to be told with how it ended. */
    void tell(String name, Object value) {
        told.put(name, value);
    }

    /** What was found on the way to the answer. */
    Map<String, Object> told() {
        return told;
    }

    /** Says how what is known of a source's fields is found, for who names one that no record has. */
    void source(Snapshot snapshot, Source source) {
        hints = field -> SeenFields.of(snapshot, source).hint(field);
    }

    /** What may have been meant by a field that no record has. */
    String hint(String field) {
        return hints.apply(field);
    }

    /** Takes the records that pass the filter. */
    interface Visitor {
        /** Takes one; false to stop. */
        boolean visit(QueryCursor record);

        /** Called every few hundred records read. */
        default void pause() {}
    }

    /** Scans once. False if the scan was cut short by the budget or by Ctrl-C, and no other should follow. */
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

    /** Reserves what printing a long payload takes. */
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

    /** Gives a query what is left of the budget, and the options. */
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

    /** Takes note of what a cursor has done. */
    void add(QueryCursor cursor) {
        add(cursor.statistics(), cursor.completeness());
    }

    private QueryBudget budgetLeft() {
        return new QueryBudget(Math.max(0, budget.bytesReadMax() - work.bytesRead()), timeLeft());
    }

    /** Time that the budget leaves. */
    Duration timeLeft() {
        Duration left = budget.timeMax().minusNanos(System.nanoTime() - startNs);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Takes what the scans so far lacked for nothing, since the next one covers the same range. */
    void forgetMissing() {
        completeness = COMPLETE;
    }

    /** Lets the next scan cover the same range again: what both lack is counted once. */
    void repeat() {
        earlier = completeness();
        completeness = COMPLETE;
    }

    /** Takes note that the time is over. */
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

    /** What the scans lacked, of ranges that don't overlap. */
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
