package dev.loom;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A fair lock, granted in the order of the requests. When the holder ends without releasing it, the next thread gets
 * it. Reentrant. Usable from any thread.
 */
final class Turns {
    /** How often waiting threads check that the holder is alive: nothing signals its end. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicReference<@Nullable Thread> holder = new AtomicReference<>();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

    /** How often the holder has acquired it. */
    private int holds;

    /**
     * Waits for the lock.
     *
     * @param timeoutNs the longest wait, or less than 0 to wait for ever. With a limit, an interrupted caller does not
     *     get the lock. The interrupt status is kept either way.
     * @return whether the caller has the lock
     */
    boolean acquire(long timeoutNs) {
        Thread caller = Thread.currentThread();
        if (timeoutNs >= 0 && caller.isInterrupted()) {
            return false;
        }
        if (holder.get() != caller && !(waiting.isEmpty() && takeIfFree(caller)) && !await(caller, timeoutNs)) {
            return false;
        }
        holds++;
        return true;
    }

    private boolean await(Thread caller, long timeoutNs) {
        long start = System.nanoTime();
        boolean interrupted = false;
        boolean taken = false;
        boolean over = false;
        waiting.add(caller);
        try {
            while (!taken && !over) {
                taken = waiting.peek() == caller && takeIfFree(caller);
                if (!taken) {
                    interrupted |= Thread.interrupted();
                    long leftNs = timeoutNs < 0 ? LOOK_NS : timeoutNs - (System.nanoTime() - start);
                    over = leftNs <= 0 || (interrupted && timeoutNs >= 0);
                    if (!over) {
                        LockSupport.parkNanos(this, Math.min(leftNs, LOOK_NS));
                    }
                }
            }
        } finally {
            waiting.remove(caller);
            if (!taken) {
                LockSupport.unpark(waiting.peek()); // the wake-up may have gone to the caller meanwhile
            }
        }
        if (interrupted) {
            caller.interrupt();
        }
        return taken;
    }

    private boolean takeIfFree(Thread caller) {
        Thread last = holder.get();
        boolean free = (last == null || !last.isAlive()) && holder.compareAndSet(last, caller);
        if (free) {
            holds = 0;
        }
        return free;
    }

    /** How often the caller has acquired it; 0 if it is not the holder. */
    int holds() {
        return holder.get() == Thread.currentThread() ? holds : 0;
    }

    /**
     * Undoes one {@link #acquire}.
     *
     * @throws IllegalMonitorStateException when the caller does not have the lock
     */
    void release() {
        if (holds() == 0) {
            throw new IllegalMonitorStateException("thread does not hold the turn: thread=" + Thread.currentThread());
        }
        if (--holds == 0) {
            holder.set(null);
            LockSupport.unpark(waiting.peek());
        }
    }
}
