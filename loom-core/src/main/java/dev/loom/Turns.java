package dev.loom;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A lock given in the order in which it is asked for, and given on when the thread that has it ends without giving it back.
 * Reentrant. Usable from any thread.
 */
final class Turns {
    /** How often those who wait look whether the thread that has it still lives; nobody tells of its end. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicReference<@Nullable Thread> holder = new AtomicReference<>();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

    /** Of the holder. */
    private int holds;

    /**
     * Waits for it.
     *
     * @param timeoutNs how long, or less than 0 for ever; in the first case a caller that is interrupted gets none. An interrupt
     *     is kept.
     * @return whether the caller has it
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
                LockSupport.unpark(waiting.peek()); // it may have been given to the caller meanwhile
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

    /** How often the caller has it. */
    int holds() {
        return holder.get() == Thread.currentThread() ? holds : 0;
    }

    /**
     * Gives back what was taken once.
     *
     * @throws IllegalMonitorStateException when the caller has none
     */
    void release() {
        if (holds() == 0) {
            throw new IllegalMonitorStateException("the thread has no turn: thread=" + Thread.currentThread());
        }
        if (--holds == 0) {
            holder.set(null);
            LockSupport.unpark(waiting.peek());
        }
    }
}
