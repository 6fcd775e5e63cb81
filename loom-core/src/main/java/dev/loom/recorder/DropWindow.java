package dev.loom.recorder;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Drops of one source for one reason, with the range of their times. Any thread counts them; the writer's thread
 * collects them. Takes no lock, allocates nothing.
 *
 * <p>A drop begins, widens the range, and ends, which counts it. A collection reads the number of ended drops, takes
 * the range, and reads the number of begun ones. If the two numbers differ, some drop may be in the range but not in
 * the count, so the next collection keeps the range too. Each collected range therefore covers the times of all drops
 * counted with it.
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

    /** Receives collected drops. */
    @FunctionalInterface
    interface Collector {
        void collect(long records, long firstNs, long lastNs);
    }

    /** Counts one drop. Any thread may call it. */
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

    /** Whether there are uncollected drops. For the collecting thread. */
    boolean hasNew() {
        return ended.get() != collected;
    }

    /** Passes the uncollected drops, if any, to a collector. For the collecting thread. */
    void collect(Collector collector) {
        long count = ended.get();
        if (count == collected) {
            return;
        }
        long first = Math.min(keptFirstNs, firstNs.getAndSet(NO_FIRST));
        long last = Math.max(keptLastNs, lastNs.getAndSet(NO_LAST));
        boolean whole = begun.get() == count;
        // kept until accepted, because a collector may fail
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
