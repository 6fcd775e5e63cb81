package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.where.Where;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TextSearchTest {
    private static final int LINES = 20_000;

    @TempDir
    Path temp;

    private Loom loom;
    private long nowNs;
    private Source log;
    private Source orders;

    @BeforeEach
    void fill() {
        loom = Loom.open(
                LoomConfig.at(temp).textIndexShare(1).clock(() -> nowNs).build());
        loom.defineSource("log", Formats.text());
        StructFormat format = Formats.struct("who:utf8,what:utf8,price:i64");
        loom.defineSource("orders", format, Map.of(TextSearch.FIELD_ATTRIBUTE, "what"));
        log = loom.sources().get(0);
        orders = loom.sources().get(1);
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        for (int i = 0; i < LINES; i++) {
            nowNs = i;
            String line = "request " + i + (i % 1_000 == 0 ? " has failed" : " is done");
            loom.push(log.id(), line.getBytes(StandardCharsets.US_ASCII));
            writer.begin(payload, 0);
            writer.setUtf8(0, i % 2 == 0 ? "Ann" : "Bob");
            writer.setUtf8(1, i % 3 == 0 ? "tea and milk" : "coffee");
            writer.setLong(2, i);
            loom.push(orders.id(), payload, 0, writer.finish());
        }
        assertTrue(loom.finishTextIndex((done, total) -> true));
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private static List<Long> times(TextSearch search) {
        List<Long> times = new ArrayList<>();
        assertTrue(search.forEach((timeNs, buffer, offset, length) -> times.add(timeNs))
                .complete());
        return times;
    }

    @Test
    void shouldEndOnceItHasAsManyAsWanted() {
        try (Snapshot snapshot = loom.snapshot()) {
            TextSearch search = TextSearch.of(snapshot, log, "failed").limit(2);
            assertEquals(List.of(19_000L, 18_000L), times(search));
            assertEquals(List.of(0L, 1_000L), times(search.order(Order.OLDEST_FIRST)));
            assertEquals(List.of(), times(search.limit(0)));
            assertEquals(List.of(5_000L), times(search.limit(9).range(new TimeRange(4_001, 6_000))));
            try (QueryCursor cursor =
                    TextSearch.of(snapshot, log, "fail* NOT 19000").limit(1).open()) {
                assertTrue(cursor.next());
                assertEquals(18_000, cursor.timeNs());
                long read = cursor.statistics().pagesRead();
                assertFalse(cursor.next());
                assertFalse(cursor.next());
                assertEquals(read, cursor.statistics().pagesRead());
                assertTrue(cursor.completeness().complete());
            }
        }
    }

    @Test
    void shouldSearchTheTextOfTheSourceAndOtherFields() {
        try (Snapshot snapshot = loom.snapshot()) {
            TextSearch search = TextSearch.of(snapshot, orders, "\"and milk\"").limit(2);
            assertEquals(List.of(19_998L, 19_995L), times(search));
            assertEquals(List.of(19_995L, 19_989L), times(search.and("who", "bob")));
            assertEquals(List.of(9_999L, 9_993L), times(search.where(Where.parse("price < 10000"))));
            assertEquals(
                    List.of(19_999L),
                    times(TextSearch.of(snapshot, orders, "who", "BOB").limit(1)));
        }
    }

    @Test
    void shouldCountWhatItSearches() {
        try (Snapshot snapshot = loom.snapshot()) {
            TextSearch search = TextSearch.of(snapshot, orders, "tea")
                    .and("who", "ann")
                    .limit(3)
                    .range(new TimeRange(0, 6_000));
            ProgressiveCount.Counts counts =
                    search.progressive().step(Duration.ofNanos(3_000)).run();
            assertEquals(500, counts.count(0));
            assertEquals(500, counts.count(1));
            assertTrue(counts.isExact());
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        loom.defineSource("bytes", Formats.bytes());
        try (Snapshot snapshot = loom.snapshot()) {
            Source bytes = loom.sources().get(2);
            assertThrows(IllegalArgumentException.class, () -> TextSearch.of(snapshot, bytes, "a"));
            assertThrows(IllegalArgumentException.class, () -> TextSearch.of(snapshot, log, "body", "a"));
            assertThrows(QuerySyntaxException.class, () -> TextSearch.of(snapshot, log, "a OR"));
            TextSearch search = TextSearch.of(snapshot, log, "a");
            assertThrows(IllegalArgumentException.class, () -> search.limit(-1));
        }
    }
}
