package dev.loom.otlp.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in fixed buckets since its creation. Thread-safe, without locks or garbage; values read one after the
 * other may be from different moments.
 */
public final class LatencyHistogram {
    private static final long[] BOUNDS_NS = {
        millis(1),
        TimeUnit.MICROSECONDS.toNanos(2500),
        millis(5),
        millis(10),
        millis(25),
        millis(50),
        millis(100),
        millis(250),
        millis(500),
        millis(1000),
        millis(2500),
        millis(5000),
        millis(10_000),
        millis(30_000),
        millis(60_000)
    };

    private final LongAdder[] counts = new LongAdder[BOUNDS_NS.length + 1];
    private final LongAdder sumNs = new LongAdder();

    /** Starts empty. */
    public LatencyHistogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private static long millis(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Counts a duration. */
    public void add(Duration duration) {
        long ns = duration.toNanos();
        int bucket = 0;
        while (bucket < BOUNDS_NS.length && ns > BOUNDS_NS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sumNs.add(ns);
    }

    /** The number of buckets; the last has no bound. */
    public int buckets() {
        return counts.length;
    }

    /** The greatest duration in a bucket that has a bound. */
    public Duration bound(int bucket) {
        return Duration.ofNanos(BOUNDS_NS[bucket]);
    }

    /** The number of durations in a bucket. */
    public long count(int bucket) {
        return counts[bucket].sum();
    }

    /** The sum of all durations. */
    public Duration sum() {
        return Duration.ofNanos(sumNs.sum());
    }
}
