package dev.loom.recorder;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets the writer's thread sleep until there is something for it, at the price of one volatile read for those who bring it.
 *
 * <p>The sleeper says that it sleeps, and then looks for work; a bringer makes its work known by a volatile write, which the
 * claim of room in the ring is, and then looks whether somebody sleeps. One of the two sees the other, as volatile accesses
 * have one order. No further fence is needed.
 */
final class WakeUp {
    private volatile @Nullable Thread sleeper;
    private volatile @Nullable Thread napper;

    /** Sleeps unless there is work, or until woken, or for no reason. */
    void sleepUnless(BooleanSupplier work) {
        sleeper = Thread.currentThread();
        if (!work.getAsBoolean()) {
            LockSupport.park(this);
        }
        sleeper = null;
    }

    /** Sleeps for a short time, whatever comes. */
    void nap(long ns) {
        napper = Thread.currentThread();
        LockSupport.parkNanos(this, ns);
    }

    /** Wakes the sleeper, if there is one. After a volatile write of what it is to see. */
    void wake() {
        Thread asleep = sleeper;
        if (asleep != null) {
            LockSupport.unpark(asleep);
        }
    }

    /** Ends a nap too. For those who wait themselves. */
    void rouse() {
        LockSupport.unpark(napper);
        wake();
    }
}
