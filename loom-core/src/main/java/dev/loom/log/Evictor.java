package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that takes sealed pages of all logs to their segment files, and makes them durable in time.
 *
 * <p>A write that fails is tried again until it succeeds: the pages stay in the ring meanwhile, and the writer feels it as
 * back-pressure. A sync that fails is not just tried again, because the next one would succeed without the data: first all
 * that is not durable is written again. Until that succeeds nothing is declared durable, and {@link #force()} fails.
 */
public final class Evictor implements Runnable {
    private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long IDLE_PARK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long BUSY_PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long SYNC_PAUSE_NS_MAX = TimeUnit.MINUTES.toNanos(1);
    private static final long RETRY_PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<EvictedLog> logs;
    private final Durability durability;
    private final long intervalNs;
    private final long bytesMax;
    private final Thread thread;

    private volatile boolean closing;
    private volatile boolean idle;
    private volatile boolean pressed;
    private volatile long forceRequested;
    private volatile long forceAnswered;
    private volatile @Nullable StoreIoException forceFailure;
    private volatile @Nullable StoreIoException writeFailure;
    private volatile @Nullable StoreIoException syncFailure;
    private volatile @Nullable Throwable death;
    private final AtomicLong writeFailures = new AtomicLong();
    private long durableAtNs;
    private long pauseNs;
    private long tickAtNs;

    private Evictor(List<EvictedLog> logs, Durability durability, long intervalNs, long bytesMax) {
        this.logs = logs;
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
        List<EvictedLog> logs = assignments.stream()
                .map(assignment -> new EvictedLog(assignment.log(), storeId, assignment.writer()))
                .toList();
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

    /** Fails when the thread has died, so that nobody waits for it. */
    public void checkAlive() {
        Throwable cause = death;
        if (cause != null) {
            throw new StoreIoException("the evictor has died: reason=" + cause, cause);
        }
    }

    /**
     * Makes everything durable that was sealed before the call, and returns when it is.
     *
     * @throws StoreIoException when it can't be
     */
    public void force() {
        long ticket = request();
        boolean interrupted = false;
        while (forceAnswered < ticket && thread.isAlive()) {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(BUSY_PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        checkAlive();
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
        try {
            durableAtNs = System.nanoTime();
            tickAtNs = durableAtNs;
            while (!(closing && drained())) {
                if (!step()) {
                    park();
                }
            }
        } catch (Throwable e) {
            death = e;
        } finally {
            CloseHelper.closeAll(logs);
        }
    }

    private boolean drained() {
        return forceAnswered == forceRequested
                && (writeFailure != null || logs.stream().allMatch(log -> log.pending() == 0));
    }

    private boolean step() {
        long now = System.nanoTime();
        long ticket = forceRequested;
        boolean forced = ticket != forceAnswered;
        boolean due = now - durableAtNs >= pauseNs || (syncFailure == null && undurable() >= bytesMax);
        boolean all = forced || due || pressed;
        pressed = false;
        boolean progressed = evict(all);
        if (now - tickAtNs >= TICK_NS) {
            tickAtNs = now;
            durability.tick();
        }
        boolean forcedPagesWritten = forced && !progressed && writeFailure == null;
        if (due || forcedPagesWritten) {
            makeDurable();
            durableAtNs = System.nanoTime();
        }
        if (forced && writeFailure != null) {
            answer(ticket, writeFailure);
        } else if (forcedPagesWritten) {
            answer(ticket, syncFailure);
        }
        return progressed;
    }

    /** Every request is answered by an attempt that began after it, so that nobody waits for a failing disk. */
    private void answer(long ticket, @Nullable StoreIoException failure) {
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
        } catch (StoreIoException e) {
            writeFailure = e;
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
                logs.forEach(EvictedLog::writeAgain);
            }
            boolean changed = false;
            long[] durable = new long[logs.size()];
            for (int i = 0; i < durable.length; i++) {
                EvictedLog log = logs.get(i);
                log.sync();
                durable[i] = log.synced();
                changed |= log.undurable() != 0;
            }
            if (changed) {
                durability.writeMark(durable);
                logs.forEach(EvictedLog::publishDurable);
            }
            if (syncFailure != null) {
                syncFailure = null;
                pauseNs = intervalNs;
                durability.tick();
            }
        } catch (StoreIoException e) {
            syncFailure = e;
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
        if (!closing && forceRequested == forceAnswered) {
            LockSupport.parkNanos(IDLE_PARK_NS);
        }
        idle = false;
    }

    /**
     * Evicts what is sealed, makes it durable, and ends the thread. Idempotent.
     *
     * @throws StoreIoException when not all could be written or made durable; it stays in the staging files
     */
    public void close() {
        request();
        closing = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
        checkAlive();
        checkForced(writeFailure);
        checkForced(syncFailure);
    }
}
