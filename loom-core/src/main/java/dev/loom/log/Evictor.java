package dev.loom.log;

import dev.loom.error.StoreFencedException;
import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that takes sealed pages of all logs to their segment files, and makes them durable in time.
 *
 * <p>A write that fails is tried again until it succeeds: the pages stay in the ring meanwhile, and the writer feels it as
 * back-pressure. A sync that fails is not just tried again, because the next one would succeed without the data: first all
 * that is not durable is written again. Until that succeeds nothing is declared durable, and {@link #force()} fails.
 *
 * <p>Whatever fails, and be it memory, the thread goes on, until it is closed or the store is another writer's: pages that were not taken are taken by a later step. Taking them
 * allocates nothing, so that it goes on while the heap is full.
 */
public final class Evictor implements Runnable, AutoCloseable {
    private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long BUSY_PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long SYNC_PAUSE_NS_MAX = TimeUnit.MINUTES.toNanos(1);
    private static final long RETRY_PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Stands for a failure that there was no memory to describe. */
    private final StoreIoException noMemory = new StoreIoException("the evictor has failed: reason=out of memory");

    private final EvictedLog[] logs;
    private final long[] durable;
    private final Durability durability;
    private final long intervalNs;
    private final long bytesMax;
    private final Thread thread;
    private final Object pause = new Object();

    private volatile boolean closing;
    private volatile boolean idle;
    private volatile boolean pressed;
    private volatile long forceRequested;
    private volatile long forceAnswered;
    private volatile @Nullable StoreFencedException fenced;
    private volatile @Nullable StoreIoException forceFailure;
    private volatile @Nullable StoreIoException writeFailure;
    private volatile @Nullable StoreIoException syncFailure;
    private final AtomicLong writeFailures = new AtomicLong();
    private long durableAtNs;
    private long pauseNs;
    private long tickAtNs;
    private long ticket;

    private Evictor(EvictedLog[] logs, Durability durability, long intervalNs, long bytesMax) {
        this.logs = logs;
        this.durable = new long[logs.length];
        this.durability = durability;
        this.intervalNs = intervalNs;
        this.pauseNs = intervalNs;
        this.bytesMax = bytesMax;
        this.thread = StoreThread.of("loom-evictor", this);
    }

    /** A log together with the writer of its segment files, which the evictor will own. */
    public record Assignment(HybridLog log, SegmentWriter writer) {}

    /**
     * Makes it; {@link #start()} starts the thread.
     *
     * @param intervalNs how long evicted pages may wait to be made durable
     * @param bytesMax how many bytes of them may wait
     */
    public static Evictor create(
            List<Assignment> assignments, long storeId, Durability durability, long intervalNs, long bytesMax) {
        EvictedLog[] logs = assignments.stream()
                .map(assignment -> new EvictedLog(assignment.log(), storeId, assignment.writer()))
                .toArray(EvictedLog[]::new);
        return new Evictor(logs, durability, intervalNs, bytesMax);
    }

    public void start() {
        thread.start();
    }

    /** Tells that pages were sealed. Called by the writer's thread, once a page. */
    public void onSealed() {
        if (idle && runWaiting()) {
            LockSupport.unpark(thread);
        }
    }

    /** Tells that the writer waits for room: short runs are worth a write too. Called by the writer's thread. */
    public void onPressure() {
        pressed = true;
        LockSupport.unpark(thread);
    }

    private boolean runWaiting() {
        for (EvictedLog log : logs) {
            if (log.runWaiting()) {
                return true;
            }
        }
        return false;
    }

    /** The failure that keeps pages from being written now, or null. */
    public @Nullable StoreIoException writeFailure() {
        return writeFailure;
    }

    /** The failure that keeps pages from being declared durable now, or null. */
    public @Nullable StoreIoException syncFailure() {
        return syncFailure;
    }

    /** How many writes failed so far. */
    public long writeFailures() {
        return writeFailures.get();
    }

    /**
     * Fails when the thread has ended, so that nobody waits for it: it was closed, or the store is another writer's now.
     *
     * @throws StoreFencedException in the second case
     */
    public void checkAlive() {
        checkNotFenced();
        if (closing && !thread.isAlive()) {
            throw new StoreIoException("the evictor has ended: the store is closed");
        }
    }

    private void checkNotFenced() {
        StoreFencedException cause = fenced;
        if (cause != null) {
            throw new StoreFencedException(String.valueOf(cause.getMessage()), cause);
        }
    }

    /**
     * Makes everything durable that was sealed before the call, and returns when it is.
     *
     * @throws StoreIoException when it can't be
     */
    public void force() {
        long asked = request();
        boolean interrupted = false;
        while (forceAnswered < asked && thread.isAlive()) {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(BUSY_PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (forceAnswered < asked) {
            checkAlive();
        }
        checkForced(forceFailure);
        checkForced(syncFailure);
    }

    private synchronized long request() {
        return ++forceRequested;
    }

    private static void checkForced(@Nullable StoreIoException failure) {
        if (failure != null) {
            throw new StoreIoException("records can't be made durable: " + failure.getMessage(), failure);
        }
    }

    @Override
    public void run() {
        durableAtNs = System.nanoTime();
        tickAtNs = durableAtNs;
        while (fenced == null && !(closing && drained())) {
            try {
                if (!pausableStep()) {
                    park();
                }
            } catch (StoreFencedException e) {
                fenced = e;
            } catch (Throwable e) {
                fail(e);
                LockSupport.parkNanos(RETRY_PARK_NS);
            }
        }
        for (EvictedLog log : logs) {
            try {
                log.close();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    /** Of a step, at any place; what it has not done, a later one does. */
    private void fail(Throwable cause) {
        StoreIoException failure = failureOf(cause);
        writeFailure = failure;
        writeFailures.incrementAndGet();
        answer(failure);
    }

    private StoreIoException failureOf(Throwable cause) {
        if (cause instanceof StoreIoException failure) {
            return failure;
        }
        try {
            return new StoreIoException("the evictor has failed: reason=" + cause, cause);
        } catch (VirtualMachineError e) {
            return noMemory;
        }
    }

    private boolean pausableStep() {
        synchronized (pause) {
            return step();
        }
    }

    /** Does something while this thread writes nothing; it is waited for what it is at. Not of the thread itself, or by it. */
    public void whilePaused(Runnable action) {
        synchronized (pause) {
            action.run();
        }
    }

    /** Goes on in the rings to which the logs were moved. While it is paused. */
    public void moved() {
        for (EvictedLog log : logs) {
            log.moved();
        }
    }

    private boolean drained() {
        return forceAnswered == forceRequested && (writeFailure != null || !anyPending());
    }

    private boolean anyPending() {
        for (EvictedLog log : logs) {
            if (log.pending() != 0) {
                return true;
            }
        }
        return false;
    }

    private boolean step() {
        Thread.interrupted(); // nobody is meant by it, and no park would last
        long now = System.nanoTime();
        ticket = forceRequested;
        boolean forced = ticket != forceAnswered;
        boolean due = now - durableAtNs >= pauseNs || (syncFailure == null && undurable() >= bytesMax);
        boolean all = forced || due || pressed;
        pressed = false;
        boolean progressed = evict(all);
        boolean forcedPagesWritten = forced && !progressed && writeFailure == null;
        if (due || forcedPagesWritten) {
            makeDurable();
            durableAtNs = System.nanoTime();
            tickAtNs = durableAtNs; // it has ticked: an idle thread is to wake once for both
        } else if (now - tickAtNs >= TICK_NS) {
            tickAtNs = now;
            durability.tick();
        }
        if (forced && writeFailure != null) {
            answer(writeFailure);
        } else if (forcedPagesWritten) {
            answer(syncFailure);
        }
        return progressed;
    }

    /** Every request is answered by an attempt that began after it, so that nobody waits for a failing disk. */
    private void answer(@Nullable StoreIoException failure) {
        forceFailure = failure;
        forceAnswered = ticket;
    }

    private boolean evict(boolean all) {
        boolean progressed = false;
        boolean failing = writeFailure != null;
        try {
            durability.syncSchema();
            for (EvictedLog log : logs) {
                progressed |= log.evictRun(all || failing);
            }
            writeFailure = null;
        } catch (StoreFencedException e) {
            throw e;
        } catch (Throwable e) {
            writeFailure = failureOf(e);
            writeFailures.incrementAndGet();
        }
        if (failing != (writeFailure != null)) {
            durability.tick();
        }
        return progressed;
    }

    private long undurable() {
        long bytes = 0;
        for (EvictedLog log : logs) {
            bytes += log.undurable();
        }
        return bytes;
    }

    private void makeDurable() {
        try {
            durability.tick();
            if (syncFailure != null) {
                for (EvictedLog log : logs) {
                    log.writeAgain();
                }
            }
            boolean changed = false;
            for (int i = 0; i < logs.length; i++) {
                logs[i].sync();
                durable[i] = logs[i].synced();
                changed |= logs[i].undurable() != 0;
            }
            if (changed) {
                durability.writeMark(durable);
                for (EvictedLog log : logs) {
                    log.publishDurable();
                }
            }
            if (syncFailure != null) {
                syncFailure = null;
                pauseNs = intervalNs;
                durability.tick();
            }
        } catch (StoreFencedException e) {
            throw e;
        } catch (Throwable e) {
            syncFailure = failureOf(e);
            pauseNs = Math.max(intervalNs, Math.min(pauseNs * 2, SYNC_PAUSE_NS_MAX));
            // at once, for a recovery after a kill must know it
            durability.tick();
        }
    }

    private void park() {
        if (writeFailure != null) {
            LockSupport.parkNanos(RETRY_PARK_NS);
            return;
        }
        idle = true;
        if (!closing && forceRequested == forceAnswered && !pressed && !runWaiting()) {
            LockSupport.parkNanos(idleNs(System.nanoTime()));
        }
        idle = false;
    }

    /** Until there is something to do that nobody tells of. What is sealed, forced or pressed meanwhile wakes the thread. */
    private long idleNs(long nowNs) {
        return Math.max(1, Math.min(tickAtNs + TICK_NS - nowNs, durableAtNs + pauseNs - nowNs));
    }

    /**
     * Evicts what is sealed, makes it durable, and ends the thread. Idempotent.
     *
     * @throws StoreIoException when not all could be written or made durable; it stays in the staging files
     */
    @Override
    public void close() {
        request();
        closing = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
        checkNotFenced();
        checkForced(writeFailure);
        checkForced(syncFailure);
    }
}
