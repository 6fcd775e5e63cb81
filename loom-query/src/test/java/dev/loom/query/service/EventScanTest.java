package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventScanTest {
    private static final long BASE_NS = 200_000_000_000_000_000L;

    @TempDir
    Path directory;

    @Test
    void shouldOrderAnyInputInAnyRoom() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        try (TimedStore store = new TimedStore(directory)) {
            for (int i = 0; i < 600; i++) {
                store.push(BASE_NS + random.nextInt(200), random.nextInt(100));
            }
            for (int round = 0; round < 40; round++) {
                Order order = random.nextBoolean() ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
                long roomBytes = 1L << (9 + random.nextInt(11));
                long limit = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(700);
                long fromNs = BASE_NS + random.nextInt(200);
                TimeRange range =
                        random.nextBoolean() ? TimeRange.ALL : new TimeRange(fromNs, fromNs + random.nextInt(90));
                TimedStore.Kept kept = new TimedStore.Kept();
                int scans = query(store, order, roomBytes, limit, range, kept).scans();
                assertEquals(expected(store, order, limit, range), kept.rows, "seed=" + seed + ", round=" + round);
                assertTrue(roomBytes < 1 << 18 || scans <= 1, "scans=" + scans + ", room=" + roomBytes);
            }
        }
    }

    /** An index over event times tells which parts of the log are handed over, or come later. */
    @Test
    void shouldReadEachPageAboutOnceWhenRecordsComeAboutInOrder() {
        Random random = new Random(11);
        try (TimedStore store = new TimedStore(directory)) {
            for (int i = 0; i < 20_000; i++) {
                store.push(BASE_NS + i * 1_000L + random.nextInt(100_000), 80);
            }
            for (Order order : Order.values()) {
                TimedStore.Kept kept = new TimedStore.Kept();
                QueryReport whole = query(store, order, 200_000, Long.MAX_VALUE, TimeRange.ALL, kept);
                assertEquals(expected(store, order, Long.MAX_VALUE, TimeRange.ALL), kept.rows);
                long pages = whole.statistics().pagesConsidered() / whole.scans();
                assertTrue(whole.scans() > 10 && pages > 30, "scans=" + whole.scans() + ", pages=" + pages);
                long read = whole.statistics().pagesRead();
                assertTrue(read < 4 * pages, "read=" + read + ", of=" + pages);
                TimedStore.Kept first = new TimedStore.Kept();
                QueryReport one = query(store, order, 1 << 20, 1, TimeRange.ALL, first);
                assertEquals(expected(store, order, 1, TimeRange.ALL), first.rows);
                long readOfOne = one.statistics().pagesRead();
                assertTrue(readOfOne <= 4, "read=" + readOfOne + ", of=" + pages);
            }
        }
    }

    private static List<List<Long>> expected(TimedStore store, Order order, long limit, TimeRange range) {
        Comparator<List<Long>> ascending =
                Comparator.<List<Long>, Long>comparing(row -> row.get(0)).thenComparing(row -> row.get(1));
        return store.rows().stream()
                .filter(row -> row.get(0) >= range.fromNs() && row.get(0) < range.toNs())
                .sorted(order == Order.OLDEST_FIRST ? ascending : ascending.reversed())
                .limit(limit)
                .toList();
    }

    private static QueryReport query(
            TimedStore store, Order order, long roomBytes, long limit, TimeRange range, ResultHandler results) {
        QueryExecution run = new QueryExecution(QueryLimits.NONE, QueryMemory.UNLIMITED, () -> false, results);
        try (Snapshot snapshot = store.snapshot();
                RecordLookup lookup = snapshot.lookup()) {
            LimitedRecords records = new LimitedRecords(results, limit);
            new EventScan(run, new TimedStore.Clock(), lookup, records, roomBytes)
                    .run(() -> RawScan.of(snapshot, store.source()), range, order);
        }
        return run.report(0, false);
    }
}
