package dev.loom.cli.importing;

import dev.loom.cli.console.Interruption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Delays records so that they are as far apart in time as their event times. For one thread. */
final class Pacer {
    private static final long PARK_MAX_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final double speed;
    private final LongSupplier nanoClock;
    private final Interruption interruption;
    private boolean begun;
    private long firstEventNs;
    private long firstNs;

    /** The first record awaited sets the start; a {@code speed} of 2 replays twice as fast. */
    Pacer(double speed, LongSupplier nanoClock, Interruption interruption) {
        this.speed = speed;
        this.nanoClock = nanoClock;
        this.interruption = interruption;
    }

    /**
     * Returns when the record is due; runs {@code beforeWaiting} first if it has to wait.
     *
     * @return false if an interruption ended the wait before
     */
    boolean await(long eventNs, Runnable beforeWaiting) {
        long nowNs = nanoClock.getAsLong();
        if (!begun) {
            begun = true;
            firstEventNs = eventNs;
            firstNs = nowNs;
        }
        long dueNs = firstNs + (long) ((eventNs - firstEventNs) / speed);
        if (dueNs - nowNs > 0) {
            beforeWaiting.run();
            while (dueNs - nowNs > 0 && !interruption.requested()) {
                LockSupport.parkNanos(Math.min(dueNs - nowNs, PARK_MAX_NS));
                nowNs = nanoClock.getAsLong();
            }
        }
        return dueNs - nowNs <= 0;
    }
}
