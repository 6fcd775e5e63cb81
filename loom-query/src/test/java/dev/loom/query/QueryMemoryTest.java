package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.model.Order;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a push and a scan take of memory: nothing for each record, and 1 MiB for a query. */
class QueryMemoryTest {
    private static final int RECORDS = 300_000;
    private static final long QUERY_BYTES_MAX = 1 << 20;
    /** Once a run, not once a record: what waiting for the evictor and opening files takes. */
    private static final long RUN_BYTES_MAX = 2 << 20;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 16]);

    @TempDir
    Path dir;

    @Test
    void shouldTakeNoMemoryForEachRecord() {
        try (Loom loom = Loom.open(LoomConfig.at(dir)
                .recordRingBytes(64 << 20)
                .eviction(Eviction.PAGE_CACHE)
                .build())) {
            int id = loom.defineSource("a", Formats.parse("bytes"));
            push(loom, id);
            long before = allocated();
            push(loom, id);
            long pushed = allocated() - before;
            System.out.println("QueryMemoryTest bytes allocated by " + RECORDS + " pushes: " + pushed);
            assertTrue(pushed <= RUN_BYTES_MAX, () -> "bytes allocated by pushes: " + pushed);
            for (Order order : Order.values()) {
                scan(loom, id, order);
                long start = allocated();
                scan(loom, id, order);
                long scanned = allocated() - start;
                System.out.println("QueryMemoryTest bytes allocated by a scan of " + 2 * RECORDS + ": " + scanned);
                assertTrue(scanned <= RUN_BYTES_MAX, () -> "bytes allocated by a scan: " + scanned);
            }
        }
    }

    private long allocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void push(Loom loom, int id) {
        for (int i = 0; i < RECORDS; i++) {
            loom.push(id, payload, 0, 48);
        }
    }

    private static void scan(Loom loom, int id, Order order) {
        try (Snapshot snapshot = loom.snapshot();
                QueryCursor cursor = RawScan.of(snapshot, id).order(order).open()) {
            int records = 0;
            while (cursor.next()) {
                records++;
            }
            assertEquals(2 * RECORDS, records);
        }
    }

    @Test
    void shouldHoldAtMostOneMebibyteForAQuery() {
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        try (Loom loom = Loom.open(LoomConfig.at(dir)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .build())) {
            int id = loom.defineSource("a", Formats.parse("bytes"));
            for (int i = 0; i < 2_000; i++) {
                loom.push(id, payload, 0, i == 1_500 ? 65_536 : 1_000);
            }
            loom.force();
            loom.finishRollups((done, total) -> true); // its thread has memory of its own
            for (Order order : Order.values()) {
                try (Snapshot snapshot = loom.snapshot()) {
                    // classes and caches of the first time are nobody's query
                    readAll(snapshot, id, order, direct);
                    long directBefore = direct.getMemoryUsed();
                    long heapBefore = allocated();
                    long directMax = readAll(snapshot, id, order, direct) - directBefore;
                    long heap = allocated() - heapBefore;
                    System.out.println("QueryMemoryTest " + order + ": direct=" + directMax + ", heap=" + heap);
                    assertTrue(
                            directMax + heap <= QUERY_BYTES_MAX + 65_536,
                            () -> "bytes held: direct=" + directMax + ", heap=" + heap + ", less the jumbo's 65536");
                    assertTrue(direct.getMemoryUsed() <= directBefore, "freed by close");
                }
            }
        }
    }

    /** Returns the direct memory in use at most. */
    private static long readAll(Snapshot snapshot, int id, Order order, BufferPoolMXBean direct) {
        long max = 0;
        try (QueryCursor cursor = RawScan.of(snapshot, id).order(order).open()) {
            while (cursor.next()) {
                max = Math.max(max, direct.getMemoryUsed());
            }
            assertTrue(cursor.completeness().complete());
        }
        return max;
    }
}
