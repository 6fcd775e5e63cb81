package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.ExpiredException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.TimeRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries while retention deletes what they read, and what they do not. */
final class RetentionQueryTest {
    private static final long SEGMENT = 256 << 10;
    private static final long BUDGET = 32 * SEGMENT;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path store;

    private Loom loom;
    private Source source;

    /** The value of each record, in the order of arrival; record i arrived at time i + 1. */
    private final List<Long> pushed = new ArrayList<>();

    private final List<Long> addresses = new ArrayList<>();

    @BeforeEach
    void open() {
        System.out.println("RetentionQueryTest -Dloom.test.seed=" + seed);
        loom = Loom.open(LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT)
                .maxBytes(BUDGET)
                .minFreeBytes(0)
                // what a background thread adds would let retention delete more behind a snapshot
                .rollupShare(0)
                .clock(() -> pushed.size() + 1)
                .build());
        source = define("values", Formats.struct("value:i64,a:i64,b:i64,c:i64,d:i64,e:i64,f:i64,g:i64,h:i64,i:i64"));
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private Source define(String name, PayloadFormat format) {
        loom.defineSource(name, format);
        try (Snapshot snapshot = loom.snapshot()) {
            return snapshot.source(name).orElseThrow();
        }
    }

    private void fill(long bytes) {
        ByteBuffer payload = ByteBuffer.allocate(80).order(ByteOrder.LITTLE_ENDIAN);
        for (long end = loom.info().records().tail() + bytes;
                loom.info().records().tail() < end; ) {
            for (int i = 0; i < 100; i++) {
                long value = random.nextLong();
                addresses.add(loom.push(source.id(), payload.putLong(0, value).array()));
                pushed.add(value);
            }
        }
        loom.force();
    }

    private IndexedAggregate median(Snapshot snapshot, TimeRange range, BooleanSupplier hook) {
        return IndexedAggregate.of(snapshot, source.id(), IndexFunction.field(source.format(), "value"))
                .range(range)
                .percentiles(50)
                .cancelWhen(hook);
    }

    private static long median(List<Long> values) {
        return values.stream()
                .sorted()
                .skip((values.size() + 1) / 2 - 1)
                .findFirst()
                .orElseThrow();
    }

    /** A hook that pushes so much in the walk's n-th step, and never ends the query. */
    private BooleanSupplier pushOnce(int step, long bytes) {
        int[] calls = {0};
        return () -> {
            if (++calls[0] == step) {
                fill(bytes);
            }
            return false;
        };
    }

    @Test
    void shouldFindPercentilesOfARangeThatDeletionsDoNotReach() {
        fill(3 * BUDGET);
        int from = pushed.size();
        fill(BUDGET / 4);
        List<Long> expected = List.copyOf(pushed.subList(from, pushed.size()));
        try (Snapshot snapshot = loom.snapshot()) {
            long before = snapshot.beginAddress();
            IndexedAggregate.Result found = median(
                            snapshot, new TimeRange(from + 1, Long.MAX_VALUE), pushOnce(20, BUDGET / 4))
                    .run();
            assertTrue(snapshot.beginAddress() > before, "deleted something meanwhile");
            assertEquals(expected.size(), found.count());
            assertEquals(median(expected), found.percentile(50).orElseThrow().longValue());
            assertTrue(found.completeness().complete(), found.completeness()::toString);
        }
    }

    @Test
    void shouldFindPercentilesOfWhatIsLeftWhenTheRestWasDeletedMeanwhile() {
        fill(BUDGET / 2);
        try (Snapshot snapshot = loom.snapshot()) {
            int taken = pushed.size();
            IndexedAggregate.Result found = median(snapshot, TimeRange.ALL, pushOnce(60, BUDGET * 3 / 4))
                    .run();
            long begin = snapshot.beginAddress();
            List<Long> expected = new ArrayList<>();
            for (int i = 0; i < taken; i++) {
                if (addresses.get(i) >= begin) {
                    expected.add(pushed.get(i));
                }
            }
            assertTrue(expected.size() < taken && !expected.isEmpty(), "deleted a part");
            assertEquals(expected.size(), found.count());
            assertEquals(median(expected), found.percentile(50).orElseThrow().longValue());
            assertTrue(found.completeness().expired());
        }
    }

    @Test
    void shouldGiveUpWhenEachPassLosesRecordsOfTheRange() {
        fill(BUDGET);
        try (Snapshot snapshot = loom.snapshot()) {
            int[] calls = {0};
            IndexedAggregate query = median(snapshot, TimeRange.ALL, () -> {
                if (++calls[0] % 80 == 0) {
                    fill(SEGMENT);
                }
                return false;
            });
            ExpiredException failure = assertThrows(ExpiredException.class, query::run);
            assertTrue(String.valueOf(failure.getMessage()).contains("deleted between passes"), failure::getMessage);
        }
    }

    @Test
    void shouldSayThatARangeReachesBackToWhatWasDeleted() {
        fill(3 * BUDGET);
        Source later = define("later", Formats.bytes());
        loom.push(later.id(), new byte[1]);
        try (Snapshot snapshot = loom.snapshot()) {
            int retained = 0;
            while (addresses.get(retained) < snapshot.beginAddress()) {
                retained++;
            }
            assertTrue(expired(snapshot, source, TimeRange.ALL));
            assertTrue(expired(snapshot, source, new TimeRange(1, Long.MAX_VALUE)));
            assertTrue(expired(snapshot, source, new TimeRange(retained, Long.MAX_VALUE)));
            assertFalse(expired(snapshot, source, new TimeRange(retained + 2, Long.MAX_VALUE)));
            assertFalse(expired(snapshot, later, TimeRange.ALL), "nothing of this source was deleted");
        }
    }

    private static boolean expired(Snapshot snapshot, Source source, TimeRange range) {
        try (QueryCursor cursor = RawScan.of(snapshot, source.id()).range(range).open()) {
            return cursor.forEach((time, buffer, offset, length) -> {}).expired();
        }
    }
}
