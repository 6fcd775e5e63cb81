package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StorageOption;
import dev.loom.UnsyncedStorage;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random operations on a store, against lists in memory. */
class StoreModelTest {
    @SuppressWarnings("ArrayRecordComponent") // compared by content, explicitly
    private record Row(long timeNs, byte[] payload) {}

    private final List<List<Row>> model = new ArrayList<>();
    private final List<Integer> ids = new ArrayList<>();
    private long now = 1_000_000_000L;
    private Random random = new Random(0);

    @TempDir
    Path dir;

    private static LongStream seeds() {
        Long seed = Long.getLong("loom.test.seed");
        long first = System.nanoTime();
        return seed != null ? LongStream.of(seed) : LongStream.of(1, first, first + 1, first + 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldEqualTheModelWhenOperationsAreRandom(long seed) {
        System.out.println("StoreModelTest: -Dloom.test.seed=" + seed);
        random = new Random(seed);
        Loom loom = open();
        for (int i = 0; i < 4; i++) {
            ids.add(loom.defineSource("source-" + i, Formats.parse("bytes")));
            model.add(new ArrayList<>());
        }
        for (int i = 0; i < 1_500; i++) {
            int choice = random.nextInt(1000);
            if (choice < 950) {
                push(loom);
            } else if (choice < 970) {
                pushBatch(loom);
            } else if (choice < 980) {
                claim(loom);
            } else if (choice < 984) {
                loom.force();
            } else if (choice < 988) {
                loom.close();
                try (LoomReader reader = LoomReader.attach(dir)) {
                    check(reader, 2);
                }
                loom = open();
            } else if (choice < 994) {
                check(loom, 1);
            } else if (choice < 997) {
                try (LoomReader reader = LoomReader.attach(dir)) {
                    check(reader, 1);
                }
            }
        }
        check(loom, 20);
        loom.close();
        try (LoomReader reader = LoomReader.attach(dir)) {
            check(reader, 20);
        }
    }

    private Loom open() {
        LoomConfig.Builder builder = LoomConfig.at(dir)
                .recordRingBytes(1 << 20)
                .timeRingBytes(1 << 19)
                .segmentBytes(5 << 16)
                .clock(() -> now += random.nextInt(4) == 0 ? 0 : random.nextInt(1000));
        return Loom.open(StorageOption.with(builder, new UnsyncedStorage()).build());
    }

    private int length() {
        return switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> 65_456 - random.nextInt(3);
            case 2 -> 65_456 + random.nextInt(100);
            case 3 -> random.nextInt(1 << 18);
            case 4 -> (1 << 18) - random.nextInt(2);
            case 5, 6, 7 -> random.nextInt(5000);
            default -> random.nextInt(100);
        };
    }

    private byte[] payload(int length) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return payload;
    }

    private void push(Loom loom) {
        int source = random.nextInt(10) == 0 ? 3 : random.nextInt(3);
        byte[] payload = payload(length());
        long address = loom.push(ids.get(source), payload);
        if (address < 0) {
            throw new AssertionError(address);
        }
        model.get(source).add(new Row(now, payload));
    }

    private void pushBatch(Loom loom) {
        int source = random.nextInt(3);
        int[] lengths = new int[random.nextInt(30)];
        List<byte[]> payloads = new ArrayList<>();
        int total = 0;
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = random.nextInt(5000);
            payloads.add(payload(lengths[i]));
            total += lengths[i];
        }
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[total + 7]);
        int at = 7;
        for (byte[] payload : payloads) {
            buffer.putBytes(at, payload);
            at += payload.length;
        }
        assertEquals(lengths.length, loom.pushBatch(ids.get(source), buffer, 7, lengths, lengths.length));
        payloads.forEach(payload -> model.get(source).add(new Row(now, payload)));
    }

    private void claim(Loom loom) {
        int source = random.nextInt(3);
        byte[] payload = payload(random.nextInt(65_456));
        loom.claim(ids.get(source), payload.length);
        loom.claimed().buffer().putBytes(loom.claimed().offset(), payload);
        if (random.nextBoolean()) {
            loom.claimed().abort();
        } else {
            loom.claimed().commit();
            model.get(source).add(new Row(now, payload));
        }
    }

    private void check(Store store, int times) {
        try (Snapshot snapshot = store.snapshot()) {
            for (int i = 0; i < times; i++) {
                int source = random.nextInt(4);
                Source found = snapshot.source("source-" + source).orElseThrow();
                List<Row> rows = model.get(source);
                checkStatistics(snapshot.statistics(found.id()), rows);
                checkScan(snapshot, found, rows, TimeRange.ALL);
                checkScan(snapshot, found, rows, range(rows));
            }
        }
    }

    private TimeRange range(List<Row> rows) {
        if (rows.isEmpty()) {
            return new TimeRange(0, now);
        }
        long a = rows.get(random.nextInt(rows.size())).timeNs() + random.nextInt(3) - 1;
        long b = rows.get(random.nextInt(rows.size())).timeNs() + random.nextInt(3) - 1;
        return new TimeRange(Math.min(a, b), Math.max(a, b));
    }

    private static void checkStatistics(Source.Statistics statistics, List<Row> rows) {
        long bytes = rows.stream().mapToLong(row -> row.payload().length).sum();
        assertEquals(rows.size(), statistics.records());
        assertEquals(bytes, statistics.bytes());
        if (!rows.isEmpty()) {
            assertEquals(rows.get(0).timeNs(), statistics.firstTimeNs());
            assertEquals(rows.get(rows.size() - 1).timeNs(), statistics.lastTimeNs());
        }
    }

    private void checkScan(Snapshot snapshot, Source source, List<Row> rows, TimeRange range) {
        List<Row> expected = new ArrayList<>();
        for (Row row : rows) {
            if (row.timeNs() >= range.fromNs() && row.timeNs() < range.toNs()) {
                expected.add(row);
            }
        }
        boolean index = random.nextInt(4) != 0;
        checkRows(
                expected,
                RawScan.of(snapshot, source)
                        .range(range)
                        .order(Order.OLDEST_FIRST)
                        .use(QueryIndex.TIME, index));
        Collections.reverse(expected);
        checkRows(expected, RawScan.of(snapshot, source).range(range).use(QueryIndex.TIME, index));
    }

    private static void checkRows(List<Row> expected, RawScan scan) {
        try (QueryCursor cursor = scan.open()) {
            for (Row row : expected) {
                assertEquals(true, cursor.next(), "a record is missing");
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                assertEquals(row.timeNs(), cursor.timeNs());
                assertArrayEquals(row.payload(), payload);
            }
            assertEquals(false, cursor.next(), "a record too many");
            assertEquals(
                    true,
                    cursor.completeness().complete(),
                    () -> cursor.completeness().toString());
        }
    }
}
