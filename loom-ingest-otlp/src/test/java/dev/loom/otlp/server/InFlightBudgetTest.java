package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InFlightBudgetTest {
    private static final int CAPACITY = 1 << 20;

    @TempDir
    private Path folder;

    /** A region with what it must hold: bytes that count up from its seed. */
    private static final class Filled {
        final Region region;
        final long seed;
        int length;

        Filled(Region region, long seed) {
            this.region = region;
            this.seed = seed;
        }

        boolean append(int count, int most) {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = (byte) (seed + length + i);
            }
            boolean done = region.append(ByteBuffer.wrap(bytes), most);
            length += done ? count : 0;
            return done;
        }

        boolean isIntact() {
            boolean intact = region.length() == length;
            for (int i = 0; intact && i < length; i++) {
                intact = region.buffer().getByte(region.offset() + i) == (byte) (seed + i);
            }
            return intact;
        }
    }

    @Test
    void shouldKeepWhatRegionsHoldWhileTheyGrowAndMove() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Filled> regions = new ArrayList<>();
        int refused = 0;
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY)) {
            for (int step = 0; step < 20_000; step++) {
                if (regions.size() < 2 || random.nextInt(8) == 0) {
                    Region region = budget.reserve(1 + random.nextInt(20_000));
                    if (region != null) {
                        regions.add(new Filled(region, random.nextLong()));
                    }
                } else if (random.nextInt(8) == 0) {
                    Filled filled = regions.remove(random.nextInt(regions.size()));
                    assertTrue(filled.isIntact(), "seed=" + seed + ", step=" + step);
                    filled.region.close();
                    filled.region.close();
                } else {
                    Filled filled = regions.get(random.nextInt(regions.size()));
                    boolean done = filled.append(random.nextInt(10_000), 200_000);
                    refused += done ? 0 : 1;
                }
                int used = regions.stream()
                        .mapToInt(filled -> filled.region.capacity())
                        .sum();
                assertEquals(used, budget.used(), "seed=" + seed + ", step=" + step);
            }
            assertTrue(refused > 0, "seed=" + seed);
            for (Filled filled : regions) {
                assertTrue(filled.isIntact(), "seed=" + seed);
                filled.region.close();
            }
            assertEquals(0, budget.used());
            assertTrue(budget.peak() <= CAPACITY);
            Region all = budget.reserve(CAPACITY);
            assertNotNull(all);
            all.close();
        }
    }

    @Test
    void shouldLetOneRegionHaveAllThereIs() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY);
                Region region = budget.reserve(1)) {
            assertNotNull(region);
            byte[] bytes = new byte[3 * 4096 + 1];
            int appended = 0;
            while (appended + bytes.length <= CAPACITY) {
                assertTrue(region.append(ByteBuffer.wrap(bytes), CAPACITY));
                appended += bytes.length;
            }
            assertTrue(region.append(ByteBuffer.wrap(bytes, 0, CAPACITY - appended), CAPACITY));
            assertFalse(region.append(ByteBuffer.wrap(bytes, 0, 1), Integer.MAX_VALUE));
            assertEquals(CAPACITY, region.length());
            assertNull(budget.reserve(1));
            assertTrue(budget.takePressed());
            assertFalse(budget.takePressed());
        }
    }

    @Test
    void shouldLeaveNoFile() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY);
                Stream<Path> files = Files.list(folder)) {
            assertEquals(CAPACITY, budget.capacity());
            assertEquals(0, files.count());
        }
    }
}
