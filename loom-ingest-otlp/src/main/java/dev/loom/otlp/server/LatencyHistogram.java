package dev.loom.otlp.server;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in fixed buckets since its creation. Thread-safe, without locks or garbage; values read one after the
 * other may be from different moments.
 */
public final class LatencyHistogram {
    private static final int[] BOUNDS_US = {
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000
    };

    private final LongAdder[] counts = new LongAdder[BOUNDS_US.length + 1];
    private final LongAdder sumNs = new LongAdder();

    /** Starts empty. */
    public LatencyHistogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Counts a duration. */
    public void add(Duration duration) {
        long ns = duration.toNanos();
        int bucket = 0;
        while (bucket < BOUNDS_US.length && ns > 1_000L * BOUNDS_US[bucket]) {
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
        return Duration.of(BOUNDS_US[bucket], ChronoUnit.MICROS);
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
