package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The schema, payload lengths and arrival times at their edges. */
class LimitsTest {
    private static final long YEAR = TimeUnit.DAYS.toNanos(365);
    private static final long DELTA_MAX = (1L << 48) - 1;

    @TempDir
    Path dir;

    private long now = 40 * YEAR;

    private Loom open() {
        return Loom.open(LoomConfig.at(dir)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> now)
                .build());
    }

    @Test
    void shouldDefineANameAgainWhenItsSourceIsClosed() {
        int first;
        int second;
        try (Loom loom = open()) {
            first = loom.defineSource("a", Formats.parse("bytes"), Map.of("k", "v", "", " = \n"));
            assertThrows(IllegalArgumentException.class, () -> loom.defineSource("a", Formats.parse("bytes")));
            loom.push(first, new byte[1]);
            loom.closeSource(first);
            loom.closeSource(first);
            assertEquals(PushStatus.SOURCE_CLOSED, loom.push(first, new byte[1]));
            assertEquals(PushStatus.SOURCE_CLOSED, loom.claim(first, 1));
            assertEquals(0, loom.pushBatch(first, new UnsafeBuffer(new byte[1]), 0, new int[] {1}, 1));
            second = loom.defineSource("a", Formats.parse("text"));
            assertTrue(second > first);
            loom.push(second, new byte[2]);
        }
        try (Loom loom = open()) {
            Source closed = loom.sources().get(0);
            assertEquals(Map.of("k", "v", "", " = \n"), closed.attributes());
            assertTrue(closed.closed());
            assertEquals(second, loom.source("a").orElseThrow().id());
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(1, snapshot.statistics(first).records());
                assertEquals(1, snapshot.statistics(second).records());
            }
            loom.closeSource(second);
            assertTrue(loom.defineSource("a", Formats.parse("bytes")) > second);
            assertThrows(IllegalArgumentException.class, () -> loom.push(0, new byte[1]));
            assertThrows(IllegalArgumentException.class, () -> loom.push(second + 2, new byte[1]));
            assertThrows(IllegalArgumentException.class, () -> loom.push(-1, new byte[1]));
            assertThrows(IllegalArgumentException.class, () -> loom.closeSource(second + 2));
        }
    }

    @Test
    void shouldTakeNamesUpToTheirLimits() {
        try (Loom loom = open()) {
            loom.defineSource("n".repeat(255), Formats.parse("bytes"));
            loom.defineSource("\u00e4\u20ac", Formats.parse("bytes"));
            for (String bad :
                    List.of("", "n".repeat(256), "a b", "#a", "-a", "a\u0000", "a\u202eb", "\u00a0", "\ud800")) {
                assertThrows(IllegalArgumentException.class, () -> loom.defineSource(bad, Formats.parse("bytes")), bad);
            }
        }
    }

    @Test
    void shouldServeAllOpenSourcesWhenRingsAreSmallest() {
        try (Loom loom = open()) {
            int[] ids = new int[4096];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = loom.defineSource("source-" + i, Formats.parse("bytes"));
            }
            assertThrows(IllegalArgumentException.class, () -> loom.defineSource("more", Formats.parse("bytes")));
            for (int round = 0; round < 20; round++) {
                for (int id : ids) {
                    assertTrue(loom.push(id, new byte[0]) >= 0);
                }
            }
            loom.closeSource(ids[0]);
            loom.defineSource("more", Formats.parse("bytes"));
        }
        try (Loom loom = open();
                Snapshot snapshot = loom.snapshot()) {
            for (Source source : snapshot.sources()) {
                int expected = source.name().equals("more") ? 0 : 20;
                assertEquals(expected, snapshot.statistics(source.id()).records(), source.name());
            }
        }
    }

    @Test
    void shouldTakePayloadsUpToTheirLimits() {
        try (Loom loom = open()) {
            int id = loom.defineSource("a", Formats.parse("bytes"));
            int max = loom.payloadLengthMax();
            assertEquals(LoomConfig.RING_BYTES_MIN / 4, max);
            assertEquals(65_456, loom.claimLengthMax());
            UnsafeBuffer payload = new UnsafeBuffer(new byte[2 * max]);
            int[] lengths = {0, 1, 65_455, 65_456, 65_457, max};
            long bytes = 0;
            for (int length : lengths) {
                assertTrue(loom.push(id, payload, 0, length) >= 0);
                assertTrue(loom.offer(id, payload, 0, Math.min(length, 8)) != PushStatus.SOURCE_CLOSED);
                bytes += length;
            }
            assertThrows(IllegalArgumentException.class, () -> loom.push(id, payload, 0, max + 1));
            assertThrows(IllegalArgumentException.class, () -> loom.claim(id, 65_457));
            assertThrows(IllegalArgumentException.class, () -> loom.claim(id, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> loom.push(id, payload, 2 * max, 1));
            int other = loom.defineSource("b", Formats.parse("bytes"));
            assertEquals(3, loom.pushBatch(other, payload, 0, new int[] {5, max, 0}, 3));
            assertThrows(
                    IllegalArgumentException.class, () -> loom.pushBatch(other, payload, 0, new int[] {1, max + 1}, 2));
            assertTrue(loom.claim(other, 65_456) >= 0);
            loom.claimed().commit();
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(snapshot.statistics(id).bytes() >= bytes);
                assertEquals(4, snapshot.statistics(other).records(), "a refused batch leaves nothing");
                assertEquals(5 + max + 65_456, snapshot.statistics(other).bytes());
            }
        }
    }

    @Test
    void shouldNeverGiveATimeBeforeTheLastWhenTheClockJumps() {
        long[] clock = {
            0,
            40 * YEAR,
            39 * YEAR,
            40 * YEAR,
            40 * YEAR + DELTA_MAX,
            40 * YEAR + DELTA_MAX + 1,
            -YEAR,
            Long.MIN_VALUE,
            50 * YEAR,
            50 * YEAR,
            90 * YEAR,
            3
        };
        int count = 0;
        for (int session = 0; session < 3; session++) {
            try (Loom loom = open()) {
                int id = loom.source("a").map(Source::id).orElse(0);
                id = id == 0 ? loom.defineSource("a", Formats.parse("bytes")) : id;
                for (long time : clock) {
                    now = time;
                    loom.push(id, new byte[8]);
                    count++;
                }
                checkTimes(loom, id, count);
            }
            now = 1;
        }
    }

    private static void checkTimes(Loom loom, int id, int count) {
        try (Snapshot snapshot = loom.snapshot();
                QueryCursor cursor =
                        RawScan.of(snapshot, id).order(Order.OLDEST_FIRST).open()) {
            long last = 0;
            for (int i = 0; i < count; i++) {
                assertTrue(cursor.next());
                assertTrue(cursor.timeNs() >= last);
                last = cursor.timeNs();
            }
            assertFalse(cursor.next());
            assertEquals(90 * YEAR, last);
        }
    }

    @Test
    void shouldKeepTheTimeWhenItIsPastWhatAPageCanHold() {
        long base = now;
        long[] times = {base, base + DELTA_MAX, base + DELTA_MAX + 1, base + 3 * DELTA_MAX, base + 3 * DELTA_MAX};
        try (Loom loom = open()) {
            int id = loom.defineSource("a", Formats.parse("bytes"));
            for (long time : times) {
                now = time;
                loom.push(id, new byte[8]);
            }
            try (Snapshot snapshot = loom.snapshot();
                    QueryCursor cursor =
                            RawScan.of(snapshot, id).order(Order.OLDEST_FIRST).open()) {
                for (long time : times) {
                    assertTrue(cursor.next());
                    assertEquals(time, cursor.timeNs());
                }
            }
        }
    }
}
