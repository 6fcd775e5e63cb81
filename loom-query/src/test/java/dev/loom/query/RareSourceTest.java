package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of a source that has one an hour, among 4,095 that are busy, is found by reading a handful of pages. */
class RareSourceTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long START = 1_000 * HOUR;
    private static final int HOURS = 60;
    private static final int BUSY = 4_095;
    private static final int PAGES = 8;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
    private final int[] busy = new int[BUSY];

    @TempDir
    Path dir;

    private long now = START;

    @Test
    void shouldReadAHandfulOfPagesWhenTheSourceIsRare() {
        int rare;
        try (Loom loom = Loom.open(LoomConfig.at(dir)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .clock(() -> now)
                .build())) {
            rare = loom.defineSource("rare", Formats.parse("bytes"));
            for (int i = 0; i < BUSY; i++) {
                busy[i] = loom.defineSource("busy-" + i, Formats.parse("bytes"));
            }
            for (int hour = 0; hour < HOURS; hour++) {
                pushHour(loom, rare, hour);
            }
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, rare);
            }
        }
        try (LoomReader reader = LoomReader.attach(dir);
                Snapshot snapshot = reader.snapshot()) {
            check(snapshot, rare);
        }
    }

    /** Chunks that hold more sources than one part of a directory takes, then the rare source's record. */
    private void pushHour(Loom loom, int rare, int hour) {
        for (int i = 0; i < 2 * BUSY; i++) {
            now = START + hour * HOUR + i;
            loom.push(busy[i % BUSY], payload, 0, i % 3);
        }
        payload.putLong(0, hour);
        loom.push(rare, payload, 0, 64);
    }

    private static void check(Snapshot snapshot, int rare) {
        assertTrue(snapshot.tailAddress() > 2L * HOURS * PageDescriptor.PAGE_LENGTH, "there is something to skip");
        assertEquals(HOURS, snapshot.statistics(rare).records());
        for (Order order : Order.values()) {
            checkFirst(snapshot, rare, TimeRange.ALL, order, order == Order.NEWEST_FIRST ? HOURS - 1 : 0);
            for (int hour = 0; hour < HOURS; hour += 7) {
                long from = START + hour * HOUR;
                checkFirst(snapshot, rare, new TimeRange(from, from + HOUR), order, hour);
                TimeRange toEnd = new TimeRange(from, Long.MAX_VALUE);
                checkFirst(snapshot, rare, toEnd, order, order == Order.NEWEST_FIRST ? HOURS - 1 : hour);
            }
            TimeRange empty = new TimeRange(START + 5 * HOUR + HOUR / 2, START + 6 * HOUR);
            try (QueryCursor cursor =
                    RawScan.of(snapshot, rare).range(empty).order(order).open()) {
                assertFalse(cursor.next());
                assertTrue(cursor.statistics().pagesRead() <= PAGES, () -> "pages read: " + cursor.statistics());
            }
        }
    }

    private static void checkFirst(Snapshot snapshot, int rare, TimeRange range, Order order, int hour) {
        try (QueryCursor cursor =
                RawScan.of(snapshot, rare).range(range).order(order).open()) {
            assertTrue(cursor.next());
            assertEquals(hour, cursor.buffer().getLong(cursor.offset()));
            QueryStatistics statistics = cursor.statistics();
            assertTrue(statistics.pagesRead() <= PAGES, () -> "pages read: " + statistics + ", range=" + range);
            // the chain, at most a page of the index for each hour, and never the whole index
            long indexMax = (HOURS + PAGES) * (long) PageDescriptor.PAGE_LENGTH * 2;
            assertTrue(statistics.bytesRead() <= indexMax, () -> "bytes read: " + statistics + ", range=" + range);
        }
    }
}
