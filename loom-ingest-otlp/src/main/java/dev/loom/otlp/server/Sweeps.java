package dev.loom.otlp.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Repeats an action from {@link #begin()} on, for as long as there is something to do. A failure of the action ends nothing; if the next
 * one can't be scheduled, as without memory, the next {@link #begin()} does that.
 *
 * <p>Thread-safe.
 */
final class Sweeps {
    private final Supplier<Scheduler> scheduler;
    private final long everyNs;
    private final BooleanSupplier needed;
    private final Runnable action;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile Scheduler.@Nullable Task next;

    /**
     * @param scheduler asked when something is to be scheduled
     * @param needed whether there is something to do
     * @param action called by the scheduler's thread
     */
    Sweeps(Supplier<Scheduler> scheduler, long everyNs, BooleanSupplier needed, Runnable action) {
        this.scheduler = scheduler;
        this.everyNs = everyNs;
        this.needed = needed;
        this.action = action;
    }

    /** Has the action repeated, unless it already is; whether it was not. */
    boolean begin() {
        if (scheduled.get() || !scheduled.compareAndSet(false, true)) {
            return false;
        }
        boolean done = false;
        try {
            next = scheduler.get().schedule(this::sweep, everyNs, TimeUnit.NANOSECONDS);
            done = true;
        } finally {
            if (!done) {
                scheduled.set(false);
            }
        }
        return true;
    }

    private void sweep() {
        try {
            action.run();
        } finally {
            scheduled.set(false);
            if (needed.getAsBoolean()) { // also what came in the meantime, and found it still scheduled
                begin();
            }
        }
    }

    /** Drops the next one, after what was to do has been done. */
    void stop() {
        Scheduler.Task last = next;
        if (last != null) {
            last.cancel();
        }
    }
}
