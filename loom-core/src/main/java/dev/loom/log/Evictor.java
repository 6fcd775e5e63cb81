package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.io.StoreThread;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.collections.LongLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The single thread that writes the sealed pages of all logs to their segment files, and makes them durable in time.
 *
 * <p>A failed write is retried until it succeeds; meanwhile the pages stay in the ring, and the writer sees
 * back-pressure. A failed sync is not simply retried, because the next one would succeed without the data: everything
 * not durable is rewritten first. Until that succeeds nothing is declared durable, and {@link #force()} fails.
 *
 * <p>A period begins with a step that makes durable all that was published before it, and ends where the next such step begins. So a record
 * that comes just after a step began waits for one interval, and for the disk.
 *
 * <p>Whatever fails, even an allocation, the thread continues until it is closed or another writer has the store; a
 * later step writes the pages that were missed. Writing pages allocates nothing, so it continues while the heap is
 * full.
 */
public final class Evictor implements Runnable, AutoCloseable {
    private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long BUSY_PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    /** After an attempt that failed, nine times as long as it took, so that writing again takes a tenth of the time. */
    private static final int SYNC_PAUSE_TIMES = 9;

    private static final long SYNC_PAUSE_NS_MAX = TimeUnit.MINUTES.toNanos(1);
    private static final long RETRY_PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The failure reported when there was no memory to describe the real one. */
    private final StoreIoException noMemory = new StoreIoException("the evictor has failed: reason=out of memory");

    private final EvictedLog[] logs;
    private final long[] durable;
    private final Durability durability;
    private final SegmentBudget budget;
    private final long intervalNs;
    private final long bytesMax;
    private final Thread thread;
    private final LongSupplier clock;
    private final Object pause = new Object();

    private volatile boolean closing;
    private volatile boolean idle;
    private volatile boolean pressed;
    private volatile long forceRequested;
    private volatile long forceAnswered;
    private volatile @Nullable StoreReopenedException fenced;
    private volatile @Nullable StoreIoException forceFailure;
    private volatile @Nullable StoreIoException writeFailure;
    private volatile @Nullable StoreIoException syncFailure;
    private final AtomicLong writeFailures = new AtomicLong();
    /** Since when records may be waiting: all that was published before is durable, unless something fails. */
    private long durableAtNs;
    /** Whether all that was published before {@link #dueAtNs} is being written, to be made durable then. */
    private boolean due;

    private long dueAtNs;
    private long pauseNs;
    private boolean unsynced; // a sync has failed: what is not durable must be written again
    private long tickAtNs;
    private long ticket;

    /** As {@link #create}, by a clock of nanoseconds. */
    Evictor(
            List<Assignment> assignments,
            long storeId,
            Durability durability,
            SegmentBudget budget,
            long intervalNs,
            long bytesMax,
            LongSupplier clock) {
        this.logs = assignments.stream()
                .map(assignment -> new EvictedLog(assignment.log(), storeId, assignment.writer(), assignment.copy()))
                .toArray(EvictedLog[]::new);
        this.budget = budget;
        this.durable = new long[logs.length];
        this.durability = durability;
        this.intervalNs = intervalNs;
        this.pauseNs = intervalNs;
        this.bytesMax = bytesMax;
        this.clock = clock;
        this.thread = StoreThread.of("loom-evictor", this);
    }

    /**
     * A log and the writer of its segment files, which the evictor will own.
     *
     * @param copy of its last page, or null if that may wait until it is full
     */
    public record Assignment(
            HybridLog log, SegmentWriter writer, @Nullable OpenPageCopy copy) {}

    /**
     * Makes an evictor; {@link #start()} starts its thread.
     *
     * @param intervalNs how long a record waits at most until the disk begins to make it durable, in pages or copies of the open one
     * @param bytesMax how many evicted bytes may wait
     */
    public static Evictor create(
            List<Assignment> assignments,
            long storeId,
            Durability durability,
            SegmentBudget budget,
            long intervalNs,
            long bytesMax) {
        return new Evictor(assignments, storeId, durability, budget, intervalNs, bytesMax, System::nanoTime);
    }

    public Thread thread() {
        return thread;
    }

    public void start() {
        thread.start();
    }

    /** Signals that pages were sealed. The writer's thread calls it once per page. */
    public void onSealed() {
        if (idle && runWaiting()) {
            LockSupport.unpark(thread);
        }
    }

    /** Signals that the writer waits for room, so that short runs are written too. The writer's thread calls it. */
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

    /** The failure that currently keeps pages from being written, or null. */
    public @Nullable StoreIoException writeFailure() {
        return writeFailure;
    }

    /** The failure that currently keeps pages from being declared durable, or null. */
    public @Nullable StoreIoException syncFailure() {
        return syncFailure;
    }

    /** The number of failed writes so far. */
    public long writeFailures() {
        return writeFailures.get();
    }

    /**
     * Throws if the thread has ended, so that nobody waits for it: it was closed, or another writer has the store.
     *
     * @throws StoreReopenedException in the second case
     */
    public void checkAlive() {
        checkNotFenced();
        if (closing && !thread.isAlive()) {
            throw new StoreIoException("the evictor has stopped: the store is closed");
        }
    }

    private void checkNotFenced() {
        StoreReopenedException cause = fenced;
        if (cause != null) {
            throw new StoreReopenedException(String.valueOf(cause.getMessage()), cause);
        }
    }

    /**
     * Makes everything durable that was sealed before the call.
     *
     * @param progress takes how many bytes are done, and of how many, if there are any; all are done once they are durable
     * @throws StoreIoException when that fails
     */
    public void force(LongLongConsumer progress) {
        long asked = request();
        long total = pending();
        boolean interrupted = false;
        while (forceAnswered < asked && thread.isAlive()) {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(BUSY_PARK_NS);
            interrupted |= Thread.interrupted();
            if (total > 0) {
                progress.accept(Math.max(0, Math.min(total - pending(), total - 1)), total);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (forceAnswered < asked) {
            checkAlive();
        }
        checkForced(forceFailure);
        checkForced(syncFailure);
        if (total > 0) {
            progress.accept(total, total);
        }
    }

    /** As {@link #force(LongLongConsumer)}. */
    public void force() {
        force((done, total) -> {});
    }

    private long pending() {
        long bytes = 0;
        for (EvictedLog log : logs) {
            bytes += log.pending();
        }
        return bytes;
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
        durableAtNs = clock.getAsLong();
        tickAtNs = durableAtNs;
        while (fenced == null && !(closing && drained())) {
            try {
                if (!pausableStep()) {
                    park();
                }
            } catch (StoreReopenedException e) {
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

    /** Notes that a step failed at any point; a later step does the rest. */
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

    /**
     * Runs an action while the evictor writes nothing, after its current step. Not to be called on the evictor's
     * thread.
     */
    public void whilePaused(Runnable action) {
        synchronized (pause) {
            action.run();
        }
    }

    private boolean drained() {
        return forceAnswered == forceRequested && (writeFailure != null || pending() == 0);
    }

    private boolean step() {
        Thread.interrupted(); // nobody interrupts this thread on purpose, and a pending interrupt would end every park
        long now = clock.getAsLong();
        ticket = forceRequested;
        boolean forced = ticket != forceAnswered;
        if (!due && isDue(now)) {
            due = true;
            dueAtNs = now;
            for (EvictedLog log : logs) {
                log.aim();
            }
        }
        boolean all = forced || due || pressed;
        pressed = false;
        boolean progressed = evict(all);
        boolean forcedPagesWritten = forced && !progressed && writeFailure == null;
        if (forcedPagesWritten || (due && (writeFailure != null || aimReached()))) {
            makeDurable();
            // a slower disk rests for a tenth of the interval, which also lets in whoever pauses this thread
            durableAtNs = Math.max(due ? dueAtNs : now, clock.getAsLong() - intervalNs / 10 * 9);
            if (syncFailure != null) {
                durableAtNs = clock.getAsLong(); // the disk gets its pause
            }
            due = false;
            tickAtNs = now; // a write has just ticked, so an idle thread wakes once for both
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

    private boolean isDue(long nowNs) {
        return nowNs - durableAtNs >= pauseNs || (syncFailure == null && undurable() >= bytesMax);
    }

    private boolean aimReached() {
        for (EvictedLog log : logs) {
            if (!log.aimReached()) {
                return false;
            }
        }
        return true;
    }

    /** Answers every request with an attempt that began after it, so that nobody waits for a failing disk. */
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
                long run = log.nextRun(all || failing);
                if (run > 0) {
                    durability.syncSchema(); // again: the run may have records of a source that was defined meanwhile
                    makeRoom(run);
                    log.evictRun(run);
                    progressed = true;
                }
            }
            writeFailure = null;
        } catch (StoreReopenedException e) {
            throw e;
        } catch (Throwable e) {
            if (relieved()) {
                return true; // and tries again
            }
            writeFailure = failureOf(e);
            writeFailures.incrementAndGet();
        }
        if (failing != (writeFailure != null)) {
            durability.tick();
        }
        return progressed;
    }

    /** Whether the disk has more room now than when it refused a write. */
    private boolean relieved() {
        try {
            if (budget.relieve()) {
                return true;
            }
            boolean more = budget.isShort() && undurable() > 0;
            if (more) {
                makeDurable();
            }
            return more && budget.relieve();
        } catch (StoreReopenedException e) {
            throw e;
        } catch (Throwable e) {
            return false; // what the disk refused first is what counts
        }
    }

    /** What is to be deleted must be durable, so that the store never begins behind its end. */
    private void makeRoom(long bytes) {
        if (!budget.makeRoom(bytes) && undurable() > 0) {
            makeDurable();
            budget.makeRoom(bytes);
        }
    }

    private long undurable() {
        long bytes = 0;
        for (EvictedLog log : logs) {
            bytes += log.undurable();
        }
        return bytes;
    }

    private void makeDurable() {
        long beganNs = clock.getAsLong();
        boolean synced = false;
        try {
            durability.tick();
            if (unsynced) {
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
            synced = true;
            unsynced = false;
            for (EvictedLog log : logs) {
                log.keepNextPage(durability);
            }
            if (syncFailure != null) {
                syncFailure = null;
                pauseNs = intervalNs;
                durability.tick();
            }
        } catch (StoreReopenedException e) {
            throw e;
        } catch (Throwable e) {
            syncFailure = failureOf(e);
            // the copy of an open page is written as a whole each time; a failure of it costs the logs nothing
            unsynced |= !synced;
            pauseNs = synced ? intervalNs : pauseNs(intervalNs, clock.getAsLong() - beganNs);
            // at once, because a recovery after a kill must know it
            durability.tick();
        }
    }

    /** The time until the next attempt after one that failed. */
    static long pauseNs(long intervalNs, long tookNs) {
        return Math.max(intervalNs, Math.min(SYNC_PAUSE_TIMES * tookNs, SYNC_PAUSE_NS_MAX));
    }

    private void park() {
        if (writeFailure != null) {
            LockSupport.parkNanos(RETRY_PARK_NS);
            return;
        }
        idle = true;
        if (!closing && forceRequested == forceAnswered && !pressed && !runWaiting()) {
            LockSupport.parkNanos(idleNs(clock.getAsLong()));
        }
        idle = false;
    }

    /** The time until the next unsignalled work. Seals, forces and pressure wake the thread earlier. */
    private long idleNs(long nowNs) {
        return Math.max(1, Math.min(tickAtNs + TICK_NS - nowNs, durableAtNs + pauseNs - nowNs));
    }

    /**
     * Evicts all sealed pages, makes them durable, and ends the thread. Idempotent.
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
