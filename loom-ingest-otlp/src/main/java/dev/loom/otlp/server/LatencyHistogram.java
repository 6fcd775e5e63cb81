package dev.loom.otlp.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts times by fixed buckets, since it was made. Usable from any thread, without lock or garbage; values read one after the
 * other need not be of one moment.
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

    /** Makes one without times. */
    public LatencyHistogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private static long millis(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Counts a time. */
    public void add(long ns) {
        int bucket = 0;
        while (bucket < BOUNDS_NS.length && ns > BOUNDS_NS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sumNs.add(ns);
    }

    /** Buckets, the last of which has no bound. */
    public int buckets() {
        return counts.length;
    }

    /** The longest time of a bucket that has a bound, ns. */
    public long boundNs(int bucket) {
        return BOUNDS_NS[bucket];
    }

    /** Times in a bucket. */
    public long count(int bucket) {
        return counts[bucket].sum();
    }

    /** The sum of all times, ns. */
    public long sumNs() {
        return sumNs.sum();
    }
}
