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

    /** A region with what it must hold: bytes that count up from its seed, some of them read and written anew in another form. */
    private static final class Filled {
        final Region region;
        final long seed;
        int appended;
        int read;
        int written;

        Filled(Region region, long seed) {
            this.region = region;
            this.seed = seed;
        }

        boolean append(int count) {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = (byte) (seed + appended + i);
            }
            boolean done = region.append(ByteBuffer.wrap(bytes));
            appended += done ? count : 0;
            return done;
        }

        /** What is to be read is what was appended; from then on there is nothing appended any more. */
        void turn() {
            region.turn();
        }

        boolean rewrite(int reading, int writing) {
            int count = Math.min(reading, region.unread());
            region.read(count);
            read += count;
            if (!region.ensure(writing)) {
                return false;
            }
            byte[] bytes = new byte[writing];
            for (int i = 0; i < writing; i++) {
                bytes[i] = (byte) -(seed + written + i);
            }
            region.unfilled().put(bytes);
            region.written(writing);
            written += writing;
            return true;
        }

        boolean isTurned() {
            return region.unread() > 0 || written > 0 || read > 0;
        }

        boolean isIntact() {
            int length = isTurned() ? written : appended;
            boolean intact = region.length() == length && (!isTurned() || region.unread() == appended - read);
            for (int i = 0; intact && i < length; i++) {
                long expected = isTurned() ? -(seed + i) : seed + i;
                intact = region.buffer().getByte(region.offset() + i) == (byte) expected;
            }
            for (int i = 0; intact && i < region.unread(); i++) {
                intact = region.buffer().getByte(region.unreadOffset() + i) == (byte) (seed + read + i);
            }
            return intact;
        }
    }

    @Test
    void shouldTakeDirectMemoryWhenTheFolderHasNoRoom() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY, CAPACITY - 1);
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
                    if (!filled.isTurned() && random.nextInt(5) == 0) {
                        filled.turn();
                    }
                    boolean done = filled.isTurned()
                            ? filled.rewrite(random.nextInt(5_000), random.nextInt(10_000))
                            : filled.append(random.nextInt(10_000));
                    refused += done ? 0 : 1;
                    if (filled.region.unread() == 0 && random.nextInt(10) == 0) {
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
            assertTrue(budget.takePressed());
            assertFalse(budget.takePressed());
        }
    }

    @Test
    void shouldLetOneThatIsAloneHaveAllThereIsWhereverItBegan() throws IOException {
        try (InFlightBudget budget = InFlightBudget.open(folder, CAPACITY)) {
            Region before = budget.reserve(5 * InFlightBudget.GRANULE);
            Filled filled = new Filled(budget.reserve(1), 7);
            Region behind = budget.reserve(1);
            assertTrue(filled.append(CAPACITY / 2));
            filled.turn();
            assertTrue(filled.rewrite(1000, 500));
            assertFalse(filled.rewrite(0, CAPACITY / 2 + 500));
            before.close();
            assertFalse(filled.rewrite(0, CAPACITY / 2 + 500));
            assertEquals(
                    "memory for requests in flight is exhausted",
                    filled.region.noRoom().getMessage());
            behind.close();
            assertTrue(filled.rewrite(0, CAPACITY / 2 + 500));
            assertEquals(CAPACITY, filled.region.capacity());
            assertTrue(filled.isIntact());
            assertFalse(filled.rewrite(0, 1));
            assertEquals(
                    Refusal.Reason.TOO_LARGE, filled.region.noRoom().refusal().reason());
            filled.region.close();
            assertEquals(0, budget.used());
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
