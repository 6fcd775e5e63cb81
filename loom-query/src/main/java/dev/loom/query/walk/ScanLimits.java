package dev.loom.query.walk;

import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.plan.RunLimits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Tells when a query has spent its budget or was cancelled. For one thread. */
public final class ScanLimits {
    private final RunLimits limits;
    private final long startNs = System.nanoTime();
    private final long timeMaxNs;
    /** Bytes that other scans have read of the budget. */
    private long bytesOfOthers;

    public ScanLimits(RunLimits limits) {
        this.limits = limits;
        this.timeMaxNs = TimeUnit.NANOSECONDS.convert(limits.budget().timeMax());
    }

    /** Called once a page. An interrupt of the thread counts as a cancellation, and stays set. */
    public Limit check(long bytesRead) {
        limits.pulse().run();
        if (limits.cancelled().getAsBoolean() || Thread.currentThread().isInterrupted()) {
            return Limit.CANCELLED;
        }
        if (bytesRead + bytesOfOthers > limits.budget().bytesReadMax()) {
            return Limit.BYTES;
        }
        return System.nanoTime() - startNs >= timeMaxNs ? Limit.TIME : Limit.NONE;
    }

    /** Counts bytes that a scan besides those of the query has read of its budget. */
    public void addOther(long bytesRead) {
        bytesOfOthers += bytesRead;
    }

    /** What the query leaves of its budget to another scan; fewer than 0 bytes if it has read more than it may. */
    public QueryBudget left(long bytesRead) {
        return new QueryBudget(
                limits.budget().bytesReadMax() - bytesOfOthers - bytesRead,
                Duration.ofNanos(Math.max(0, timeMaxNs - (System.nanoTime() - startNs))));
    }
}
