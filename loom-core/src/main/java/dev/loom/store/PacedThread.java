package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that works beside a session's writer, within a share of a processor, until the session is closed. While the disk fails or
 * memory runs out it retries after pauses that grow to a minute; any other failure ends it.
 */
final class PacedThread implements AutoCloseable {
    private static final long RETRY_NS_MAX = TimeUnit.MINUTES.toNanos(1);

    /** The work after which the thread rests. */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What counts as work of a turn at most: more is a disk that stood still, or a process that was stopped. */
    private static final long WORKED_NS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long AWAIT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** What a thread does, for this thread alone. */
    @FunctionalInterface
    interface Work {
        /**
         * Does some of it, and calls {@link PacedThread#rest()} often.
         *
         * @return whether there may be more right away; if not, the thread waits to be woken, or for its idle time
         */
        boolean run();

        /** Is called after each attempt, once {@link PacedThread#failure()} says how it ended. */
        default void ended() {}
    }

    private final Thread thread;
    private final DoubleSupplier share;
    private final long idleNs;
    private final Work work;
    private long turnBeganNs;
    private volatile boolean cancelled;
    private volatile boolean hurried;
    private volatile @Nullable Throwable failure;

    /**
     * Prepares the thread.
     *
     * @param share of a processor, above 0 to 1, as it is at the moment
     * @param idleNs after which it looks for work, and the first pause before it retries
     */
    PacedThread(String name, DoubleSupplier share, long idleNs, Work work) {
        this.thread = StoreThread.of(name, this::run);
        this.share = share;
        this.idleNs = idleNs;
        this.work = work;
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    /** Looks for work again. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Looks for work again at once, even if it pauses after a failure. */
    void hurry() {
        hurried = true;
        LockSupport.unpark(thread);
    }

    boolean cancelled() {
        return cancelled;
    }

    /** The last attempt's failure, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void run() {
        long retryNs = idleNs;
        while (!cancelled) {
            try {
                hurried = false;
                turnBeganNs = System.nanoTime();
                boolean more = attempt();
                retryNs = idleNs;
                if (!more) {
                    LockSupport.parkNanos(idleNs);
                    Thread.interrupted(); // not meant for this thread, and a pending one would end every park
                }
            } catch (CancellationException e) {
                break; // the session is being closed
            } catch (StoreIoException | VirtualMachineError e) {
                pause(retryNs);
                retryNs = Math.min(2 * retryNs, RETRY_NS_MAX);
            } catch (Throwable e) {
                break;
            }
        }
    }

    private boolean attempt() {
        Throwable failed = null;
        try {
            return work.run();
        } catch (Throwable e) {
            failed = e instanceof CancellationException ? null : e;
            throw e;
        } finally {
            failure = failed;
            work.ended();
        }
    }

    /**
     * Rests after some work. For the thread itself.
     *
     * @throws CancellationException once the session is being closed
     */
    void rest() {
        long workedNs = System.nanoTime() - turnBeganNs;
        if (workedNs >= TURN_NS) {
            pause(restNs(workedNs, share.getAsDouble()));
            turnBeganNs = System.nanoTime();
        }
        if (cancelled) {
            throw new CancellationException();
        }
    }

    /** How long a thread rests after a turn, so that it works within its share of a processor. */
    static long restNs(long workedNs, double share) {
        return (long) (Math.min(workedNs, WORKED_NS_MAX) * (1 / share - 1));
    }

    /**
     * Waits for what the thread was asked for; false if it ends without that, or once the caller gives up. For any other thread, whose
     * interrupt status is kept.
     */
    boolean await(CompletableFuture<Boolean> request, BooleanSupplier giveUp) {
        boolean interrupted = false;
        try {
            while (thread.isAlive() && !giveUp.getAsBoolean()) {
                try {
                    return request.get(AWAIT_NS, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    // looks whether it is still worth waiting
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new AssertionError(e); // none is ever completed so
                }
            }
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void pause(long ns) {
        long end = System.nanoTime() + ns;
        for (long leftNs = ns; leftNs > 0 && !cancelled && !hurried; leftNs = end - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            Thread.interrupted(); // not meant for this thread, and a pending one would end every park
        }
    }

    /** Ends the thread, and waits for its end. */
    @Override
    public void close() {
        cancelled = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
    }
}
