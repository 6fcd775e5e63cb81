package dev.loom.bench.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ValuesInMemoryTest {
    private static final int RECORDS = 200_000;

    private final SimulatedCapture capture = SimulatedCapture.ofCalls(RECORDS, 1_000);

    @Test
    void shouldAnswerAsSortedValuesDo() {
        final long[] sorted = new long[RECORDS];
        Arrays.setAll(sorted, capture::latencyNs);
        Arrays.sort(sorted);
        final ValuesInMemory values = new ValuesInMemory(capture);

        for (final double percentile : new double[] {0.001, 50, 99, 99.99, 100}) {
            final int rank = Math.max(1, (int) Math.ceil(Math.round(percentile * RECORDS * 1_000) / 100_000.0));
            assertEquals(sorted[rank - 1], values.percentile(percentile), "percentile=" + percentile);
        }
        assertEquals(sorted[RECORDS - 1], values.max());
    }

    /** Otherwise the second pass sorts most values, and the limit is none. */
    @Test
    void shouldHaveFewValuesInEachSlot() {
        final int[] slots = new int[1 << 12];
        for (int i = 0; i < RECORDS; i++) {
            slots[ValuesInMemory.slot(capture.latencyNs(i))]++;
        }

        assertTrue(Arrays.stream(slots).max().orElseThrow() < RECORDS / 50);
    }

    @Test
    void shouldHaveSlotsInTheOrderOfValues() {
        int before = -1;
        for (int bit = 0; bit < Long.SIZE - 1; bit++) {
            for (long value = 1L << bit, step = Math.max(1, value >> 10);
                    value > 0 && value >> bit < 2;
                    value += step) {
                final int slot = ValuesInMemory.slot(value);
                assertTrue(slot >= before && slot < 1 << 12, "value=" + value + ", slot=" + slot);
                before = slot;
            }
        }
        assertEquals(0, ValuesInMemory.slot(0));
    }
}
