package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.query.model.Order;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What queries through indexes take of memory: at most 1 MiB, of which nothing for each record. */
class IndexMemoryTest {
    private static final long QUERY_BYTES_MAX = 1 << 20;
    private static final int JUMBO = 100_000;
    private static final int RECORDS = 200_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();

    @TempDir
    Path directory;

    private Loom loom;
    private int source;
    private long directMax;
    private long calls;

    @BeforeEach
    void push() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .rollupShare(0) // its memory would be taken for the query's, or for what the query has kept
                .build());
        source = loom.defineSource("a", Formats.parse("struct:v:i64"));
        loom.defineIndex(source, "probe", probe(), Bins.logLinear(0));
        loom.defineIndex(source, "v", IndexFunction.field(Formats.parse("struct:v:i64"), "v"), Bins.logLinear());
        Random random = new Random(5);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[JUMBO]);
        for (int i = 0; i < RECORDS; i++) {
            payload.putLong(0, (long) Math.exp(random.nextDouble() * 30), ByteOrder.LITTLE_ENDIAN);
            loom.push(source, payload, 0, i % 50_000 == 7 ? JUMBO : 8);
        }
    }

    /** A function that looks how much memory is in use whenever a record is looked at. */
    private IndexFunction probe() {
        return IndexFunction.of("probe", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, value) -> {
            if (calls++ % 64 == 0) {
                directMax = Math.max(directMax, direct.getMemoryUsed());
            }
            value.setInteger(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN));
        });
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private void check(String name, LongSupplier query) {
        long expected = query.getAsLong(); // classes and caches of the first time are nobody's query
        long directBefore;
        long records;
        long heap;
        long held;
        int tries = 0;
        do { // again if what others had left was freed meanwhile, and hides what the query takes
            long heapBefore =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            directBefore = direct.getMemoryUsed();
            directMax = directBefore;
            records = query.getAsLong();
            heap = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - heapBefore;
            held = directMax - directBefore;
        } while (held == 0 && ++tries < 10);
        System.out.println("IndexMemoryTest " + name + ": direct=" + held + ", heap=" + heap + ", records=" + records);
        assertEquals(expected, records);
        assertTrue(held > 0, "a record was read");
        long taken = held + heap;
        String what = name + ": direct=" + held + ", heap=" + heap;
        // what each pass takes on the heap to put a jumbo together is given up with it, and counted here nevertheless
        assertTrue(taken <= QUERY_BYTES_MAX + 5 * JUMBO, what);
        // the writer's threads may take a little meanwhile
        assertTrue(direct.getMemoryUsed() < directBefore + (1 << 16), "freed by close");
    }

    private static long count(QueryCursor cursor) {
        try (cursor) {
            long count = 0;
            while (cursor.next()) {
                count++;
            }
            assertTrue(cursor.completeness().complete());
            return count;
        }
    }

    @Test
    void shouldHoldAtMostOneMebibyteForAQueryThroughIndexes() {
        try (Snapshot snapshot = loom.snapshot()) {
            Index index = snapshot.index(source, "probe").orElseThrow();
            for (Order order : Order.values()) {
                check(
                        "scan " + order,
                        () -> count(IndexedScan.of(snapshot, index)
                                .values(ValueRange.above(1_000_000))
                                .order(order)
                                .open()));
            }
            check(
                    "scan with a condition",
                    () -> count(IndexedScan.of(snapshot, index)
                            .where(Where.parse("v > 100 and v < 1000000000 or v == 5"))
                            .open()));
            check(
                    "aggregate",
                    () -> IndexedAggregate.of(snapshot, index)
                            .values(ValueRange.above(3))
                            .run()
                            .count());
            check("percentiles", () -> {
                IndexedAggregate.Result result = IndexedAggregate.of(snapshot, index)
                        .percentiles(1, 10, 50, 90, 99, 99.9)
                        .run();
                assertEquals(6, result.percentiles().size());
                return result.statistics().recordsReturned();
            });
            check(
                    "percentiles with a condition",
                    () -> IndexedAggregate.of(snapshot, index)
                            .percentiles(50, 99.99)
                            .where(Where.parse("v > 10"))
                            .run()
                            .count());
        }
    }
}
