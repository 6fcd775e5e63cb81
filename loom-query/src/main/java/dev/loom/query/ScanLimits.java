package dev.loom.query;

import dev.loom.query.Completeness.Limit;
import java.util.concurrent.TimeUnit;

/** Tells when a query has spent its budget or was cancelled. For one thread. */
final class ScanLimits {
    private final QueryBudget budget;
    private final Cancellation cancellation;
    private final Runnable pulse;
    private final long startNs = System.nanoTime();
    private final long timeMaxNs;

    /** @param pulse called by each check */
    ScanLimits(QueryBudget budget, Cancellation cancellation, Runnable pulse) {
        this.budget = budget;
        this.cancellation = cancellation;
        this.pulse = pulse;
        this.timeMaxNs = TimeUnit.NANOSECONDS.convert(budget.timeMax());
    }

    /** Called once a page. An interrupt of the thread counts as a cancellation, and stays set. */
    Limit check(long bytesRead) {
        pulse.run();
        if (cancellation.cancelled() || Thread.currentThread().isInterrupted()) {
            return Limit.CANCELLED;
        }
        if (bytesRead > budget.bytesReadMax()) {
            return Limit.BYTES;
        }
        return System.nanoTime() - startNs >= timeMaxNs ? Limit.TIME : Limit.NONE;
    }
}
