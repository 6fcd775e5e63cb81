package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a query counts of its work, whatever indexes it may use. */
class CountersTest {
    @TempDir
    Path directory;

    @Test
    void shouldCountAPageAsAChunkWhereNoDirectoryIsRead() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("CountersTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        try (OperatorStore store = new OperatorStore(directory, random)) {
            store.fill(2_500);
            try (Snapshot snapshot = store.loom().snapshot()) {
                for (Order order : Order.values()) {
                    for (boolean chunkIndex : new boolean[] {true, false}) {
                        RawScan scan = RawScan.of(snapshot, store.sourceA).order(order);
                        QueryStatistics work =
                                work(scan.use(QueryIndex.TIME, false).use(QueryIndex.CHUNK, chunkIndex));
                        assertTrue(work.pagesConsidered() > 10, work::toString);
                        assertEquals(work.pagesConsidered(), work.chunksRead(), work::toString);
                        assertEquals(
                                0,
                                work.pagesSkipped() + work.pagesSkippedByBins() + work.pagesSkippedByTokens(),
                                work::toString);
                    }
                }
                QueryStatistics listed =
                        work(RawScan.of(snapshot, store.sourceA).order(Order.NEWEST_FIRST));
                assertTrue(listed.chunksRead() > 10, listed::toString);
            }
        }
    }

    private static QueryStatistics work(RawScan scan) {
        try (QueryCursor cursor = scan.open()) {
            while (cursor.next()) {
                assertTrue(cursor.length() > 0);
            }
            return cursor.statistics();
        }
    }

    @Test
    void shouldCountTheSameAfterACursorIsClosed() {
        try (OperatorStore store = new OperatorStore(directory, new Random(1))) {
            store.fill(2_500);
            try (Snapshot snapshot = store.loom().snapshot()) {
                RawScan scan = RawScan.of(snapshot, store.sourceA);
                IndexFunction function = snapshot.indexes(store.sourceA).get(0).function();
                List<Supplier<? extends QueryCursor>> operators = List.of(
                        scan::open,
                        TopRecords.of(snapshot, store.sourceA, function, 3)::open,
                        Correlation.of(snapshot, store.sourceA, scan::open)::open);
                for (Supplier<? extends QueryCursor> operator : operators) {
                    QueryCursor cursor = operator.get();
                    assertTrue(cursor.next());
                    QueryStatistics before = cursor.statistics();
                    assertTrue(before.bytesRead() > 0, before::toString);
                    cursor.close();
                    cursor.close();
                    assertEquals(before, cursor.statistics());
                    assertThrows(IllegalStateException.class, cursor::next);
                }
            }
        }
    }
}
