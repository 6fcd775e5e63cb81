package dev.loom.bench.query;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;

/** The latencies of a capture in an array, and the least code that answers questions about all of them. For one thread. */
public final class ValuesInMemory {
    private static final int SLOTS = 1 << 12;
    /** Slots of each power of two, as a power of two. */
    private static final int SLOT_BITS = 6;

    private final long[] values;
    private final long[] slots = new long[SLOTS];
    private final long[] collected;

    /** Generates the values of a capture without requests. */
    public ValuesInMemory(SimulatedCapture telemetry) {
        values = new long[Math.toIntExact(telemetry.records())];
        Arrays.setAll(values, telemetry::latencyNs);
        collected = new long[values.length];
    }

    /** The greatest value. */
    public long max() {
        long max = 0;
        for (final long value : values) {
            max = Math.max(max, value);
        }
        return max;
    }

    /** In the order of values; wide where values are great, so that none holds many of a skewed distribution. */
    static int slot(long value) {
        final int shift = Math.max(0, Long.SIZE - 1 - SLOT_BITS - Long.numberOfLeadingZeros(value));
        return (shift << SLOT_BITS) + (int) (value >>> shift);
    }

    private long rank(double percentile) {
        return BigDecimal.valueOf(percentile)
                .multiply(BigDecimal.valueOf(values.length))
                .movePointLeft(2)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }

    /**
     * The value of a nearest rank, by two passes: one counts by slots, the other collects the slot that holds it.
     *
     * @param percentile above 0, up to 100
     */
    public long percentile(double percentile) {
        Arrays.fill(slots, 0);
        for (final long value : values) {
            slots[slot(value)]++;
        }
        long rank = Math.max(1, rank(percentile));
        int slot = 0;
        while (rank > slots[slot]) {
            rank -= slots[slot++];
        }
        int count = 0;
        for (final long value : values) {
            collected[count] = value;
            count += slot(value) == slot ? 1 : 0;
        }
        Arrays.sort(collected, 0, count);
        return collected[(int) rank - 1];
    }
}
