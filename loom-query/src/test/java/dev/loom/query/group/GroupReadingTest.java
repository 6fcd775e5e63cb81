package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.ExpiredException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.group.GroupOracle.Question;
import dev.loom.query.group.GroupOracle.Row;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of what can be read: beside a writer, after a kill, in damaged files, without indexes, and while records are deleted. */
final class GroupReadingTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:k:i64,v:i64,s:utf8");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "v");
    private static final long SEGMENT = 256 << 10;
    private static final long BYTES_MAX = 1L << 30;
    private static final int SHORT = 60;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final QueryMemory memory = new QueryMemory(1 << 28);

    @TempDir
    Path directory;

    private long nowNs = 1;

    private Path store = Path.of("");

    @BeforeEach
    void begin() {
        store = directory.resolve("store");
        System.out.println("GroupReadingTest: -Dloom.test.seed=" + seed);
    }

    private Loom open(long bytesMax) {
        return Loom.open(config(store, bytesMax).build());
    }

    private LoomConfig.Builder config(Path path, long bytesMax) {
        return LoomConfig.at(path)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT)
                .maxBytes(bytesMax)
                .minFreeBytes(0)
                // what a background thread adds would let retention delete more behind a snapshot
                .rollupShare(0)
                .clock(() -> nowNs);
    }

    private Loom open() {
        return open(BYTES_MAX);
    }

    private static int define(Loom loom) {
        int source = loom.defineSource("a", FORMAT);
        loom.defineIndex(source, "v", VALUE, Bins.logLinear());
        return source;
    }

    private void push(Loom loom, int source, Random choices, int records) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[200]);
        for (int i = 0; i < records; i++) {
            nowNs += choices.nextInt(100);
            int key = choices.nextInt(40);
            payload.putLong(0, key, ByteOrder.LITTLE_ENDIAN);
            payload.putLong(8, choices.nextInt(1 << choices.nextInt(20)), ByteOrder.LITTLE_ENDIAN);
            payload.putByte(16, (byte) 2);
            payload.putByte(17, (byte) ('a' + key % 7));
            payload.putByte(18, (byte) 'x');
            loom.push(source, payload, 0, SHORT + choices.nextInt(100));
        }
    }

    /** The records that a scan of everything finds, by another walk, without any index. */
    private static List<Row> read(Snapshot snapshot, int source) {
        List<Row> rows = new ArrayList<>();
        try (QueryCursor record = RawScan.of(snapshot, source)
                .order(Order.OLDEST_FIRST)
                .use(QueryIndex.TIME, false)
                .use(QueryIndex.CHUNK, false)
                .open()) {
            while (record.next()) {
                int at = record.offset();
                String text = record.buffer().getStringWithoutLengthUtf8(at + 17, 2);
                rows.add(new Row(
                        record.timeNs(),
                        0,
                        Map.of(
                                "k",
                                KeyValue.of(record.buffer().getLong(at, ByteOrder.LITTLE_ENDIAN)),
                                "s",
                                KeyValue.text(text)),
                        BigDecimal.valueOf(record.buffer().getLong(at + 8, ByteOrder.LITTLE_ENDIAN))));
            }
        }
        return rows;
    }

    private void check(Snapshot snapshot, int source) {
        List<Row> rows = read(snapshot, source);
        for (int i = 0; i < 8; i++) {
            checkOne(snapshot, source, rows);
        }
    }

    private void checkOne(Snapshot snapshot, int source, List<Row> rows) {
        List<String> by = List.of(List.of("k"), List.of("s"), List.of("s", "k"), List.<String>of())
                .get(random.nextInt(4));
        long from = rows.get(random.nextInt(rows.size())).timeNs();
        boolean all = random.nextBoolean();
        long to = rows.get(rows.size() - 1).timeNs() + 1;
        TimeRange range = all ? TimeRange.ALL : new TimeRange(from, to);
        Question question = new Question(
                by,
                true,
                false,
                range,
                all || random.nextBoolean() ? 0 : 1 + (to - from) / (1 + random.nextInt(20)),
                List.of(BigDecimal.valueOf(50), BigDecimal.valueOf(99)),
                random.nextBoolean() ? "s" : null,
                new GroupOrder(By.PERCENTILE, BigDecimal.valueOf(50), random.nextBoolean()),
                random.nextBoolean() ? 5 : Integer.MAX_VALUE,
                GroupedAggregate.GROUPS_MAX_DEFAULT);
        try (Groups groups = query(snapshot, source, question)
                .use(QueryIndex.CHUNK, random.nextBoolean())
                .run()) {
            assertTrue(groups.completeness().complete(), groups.completeness()::toString);
            assertTrue(groups.isOrdered());
            GroupOracle.check(rows, question, groups);
        }
        assertEquals(0, memory.reserved());
    }

    private GroupedAggregate query(Snapshot snapshot, int source, Question question) {
        GroupedAggregate query = GroupedAggregate.of(snapshot, source, VALUE)
                .by(question.by())
                .range(question.range())
                .step(Duration.ofNanos(question.stepNs()))
                .percentiles(question.percentiles())
                .order(question.order())
                .limit(question.limit())
                .memory(memory);
        @Nullable String distinct = question.distinct();
        return distinct == null ? query : query.distinct(distinct);
    }

    @Test
    void shouldGroupTheSnapshotsRecordsBesideAWriter() throws InterruptedException {
        try (Loom loom = open();
                LoomReader reader = LoomReader.attach(store)) {
            int source = define(loom);
            push(loom, source, random, 5_000);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread queries = new Thread(() -> {
                try {
                    for (int i = 0; i < 4; i++) {
                        try (Snapshot snapshot = i % 2 == 0 ? loom.snapshot() : reader.snapshot()) {
                            check(snapshot, source);
                        }
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            queries.start();
            Random choices = new Random(seed);
            for (int i = 0; i < 400 && queries.isAlive(); i++) {
                push(loom, source, choices, 300);
            }
            queries.join();
            if (failure.get() != null) {
                throw new AssertionError("-Dloom.test.seed=" + seed, failure.get());
            }
        }
    }

    @Test
    void shouldGroupWhatAStoreHasThatWasNotClosed() throws IOException {
        Path killed = directory.resolve("killed");
        int source;
        try (Loom loom = open()) {
            source = define(loom);
            push(loom, source, random, 20_000);
            loom.force();
            push(loom, source, random, 2_000);
            copy(store, killed);
        }
        try (Loom loom = Loom.open(config(killed, BYTES_MAX).adoptCopy(true).build())) {
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(read(snapshot, source).size() >= 20_000);
                check(snapshot, source);
            }
            push(loom, source, random, 3_000);
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, source);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.write(target, Files.readAllBytes(file));
                }
            }
        }
    }

    private List<Path> files(String log) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve(log))) {
            return files.sorted().toList();
        }
    }

    @Test
    void shouldGroupWhatIsLeftOfDamagedSegments() throws IOException {
        int source;
        try (Loom loom = open()) {
            source = define(loom);
            push(loom, source, random, 30_000);
        }
        List<Path> segments = files("record");
        for (int i = 0; i < 3; i++) {
            Path segment = segments.get(random.nextInt(segments.size() - 1));
            byte[] bytes = Files.readAllBytes(segment);
            bytes[random.nextInt(bytes.length)] ^= 0x10;
            Files.write(segment, bytes);
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            List<Row> rows = read(snapshot, source);
            assertTrue(rows.size() < 30_000);
            for (int i = 0; i < 10; i++) {
                // what an index has of a damaged page still counts, if all records are of one group
                Question question = new Question(
                        i % 2 == 0 ? List.of("k") : List.of("s"),
                        true,
                        false,
                        TimeRange.ALL,
                        0,
                        List.of(BigDecimal.valueOf(50)),
                        "s",
                        new GroupOrder(By.SUM, null, true),
                        Integer.MAX_VALUE,
                        GroupedAggregate.GROUPS_MAX_DEFAULT);
                try (Groups groups = query(snapshot, source, question).run()) {
                    assertTrue(groups.completeness().damagedPages() > 0);
                    assertFalse(groups.completeness().complete());
                    GroupOracle.check(rows, question, groups);
                }
            }
        }
    }

    @Test
    void shouldGroupTheSameWhenIndexesAreGoneAndWhenTheyAreBack() throws IOException {
        int source;
        try (Loom loom = open()) {
            source = define(loom);
            push(loom, source, random, 20_000);
        }
        for (String log : List.of("time", "chunk")) {
            for (Path file : files(log)) {
                Files.delete(file);
            }
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            check(snapshot, source);
        }
        try (Loom loom = open()) {
            push(loom, source, random, 500);
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, source);
            }
        }
        try (Loom loom = open();
                Snapshot snapshot = loom.snapshot()) {
            assertEquals(20_500, read(snapshot, source).size());
            check(snapshot, source);
        }
    }

    @Test
    void shouldBeginAgainWhenRecordsAreDeletedBetweenPasses() {
        long bytesMax = 32 * SEGMENT;
        try (Loom loom = open(bytesMax)) {
            int source = define(loom);
            push(loom, source, random, 30_000);
            loom.force();
            try (Snapshot snapshot = loom.snapshot()) {
                long before = snapshot.beginAddress();
                List<Row> taken = read(snapshot, source);
                int[] calls = {0};
                GroupedAggregate query = GroupedAggregate.of(snapshot, source, VALUE)
                        .by("k")
                        .percentiles(List.of(BigDecimal.valueOf(50), BigDecimal.valueOf(99)))
                        .memory(memory)
                        .cancelWhen(() -> {
                            // in the second pass
                            if (++calls[0] == 90) {
                                push(loom, source, new Random(seed), 45_000);
                                loom.force();
                            }
                            return false;
                        });
                try (Groups groups = query.run()) {
                    assertTrue(snapshot.beginAddress() > before, "deleted something meanwhile");
                    List<Row> left = read(snapshot, source);
                    assertTrue(left.size() < taken.size() && !left.isEmpty(), "left=" + left.size());
                    assertTrue(groups.completeness().expired());
                    GroupOracle.check(
                            left,
                            new Question(
                                    List.of("k"),
                                    true,
                                    false,
                                    TimeRange.ALL,
                                    0,
                                    List.of(BigDecimal.valueOf(50), BigDecimal.valueOf(99)),
                                    null,
                                    GroupOrder.COUNT,
                                    Integer.MAX_VALUE,
                                    GroupedAggregate.GROUPS_MAX_DEFAULT),
                            groups);
                }
            }
            assertEquals(0, memory.reserved());
        }
    }

    @Test
    void shouldGiveUpWhenEachPassLosesRecords() {
        try (Loom loom = open(32 * SEGMENT)) {
            int source = define(loom);
            push(loom, source, random, 60_000);
            loom.force();
            try (Snapshot snapshot = loom.snapshot()) {
                int[] calls = {0};
                GroupedAggregate query = GroupedAggregate.of(snapshot, source, VALUE)
                        .by("k")
                        .percentiles(50)
                        .memory(memory)
                        .cancelWhen(() -> {
                            if (++calls[0] % 60 == 0) {
                                push(loom, source, new Random(seed), 3_000);
                                loom.force();
                            }
                            return false;
                        });
                assertThrows(ExpiredException.class, query::run);
                assertEquals(0, memory.reserved());
            }
        }
    }
}
