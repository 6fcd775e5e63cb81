package dev.loom.query.walk;

import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.plan.RunLimits;
import java.util.concurrent.TimeUnit;

/** Tells when a query has spent its budget or was cancelled. For one thread. */
public final class ScanLimits {
    private final RunLimits limits;
    private final long startNs = System.nanoTime();
    private final long timeMaxNs;

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
        if (bytesRead > limits.budget().bytesReadMax()) {
            return Limit.BYTES;
        }
        return System.nanoTime() - startNs >= timeMaxNs ? Limit.TIME : Limit.NONE;
    }
}
