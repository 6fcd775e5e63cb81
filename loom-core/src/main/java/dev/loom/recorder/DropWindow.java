package dev.loom.recorder;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Drops of one source for one reason, counted by any thread and collected by the writer's, with the range of times that they
 * lie in. No lock, and no garbage.
 *
 * <p>A drop is begun, widens the range, and is ended, which counts it. A collection reads the ended ones, takes the range,
 * and reads the begun ones: when the two numbers differ, some drop may be in the range and not in the count, so the range
 * is kept for the next collection as well. So the range given always holds the times of all drops counted in it.
 */
final class DropWindow {
    private static final long NO_FIRST = Long.MAX_VALUE;
    private static final long NO_LAST = Long.MIN_VALUE;

    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong firstNs = new AtomicLong(NO_FIRST);
    private final AtomicLong lastNs = new AtomicLong(NO_LAST);
    private final AtomicLong ended = new AtomicLong();

    private long collected;
    private long keptFirstNs = NO_FIRST;
    private long keptLastNs = NO_LAST;

    /** Takes what was collected. */
    @FunctionalInterface
    interface Collector {
        void collect(long records, long firstNs, long lastNs);
    }

    /** Counts one drop. Any thread. */
    void add(long timeNs) {
        begun.incrementAndGet();
        long first = firstNs.get();
        while (timeNs < first && !firstNs.compareAndSet(first, timeNs)) {
            first = firstNs.get();
        }
        long last = lastNs.get();
        while (timeNs > last && !lastNs.compareAndSet(last, timeNs)) {
            last = lastNs.get();
        }
        ended.incrementAndGet();
    }

    /** Drops counted so far. Any thread. */
    long count() {
        return ended.get();
    }

    /** Whether there are drops not collected before. The collecting thread. */
    boolean hasNew() {
        return ended.get() != collected;
    }

    /** Gives drops not collected before, if there are any. One thread. */
    void collect(Collector collector) {
        long count = ended.get();
        if (count == collected) {
            return;
        }
        long first = Math.min(keptFirstNs, firstNs.getAndSet(NO_FIRST));
        long last = Math.max(keptLastNs, lastNs.getAndSet(NO_LAST));
        boolean whole = begun.get() == count;
        // kept until they are taken, as a collector may fail
        keptFirstNs = first;
        keptLastNs = last;
        collector.collect(count - collected, first, last);
        collected = count;
        if (whole) {
            keptFirstNs = NO_FIRST;
            keptLastNs = NO_LAST;
        }
    }
}
