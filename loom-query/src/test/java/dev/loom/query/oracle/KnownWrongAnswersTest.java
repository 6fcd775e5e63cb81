package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The questions to which the paper authors' prototype gives wrong answers. */
// in one thread, for the store is closed by who has pushed
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SAME_THREAD)
class KnownWrongAnswersTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");

    @TempDir
    Path directory;

    private long now = 1;
    private Loom loom;
    private int source;

    @BeforeEach
    void open() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .clock(() -> now)
                .build());
        source = loom.defineSource("a", FORMAT);
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private void defineIndex() {
        loom.defineIndex(source, "v", IndexFunction.field(FORMAT, "v"), Bins.linear(0, 1000, 10));
    }

    private void push(long time, long... values) {
        now = time;
        for (long value : values) {
            byte[] payload = ByteBuffer.allocate(Long.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(value)
                    .array();
            assertTrue(loom.push(source, payload) >= 0);
        }
    }

    private void check(TimeRange times, ValueRange values, Long... expected) {
        try (Snapshot snapshot = loom.snapshot()) {
            Index index = snapshot.index(source, "v").orElseThrow();
            for (Order order : Order.values()) {
                List<Long> found = new ArrayList<>();
                try (QueryCursor cursor = IndexedScan.of(snapshot, index)
                        .range(times)
                        .values(values)
                        .order(order)
                        .open()) {
                    while (cursor.next()) {
                        found.add(cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
                    }
                }
                if (order == Order.NEWEST_FIRST) {
                    Collections.reverse(found);
                }
                assertEquals(List.of(expected), found, () -> "order=" + order);
            }
            IndexedAggregate.Result sum = IndexedAggregate.of(snapshot, index)
                    .range(times)
                    .values(values)
                    .percentiles(0, 100)
                    .run();
            assertEquals(expected.length, sum.count());
            assertEquals(List.of(expected).stream().mapToLong(Long::longValue).sum() + "", sum.sum());
            if (expected.length > 0) {
                assertEquals(
                        Collections.max(List.of(expected)).toString(),
                        sum.percentile(100).orElseThrow().toString());
                assertEquals(
                        Collections.min(List.of(expected)).toString(),
                        sum.percentile(0).orElseThrow().toString());
            }
        }
    }

    @Test
    void shouldAnswerForAValueRangeStrictlyInsideABin() {
        defineIndex();
        push(1, 110, 120, 150, 151, 160, 199, 250);
        loom.force();
        push(2, 101, 199);
        loom.force();
        ValueRange inside = ValueRange.atLeast(120).to(ValueRange.below(160));
        check(TimeRange.ALL, inside, 120L, 150L, 151L);
        check(TimeRange.ALL, ValueRange.above(151).to(ValueRange.below(160)));
    }

    @Test
    void shouldAnswerForATimeWindowInsideOneChunk() {
        defineIndex();
        push(10, 1);
        push(20, 2);
        push(30, 3);
        push(40, 4);
        loom.force();
        push(50, 5);
        check(new TimeRange(15, 35), ValueRange.ALL, 2L, 3L);
        check(new TimeRange(20, 21), ValueRange.ALL, 2L);
        check(new TimeRange(21, 30), ValueRange.ALL);
        check(new TimeRange(35, 45), ValueRange.ALL, 4L);
    }

    @Test
    void shouldAnswerForRecordsOfOneTimeOnBothSidesOfTheActiveChunksEdge() {
        defineIndex();
        push(10, 1, 2);
        loom.force();
        push(10, 3);
        loom.force();
        push(10, 4, 5);
        push(11, 6);
        check(new TimeRange(10, 11), ValueRange.ALL, 1L, 2L, 3L, 4L, 5L);
        check(new TimeRange(11, 12), ValueRange.ALL, 6L);
        check(new TimeRange(9, 10), ValueRange.ALL);
        check(new TimeRange(10, 11), ValueRange.atLeast(3), 3L, 4L, 5L);
    }

    @Test
    void shouldAnswerForRecordsFromBeforeTheIndexAndAfterItsEnd() {
        push(10, 1, 500);
        loom.force();
        push(20, 2);
        defineIndex();
        push(21, 501);
        loom.force();
        push(30, 3, 502);
        loom.force();
        loom.closeIndex(loom.indexes().get(0).id());
        push(40, 4, 503);
        loom.force();
        push(50, 504);
        check(TimeRange.ALL, ValueRange.above(100), 500L, 501L, 502L, 503L, 504L);
        check(new TimeRange(15, 45), ValueRange.ALL, 2L, 501L, 3L, 502L, 4L, 503L);
    }
}
