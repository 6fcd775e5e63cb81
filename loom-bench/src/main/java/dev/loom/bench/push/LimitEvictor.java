package dev.loom.bench.push;

import static dev.loom.bench.push.LimitPageDescriptor.PAGE_LENGTH;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The limit's second thread: computes the checksum of each sealed page and writes the pages in runs. */
final class LimitEvictor implements Runnable {
    private static final long IDLE_NS = 100_000;

    private final LimitRing ring;
    private final SegmentFiles segments;
    private final LimitRuns runs;
    private final int runLengthMin;
    private final long syncIntervalNs;
    private final Thread thread;
    private long lastSyncNs = System.nanoTime();
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /**
     * Starts the thread.
     *
     * @param syncIntervalNs how often to sync the files; 0 for never
     */
    LimitEvictor(LimitRing ring, SegmentFiles segments, long syncIntervalNs) {
        this.ring = ring;
        this.segments = segments;
        this.syncIntervalNs = syncIntervalNs;
        runs = new LimitRuns(ring, segments);
        runLengthMin = Math.min(1024 * 1024, ring.length() / 4);
        thread = new Thread(this, "limit-evictor");
        thread.setDaemon(true);
        thread.start();
    }

    /** The least that it writes at once, bytes, until it ends. */
    int runLengthMin() {
        return runLengthMin;
    }

    /** Waits until every sealed page is written, then ends the thread. Idempotent. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the last pages were written", e);
        }
        throwIfFailed();
    }

    /** Rethrows a failed write on the writer's thread. */
    void throwIfFailed() {
        final Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("limit evictor failed", cause);
        }
    }

    @Override
    public void run() {
        try {
            long evicted = ring.evictedAcquire();
            while (true) {
                final boolean last = stopping;
                final long waiting = ring.sealedAcquire() - evicted;
                if (waiting >= (last ? PAGE_LENGTH : runLengthMin)) {
                    evicted += evict(evicted, waiting);
                    ring.evictedRelease(evicted);
                } else if (last) {
                    return;
                } else {
                    LockSupport.parkNanos(this, IDLE_NS);
                }
            }
        } catch (final RuntimeException | Error e) {
            failure = e;
        } finally {
            segments.close();
        }
    }

    private int evict(long address, long waiting) {
        final int length = runs.write(address, waiting);
        if (syncIntervalNs != 0 && System.nanoTime() - lastSyncNs >= syncIntervalNs) {
            segments.sync();
            lastSyncNs = System.nanoTime();
        }
        return length;
    }
}
