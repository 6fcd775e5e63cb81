package dev.loom.bench.query;

import java.util.Arrays;
import java.util.Random;
import java.util.function.LongPredicate;

/**
 * The records of a simulated capture: system calls, and among them requests of an application. Each record is a function of its
 * number, so that stores, tables and oracles generate the same records without sharing anything else. Immutable.
 *
 * <p>Records come at equal intervals. Latencies are log-normal around 100 us, nearly all different, with a long tail, and spread
 * evenly over time. A payload is six 64-bit integers, the {@link #COLUMNS}.
 */
public final class SimulatedCapture {
    /** The time of record 0, epoch nanoseconds. */
    public static final long BEGIN_NS = 1_700_000_000_000_000_000L;

    /** The number of integers in a payload. */
    public static final int COLUMNS = 6;

    /** Bytes of a payload. */
    public static final int PAYLOAD_LENGTH = COLUMNS * Long.BYTES;

    /** The payload format. */
    public static final String FORMAT = "struct:ts_ns:i64,latency_ns:i64,thread:i64,call:i64,bytes:i64,number:i64";

    private static final int TIME = 0;
    private static final int LATENCY = 1;
    private static final int CELL_BITS = 16;
    private static final int SAMPLES_OF_CELL = 16;
    private static final double LOG_MEDIAN_NS = Math.log(100_000);
    private static final double LOG_DEVIATION = 0.6;
    private static final long LATENCY_MAX_NS = 1_000_000_000;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long records;
    private final long intervalNs;
    private final int requests;
    private final int period;
    private final long[] quantiles = new long[(1 << CELL_BITS) + 1];

    /**
     * Creates a capture.
     *
     * @param records records of both sources
     * @param intervalNs time between two records
     * @param requests how many of each {@code period} records are requests; the others are system calls
     */
    public SimulatedCapture(long records, long intervalNs, int requests, int period) {
        this.records = records;
        this.intervalNs = intervalNs;
        this.requests = requests;
        this.period = period;
        final Random random = new Random(1);
        final double[] samples = new double[SAMPLES_OF_CELL << CELL_BITS];
        Arrays.setAll(samples, i -> Math.exp(LOG_MEDIAN_NS + LOG_DEVIATION * random.nextGaussian()));
        Arrays.sort(samples);
        Arrays.setAll(quantiles, i -> (long) samples[Math.min(i * SAMPLES_OF_CELL, samples.length - 1)]);
        quantiles[1 << CELL_BITS] = LATENCY_MAX_NS;
    }

    /** A capture of system calls only. */
    public static SimulatedCapture ofCalls(long records, long intervalNs) {
        return new SimulatedCapture(records, intervalNs, 0, 1);
    }

    public long records() {
        return records;
    }

    /** The time after the last record. */
    public long endNs() {
        return timeNs(records);
    }

    /** Arrival time of a record, epoch nanoseconds. */
    public long timeNs(long number) {
        return BEGIN_NS + number * intervalNs;
    }

    public boolean isRequest(long number) {
        return requests > 0 && number % period < requests;
    }

    public long latencyNs(long number) {
        final long bits = mix(number + 1);
        final int cell = (int) (bits >>> (Long.SIZE - CELL_BITS));
        final long low = quantiles[cell];
        return low + (((quantiles[cell + 1] - low) * (bits & 0xFFFF_FFFFL)) >>> Integer.SIZE);
    }

    /** One integer of a record's payload. */
    public long value(long number, int column) {
        return switch (column) {
            case TIME -> timeNs(number);
            case LATENCY -> latencyNs(number);
            case 2 -> mix(number) >>> 58;
            case 3 -> (mix(number) >>> 50) & 15;
            case 4 -> mix(number) & 0xFFFF;
            default -> number;
        };
    }

    /** Bits that look like chance, from a number. */
    public static long mix(long number) {
        final long once = number * MULTIPLIER;
        final long twice = (once ^ (once >>> 32)) * MULTIPLIER;
        return twice ^ (twice >>> 29);
    }

    /** Counts the system calls of a time range whose latency meets a condition, by generating them again. */
    public long count(long fromNs, long toNs, LongPredicate latency) {
        final long begin = Math.max(0, -Math.floorDiv(BEGIN_NS - fromNs, intervalNs));
        final long end = Math.min(records, -Math.floorDiv(BEGIN_NS - toNs, intervalNs));
        long count = 0;
        for (long number = begin; number < end; number++) {
            if (!isRequest(number) && latency.test(latencyNs(number))) {
                count++;
            }
        }
        return count;
    }

    /** A latency that about this part of all latencies exceed. */
    public long latencyExceededBy(double part) {
        final double cells = (1 - part) * (1 << CELL_BITS);
        final int cell = (int) cells;
        return quantiles[cell] + (long) ((cells - cell) * (quantiles[cell + 1] - quantiles[cell]));
    }
}
