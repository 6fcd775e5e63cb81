package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Operator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What largest records, histograms, correlations and groups hold of memory, over a store and over one four times as large: what was
 * allocated on the heap, whether still in use or not, and direct memory at its height.
 */
class OperatorMemoryTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64,duration:i64");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    private static final IndexFunction DURATION = IndexFunction.field(FORMAT, "duration");
    private static final long QUERY_BYTES_MAX = 1 << 20;
    private static final int GARBAGE_A_FILE = 3_000;
    private static final int RECORDS = 50_000;
    /** What a positional read of a file leaves to the collector: each of the largest records is read by one. */
    private static final long GARBAGE_A_READ = 2048;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[200]);

    @TempDir
    Path directory;

    private interface Operator {
        /** Runs it to its end, with calls now and then. */
        void run(Snapshot snapshot, int a, int b, Runnable now);
    }

    private record Named(String name, long bytesMax, Operator operator) {}

    private static List<Named> operators() {
        List<Named> operators = new ArrayList<>();
        operators.add(new Named("top 100", QUERY_BYTES_MAX, (snapshot, a, b, now) -> top(snapshot, a, 100, now)));
        operators.add(new Named(
                "top " + TopRecords.COUNT_MAX,
                QUERY_BYTES_MAX + (32L + GARBAGE_A_READ) * TopRecords.COUNT_MAX,
                (snapshot, a, b, now) -> top(snapshot, a, TopRecords.COUNT_MAX, now)));
        operators.add(new Named(
                "histogram",
                QUERY_BYTES_MAX,
                (snapshot, a, b, now) ->
                        Histogram.of(snapshot, a, VALUE).pulse(now).run()));
        operators.add(
                new Named("correlate", 2 * QUERY_BYTES_MAX, (snapshot, a, b, now) -> correlate(snapshot, a, b, now)));
        operators.add(new Named("groups", 2 * QUERY_BYTES_MAX, (snapshot, a, b, now) -> groups(snapshot, a, now)));
        operators.add(new Named(
                "percentiles of groups",
                18 * QUERY_BYTES_MAX,
                (snapshot, a, b, now) -> groups(snapshot, a, now, 50, 99)));
        return operators;
    }

    private static void groups(Snapshot snapshot, int source, Runnable now, double... percentiles) {
        try (Groups groups = GroupedAggregate.of(snapshot, source, VALUE)
                .by("duration")
                .percentiles(percentiles)
                .pulse(now)
                .run()) {
            assertEquals(80, groups.size());
        }
    }

    private static void top(Snapshot snapshot, int source, int count, Runnable now) {
        try (TopRecords.Cursor cursor =
                TopRecords.of(snapshot, source, VALUE, count).pulse(now).open()) {
            int found = 0;
            while (cursor.next()) {
                found++;
            }
            assertEquals(count, found);
        }
    }

    private static void correlate(Snapshot snapshot, int a, int b, Runnable now) {
        try (Correlation.Cursor cursor = Correlation.of(
                        snapshot,
                        b,
                        () -> RawScan.of(snapshot, a)
                                .where(Where.parse("value < 20000"))
                                .pulse(now)
                                .open())
                .durations(DURATION, DURATION)
                .distinct(true)
                .pulse(now)
                .open()) {
            long found = 0;
            while (cursor.next()) {
                found++;
            }
            assertTrue(found > 1_000);
        }
    }

    @Test
    void shouldTakeAsMuchMemoryForMoreRecords() {
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .build())) {
            int a = loom.defineSource("a", FORMAT);
            int b = loom.defineSource("b", FORMAT);
            loom.defineIndex(a, "value", VALUE, Bins.logLinear());
            loom.defineIndex(b, "duration", DURATION, Bins.logLinear());
            for (int factor = 1; factor <= 3; factor += 2) {
                push(loom, a, b, RECORDS * factor);
                loom.force();
                loom.finishRollups((done, total) -> true); // its thread has memory of its own
                for (Named named : operators()) {
                    try (Snapshot snapshot = loom.snapshot()) {
                        // classes and caches of the first time are nobody's query
                        measure(named, snapshot, a, b);
                        long held = measure(named, snapshot, a, b);
                        System.out.println("OperatorMemoryTest " + named.name() + ": bytes=" + held);
                        // the runs of tests are short, so that their files are many, and each is opened in two passes
                        long opening = 2L * GARBAGE_A_FILE * files();
                        assertTrue(held <= named.bytesMax() + opening, () -> named.name() + ": bytes=" + held);
                    }
                }
            }
        }
    }

    private int files() {
        String[] names = directory.resolve("rollup").toFile().list();
        return names == null ? 0 : names.length;
    }

    private long measure(Named named, Snapshot snapshot, int a, int b) {
        long directBefore = direct.getMemoryUsed();
        long heapBefore = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        long[] directMax = {directBefore};
        named.operator().run(snapshot, a, b, () -> directMax[0] = Math.max(directMax[0], direct.getMemoryUsed()));
        long heap = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - heapBefore;
        assertTrue(direct.getMemoryUsed() <= directBefore, "freed by close");
        return heap + directMax[0] - directBefore;
    }

    private void push(Loom loom, int a, int b, int count) {
        for (int i = 0; i < count; i++) {
            payload.putLong(0, i * 7_919L % 1_000_003, ByteOrder.LITTLE_ENDIAN);
            payload.putLong(8, 1_000_000 + i % 100, ByteOrder.LITTLE_ENDIAN);
            loom.push(i % 5 == 0 ? b : a, payload, 0, 100);
        }
    }
}
