package dev.loom.bench.replay;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loads what a sink has gathered, on threads of its own, so that the next records can arrive meanwhile. A part that is handed over when all
 * threads and one place are taken waits.
 *
 * <p>Parts end in any order. Visible is what was handed over before the oldest part that has not ended.
 */
final class BackgroundLoad implements AutoCloseable {
    private final BlockingQueue<Part> waiting = new ArrayBlockingQueue<>(1);
    private final Thread[] threads;
    private final SortedMap<Long, Part> unfinished = new TreeMap<>();
    private long handed;
    private long handedNs = Long.MIN_VALUE;
    private volatile long visibleNs;
    private volatile @Nullable Throwable failure;

    /** Loads a part. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * What is loaded at once.
     *
     * @param beginNs all records before this time are in the parts before it
     */
    private record Part(long number, Work work, long beginNs) {}

    BackgroundLoad(int count) {
        threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(this::load, "sink-load-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
    }

    private void load() {
        try {
            while (true) {
                final Part part = waiting.take();
                part.work().run();
                finished(part);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final Exception | Error e) {
            failure = e;
        }
    }

    private synchronized void finished(Part part) {
        unfinished.remove(part.number());
        visibleNs = unfinished.isEmpty()
                ? handedNs
                : unfinished.values().iterator().next().beginNs();
        notifyAll();
    }

    /** Whether a part would not have to wait. */
    boolean hasRoom() {
        return waiting.remainingCapacity() > 0;
    }

    /**
     * Hands a part over; waits for room. From one thread.
     *
     * @param endNs with it, all records before this time have been handed over
     */
    void hand(Work work, long endNs) throws InterruptedException {
        final Part part;
        synchronized (this) {
            part = new Part(handed++, work, handedNs);
            unfinished.put(part.number(), part);
            handedNs = endNs;
        }
        while (!waiting.offer(part, 1, TimeUnit.SECONDS)) {
            check();
        }
    }

    /** Waits until all parts are loaded. */
    synchronized void await() throws InterruptedException {
        while (!unfinished.isEmpty()) {
            check();
            wait(100);
        }
        check();
    }

    private void check() {
        final Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("records could not be loaded", failed);
        }
    }

    long visibleNs() {
        return visibleNs;
    }

    @Override
    public void close() {
        for (final Thread thread : threads) {
            thread.interrupt();
        }
    }
}
