package dev.loom.cli.query;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.QueryOptions;
import dev.loom.query.Completeness;
import dev.loom.query.QueryBudget;
import dev.loom.query.QueryStatistics;
import dev.loom.query.RawScan;
import dev.loom.query.RecordCursor;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The scans of one query, which share its budget and its Ctrl-C, and whose work is summed up. For one
 * thread.
 */
public final class QueryRun {
    private static final int PAUSE_EVERY = 256;
    private static final Completeness COMPLETE = new Completeness(0, 0, false, Completeness.Limit.NONE, false);

    private final Console console;
    private final QueryOptions options;
    private final QueryBudget budget;
    private final long startNs = System.nanoTime();
    private final long startCpuNs = cpuNs();
    private QueryStatistics work = QueryStatistics.NONE;
    private Completeness completeness = COMPLETE;
    private int scans;

    public QueryRun(Console console, QueryOptions options) {
        this.console = console;
        this.options = options;
        this.budget = options.budget();
    }

    /** Takes the records that pass the filter. */
    interface Visitor {
        /** Takes one; false to stop. */
        boolean visit(RecordCursor record);

        /** Called every few hundred records read. */
        default void pause() {}
    }

    /** Scans once. False if the scan was cut short by the budget or by Ctrl-C, and no other should follow. */
    boolean scan(RawScan query, RecordFilter filter, Visitor visitor) {
        RawScan scan = query.useTimeIndex(options.useTimeIndex())
                .budget(budgetLeft())
                .cancellation(console.interruption().cancellation());
        try (RecordCursor cursor = scan.open();
                Progress progress = new Progress(console, "records read", !console.outTerminal())) {
            boolean going = true;
            long read = 0;
            while (going && cursor.next()) {
                if (filter.takes(cursor)) {
                    going = visitor.visit(cursor);
                }
                progress.update(++read);
                if (read % PAUSE_EVERY == 0) {
                    visitor.pause();
                }
            }
            scans++;
            add(cursor.statistics(), cursor.completeness());
            return cursor.completeness().limit() == Completeness.Limit.NONE;
        }
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

    /** Takes note that the time is over. */
    void endByTime() {
        add(QueryStatistics.NONE, new Completeness(0, 0, false, Completeness.Limit.TIME, false));
    }

    private void add(QueryStatistics more, Completeness missing) {
        work = work.plus(more);
        completeness = new Completeness(
                completeness.lost() + missing.lost(),
                completeness.damagedPages() + missing.damagedPages(),
                completeness.expired() || missing.expired(),
                missing.limit(),
                missing.reachesFuture());
    }

    QueryStatistics work() {
        return work;
    }

    /** What the scans lacked, of ranges that don't overlap. */
    Completeness completeness() {
        return completeness;
    }

    int scans() {
        return scans;
    }

    boolean usedTimeIndex() {
        return options.useTimeIndex();
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
