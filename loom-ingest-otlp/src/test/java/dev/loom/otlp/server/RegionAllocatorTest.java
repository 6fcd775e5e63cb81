package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RegionAllocatorTest {
    private static final int SIZE = 200;

    /** The oracle: one bit a granule. */
    private final BitSet taken = new BitSet(SIZE);

    private final RegionAllocator allocator = new RegionAllocator(SIZE);
    private final List<int[]> regions = new ArrayList<>();

    @RepeatedTest(20)
    void shouldAgreeWithOneBitAGranule() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        String context = "seed=" + seed;
        for (int step = 0; step < 5_000; step++) {
            switch (random.nextInt(4)) {
                case 0 -> allocate(1 + random.nextInt(40), context);
                case 1 -> extend(random, context);
                case 2 -> shorten(random);
                default -> free(random);
            }
            assertEquals(SIZE - taken.cardinality(), allocator.free(), context);
            assertEquals(freeRuns(), allocator.freeRuns(), context);
        }
    }

    @Test
    void shouldRefuseToFreeWhatIsFree() {
        int first = allocator.allocate(10);
        int second = allocator.allocate(10);
        allocator.allocate(10);
        allocator.free(second, 10);
        assertThrows(IllegalStateException.class, () -> allocator.free(second, 10));
        assertThrows(IllegalStateException.class, () -> allocator.free(second + 9, 5));
        assertThrows(IllegalStateException.class, () -> allocator.free(second - 1, 5));
        assertThrows(IllegalStateException.class, () -> allocator.free(first, 11));
    }

    private void allocate(int size, String context) {
        int expected = -1;
        for (int offset = 0; offset + size <= SIZE && expected < 0; offset++) {
            int next = taken.nextSetBit(offset);
            if (!taken.get(offset) && (next < 0 || next >= offset + size)) {
                expected = offset;
            }
        }
        assertEquals(expected, allocator.allocate(size), context);
        if (expected >= 0) {
            taken.set(expected, expected + size);
            regions.add(new int[] {expected, size});
        }
    }

    private void extend(Random random, String context) {
        if (regions.isEmpty()) {
            return;
        }
        int[] region = regions.get(random.nextInt(regions.size()));
        int wanted = 1 + random.nextInt(30);
        int end = region[0] + region[1];
        int next = taken.nextSetBit(end);
        int expected = Math.min(wanted, (next < 0 ? SIZE : next) - end);
        assertEquals(expected, allocator.extend(end, wanted), context);
        taken.set(end, end + expected);
        region[1] += expected;
    }

    private void shorten(Random random) {
        if (regions.isEmpty()) {
            return;
        }
        int[] region = regions.get(random.nextInt(regions.size()));
        int cut = random.nextInt(region[1]);
        if (cut > 0) {
            region[1] -= cut;
            allocator.free(region[0] + region[1], cut);
            taken.clear(region[0] + region[1], region[0] + region[1] + cut);
        }
    }

    private void free(Random random) {
        if (regions.isEmpty()) {
            return;
        }
        int[] region = regions.remove(random.nextInt(regions.size()));
        assertTrue(taken.get(region[0]));
        allocator.free(region[0], region[1]);
        taken.clear(region[0], region[0] + region[1]);
    }

    private int freeRuns() {
        int runs = 0;
        for (int offset = taken.nextClearBit(0); offset < SIZE; offset = taken.nextClearBit(offset)) {
            runs++;
            int next = taken.nextSetBit(offset);
            offset = next < 0 ? SIZE : next;
        }
        return runs;
    }
}
