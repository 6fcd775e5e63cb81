package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.value.BinScale;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The paper's running example (Figures 6 to 8): seven records of latencies in seconds, with chunks that close at 19 and 31,
 * and the bins below 10, [10, 15), [15, 20), 20 and above.
 *
 * <p>Where the layout differs: our chunks are pages, which {@code force()} ends here, at times 19 and 31 at which nothing is
 * written. In place of the periodic entries of Figure 7 for the records at 17, 25 and 32, each chunk's directory has the
 * times of the source's first and last record, and records are found by time within the chunk.
 */
class PaperExampleTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:latency_s:i64");

    @TempDir
    Path directory;

    private long now;
    private Loom loom;
    private int source;
    private Snapshot snapshot;
    private Index index;

    @BeforeEach
    void pushTheSevenRecords() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .clock(() -> now)
                .build());
        now = 1;
        source = loom.defineSource("hft", FORMAT);
        int other = loom.defineSource("other", Formats.parse("bytes"));
        loom.defineIndex(source, "latency_s", IndexFunction.field(FORMAT, "latency_s"), Bins.edges(10, 15, 20));
        push(14, 10);
        // the figure's ellipses: records of other sources
        now = 15;
        loom.push(other, new byte[100]);
        push(17, 13);
        push(18, 9);
        loom.force();
        push(25, 11);
        push(29, 23);
        loom.force();
        push(32, 6);
        push(33, 12);
        snapshot = loom.snapshot();
        index = snapshot.index(source, "latency_s").orElseThrow();
    }

    @AfterEach
    void close() {
        snapshot.close();
        loom.close();
    }

    private void push(long time, long latency) {
        now = time;
        byte[] payload = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(latency)
                .array();
        assertTrue(loom.push(source, payload) >= 0);
    }

    /** Figure 8, newest chunk first: bin, count, sum, min, max; and of the chunk the times. */
    @Test
    void shouldSummariseTheChunksAsInFigure8() {
        BinListReader list = new BinListReader(BinScale.of(index.bins(), ValueType.I64), ValueType.I64);
        List<String> summaries = new ArrayList<>();
        try (SnapshotReader reader = SnapshotReader.of(snapshot);
                ChunkCursor chunks = reader.newestFirst(source, Long.MAX_VALUE)) {
            assertTrue(chunks.next());
            assertFalse(chunks.listed(), "the active chunk's summary is not accessible to queries");
            ChunkSummary summary = reader.summary();
            while (chunks.next()) {
                assertTrue(summary.read(chunks, index));
                assertTrue(summary.readBins(list));
                StringBuilder text = new StringBuilder();
                text.append(chunks.firstTimeNs()).append('-').append(chunks.lastTimeNs());
                while (list.next()) {
                    LongSum sum = new LongSum();
                    list.addKeysTo(sum);
                    text.append("; bin ").append(list.bin());
                    text.append(": count ")
                            .append(list.count())
                            .append(", sum ")
                            .append(sum);
                    text.append(", min ").append(list.minKey()).append(", max ").append(list.maxKey());
                }
                summaries.add(text.toString());
            }
        }
        assertEquals(
                List.of(
                        "25-29; bin 1: count 1, sum 11, min 11, max 11; bin 3: count 1, sum 23, min 23, max 23",
                        "14-18; bin 0: count 1, sum 9, min 9, max 9; bin 1: count 2, sum 23, min 10, max 13"),
                summaries);
    }

    private static List<Long> times(QueryCursor cursor) {
        List<Long> times = new ArrayList<>();
        while (cursor.next()) {
            times.add(cursor.timeNs());
        }
        return times;
    }

    /** Figure 7's timestamp index: the records at 17, 25 and 32, and the chunks that close at 19 and 31. */
    @Test
    void shouldFindTheTimestampIndexsRecordsAndChunksByTime() {
        for (long time : new long[] {17, 25, 32}) {
            for (Order order : Order.values()) {
                RawScan scan = RawScan.of(snapshot, source)
                        .range(new TimeRange(time, time + 1))
                        .order(order);
                try (QueryCursor cursor = scan.open()) {
                    assertEquals(List.of(time), times(cursor));
                    assertTrue(cursor.statistics().pagesRead() <= 2, () -> "" + cursor.statistics());
                }
            }
        }
        try (QueryCursor first =
                        RawScan.of(snapshot, source).range(new TimeRange(0, 19)).open();
                QueryCursor second = RawScan.of(snapshot, source)
                        .range(new TimeRange(19, 31))
                        .open()) {
            assertEquals(List.of(18L, 17L, 14L), times(first));
            assertEquals(List.of(29L, 25L), times(second));
        }
    }

    @Test
    void shouldScanByValueThroughTheSummaries() {
        check(ValueRange.atLeast(20), List.of(29L), 1);
        check(ValueRange.below(10), List.of(32L, 18L), 1);
        check(ValueRange.atLeast(10).to(ValueRange.below(15)), List.of(33L, 25L, 17L, 14L), 0);
        check(ValueRange.atLeast(15).to(ValueRange.below(20)), List.of(), 2);
        // strictly inside a bin, where the bin's minimum and maximum decide
        check(ValueRange.atLeast(12).to(ValueRange.atMost(12)), List.of(33L), 2);
    }

    private void check(ValueRange values, List<Long> expected, long chunksSkipped) {
        try (QueryCursor cursor = IndexedScan.of(snapshot, index).values(values).open()) {
            assertEquals(expected, times(cursor));
            assertEquals(chunksSkipped, cursor.statistics().pagesSkippedByBins(), values::toString);
        }
    }

    @Test
    void shouldAggregateTheChunksFromTheirSummariesAndScanTheActiveOne() {
        IndexedAggregate.Result all = IndexedAggregate.of(snapshot, index)
                .percentiles(50, 75, 99, 100)
                .run();
        assertEquals(7, all.count());
        assertEquals("84", all.sum());
        assertEquals(12.0, all.mean());
        assertEquals("6", all.min().orElseThrow().toString());
        assertEquals("23", all.max().orElseThrow().toString());
        assertEquals("{50.0=11, 75.0=13, 99.0=23, 100.0=23}", all.percentiles().toString());
        // every bin gives its values away: besides the active chunk none is read, in none of the passes
        long passes = all.statistics().chunksRead();
        assertEquals(passes, all.statistics().pagesRead());
        assertEquals(2, all.statistics().chunksFromTotals());

        // a range that cuts the first chunk: it is read, the second is not
        IndexedAggregate.Result cut = IndexedAggregate.of(snapshot, index)
                .range(new TimeRange(17, 30))
                .run();
        assertEquals(4, cut.count());
        assertEquals("56", cut.sum());
        assertEquals(1, cut.statistics().chunksFromTotals());
    }
}
