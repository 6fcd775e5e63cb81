package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void shouldCountATimeInTheFirstBucketThatItDoesNotExceed() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("LatencyHistogramTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        LatencyHistogram histogram = new LatencyHistogram();
        double[] boundsMs = {1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000};
        long[] counts = new long[boundsMs.length + 1];
        long sumNs = 0;
        for (int i = 0; i < 10_000; i++) {
            long bound = (long) (boundsMs[random.nextInt(boundsMs.length)] * 1e6);
            long ns = random.nextBoolean() ? bound + random.nextInt(3) - 1 : random.nextLong(100_000_000_000L);
            int bucket = 0;
            while (bucket < boundsMs.length && ns / 1e6 > boundsMs[bucket]) {
                bucket++;
            }
            counts[bucket]++;
            sumNs += ns;
            histogram.add(Duration.ofNanos(ns));
        }
        assertEquals(counts.length, histogram.buckets());
        for (int i = 0; i < counts.length; i++) {
            assertEquals(counts[i], histogram.count(i), "seed=" + seed + ", bucket=" + i);
        }
        assertEquals(sumNs, histogram.sum().toNanos());
    }
}
