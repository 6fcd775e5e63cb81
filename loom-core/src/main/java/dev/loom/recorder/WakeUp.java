package dev.loom.recorder;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets the writer's thread sleep until there is work, at the cost of one volatile read for producers.
 *
 * <p>The sleeper announces that it sleeps, and then checks for work. A producer publishes its work by a volatile write,
 * which the claim of room in the ring is, and then checks for a sleeper. One of the two sees the other, because
 * volatile accesses have a total order. No further fence is needed.
 */
final class WakeUp {
    private volatile @Nullable Thread sleeper;
    private volatile @Nullable Thread napper;

    /** Sleeps until woken, unless there is work. May wake spuriously. */
    void sleepUnless(BooleanSupplier work) {
        sleeper = Thread.currentThread();
        if (!work.getAsBoolean()) {
            LockSupport.park(this);
        }
        sleeper = null;
    }

    /** Sleeps for a short time, regardless of new work. */
    void nap(long ns) {
        napper = Thread.currentThread();
        LockSupport.parkNanos(this, ns);
    }

    /** Wakes the sleeper, if any. Call after the volatile write that it must see. */
    void wake() {
        Thread asleep = sleeper;
        if (asleep != null) {
            LockSupport.unpark(asleep);
        }
    }

    /** As {@link #wake}, but ends a nap too. For callers that wait for the writer. */
    void rouse() {
        LockSupport.unpark(napper);
        wake();
    }
}
