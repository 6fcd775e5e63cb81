package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InFlightBudgetTest {
    private static final int CAPACITY = 1 << 20;

    @TempDir
    private Path folder;

    /** A region with what it must hold: bytes that count up from its seed. */
    private record Filled(Region region, long seed) {
        boolean append(int count) {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = (byte) (seed + region.length() + i);
            }
            return region.append(ByteBuffer.wrap(bytes));
        }

        boolean isIntact() {
            boolean intact = true;
            for (int i = 0; intact && i < region.length(); i++) {
                intact = region.buffer().getByte(region.offset() + i) == (byte) (seed + i);
            }
            return intact;
        }
    }

    @Test
    void shouldTakeDirectMemoryWhenTheFolderHasNoRoom() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY, CAPACITY - 1, ByteBuffer::allocateDirect);
                Region region = budget.reserve(CAPACITY)) {
            assertNotNull(region);
            assertTrue(region.append(ByteBuffer.allocate(CAPACITY)));
            assertNull(budget.reserve(1));
        }
        try (InFlightBudget budget = InFlightBudget.open(folder.resolve("none"), CAPACITY)) {
            assertEquals(CAPACITY, budget.capacity());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void shouldTakeAsMuchDirectMemoryAsLeavesSomeToOthers() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, 64 * CAPACITY, 0, upTo(63 * CAPACITY))) {
            assertEquals(32 * CAPACITY, budget.capacity());
            assertNotNull(budget.reserve(32 * CAPACITY));
        }
        IOException none = assertThrows(
                IOException.class,
                () -> InFlightBudget.open(folder, 64 * CAPACITY, 0, upTo(InFlightBudget.OTHERS_LENGTH)));
        assertTrue(none.getMessage().endsWith("and no direct memory: no more"), none.getMessage());
    }

    /** Direct memory up to a limit, which counts what was freed as well. */
    private static IntFunction<ByteBuffer> upTo(int limit) {
        AtomicInteger left = new AtomicInteger(limit);
        return length -> {
            if (length > left.get()) {
                throw new OutOfMemoryError("no more");
            }
            left.addAndGet(-length);
            return ByteBuffer.allocateDirect(length);
        };
    }

    @Test
    void shouldLeaveNothingInTheFolderWhileTheFileIsWritten() throws IOException {
        try (FileChannel file = InFlightBudget.unnamed(folder);
                Stream<Path> files = Files.list(folder)) {
            assertEquals(CAPACITY, file.write(ByteBuffer.allocate(CAPACITY)));
            assertEquals(0, files.count());
        }
    }

    @Test
    void shouldKeepWhatRegionsHoldWhileTheyGrowAndMove() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
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
                    int length = filled.region.length();
                    int count = random.nextInt(10_000);
                    boolean done = filled.append(count);
                    assertEquals(length + (done ? count : 0), filled.region.length(), "seed=" + seed);
                    refused += done ? 0 : 1;
                    if (random.nextInt(10) == 0) {
                        filled.region.trim();
                    }
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
                assertTrue(region.append(ByteBuffer.wrap(bytes)));
                appended += bytes.length;
            }
            assertTrue(region.append(ByteBuffer.wrap(bytes, 0, CAPACITY - appended)));
            assertFalse(region.append(ByteBuffer.wrap(bytes, 0, 1)));
            assertEquals(CAPACITY, region.length());
            assertNull(budget.reserve(1));
            assertEquals(2, budget.presses());
        }
    }

    @Test
    void shouldGrowUpToTheLimitAndNoFurther() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY);
                Region region = budget.reserve(1)) {
            assertNotNull(region);
            int limit = 5 * InFlightBudget.GRANULE;
            region.limit(limit);
            assertTrue(region.append(ByteBuffer.allocate(limit)));
            assertEquals(limit, region.capacity());
            assertFalse(region.append(ByteBuffer.allocate(1)));
            assertTrue(region.isBeyondLimit());
            region.limit(Integer.MAX_VALUE);
            assertFalse(region.append(ByteBuffer.allocate(CAPACITY)));
            assertFalse(region.isBeyondLimit());
            assertEquals(limit, budget.used());
        }
    }

    @Test
    void shouldGiveBackWhatWasNotFilled() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY);
                Region region = budget.reserve(CAPACITY)) {
            region.append(ByteBuffer.allocate(InFlightBudget.GRANULE + 1));
            region.trim();
            assertEquals(2 * InFlightBudget.GRANULE, budget.used());
            region.trim();
            assertEquals(2 * InFlightBudget.GRANULE, region.capacity());
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
