package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.log.LogKind;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TopRecords;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.Order;
import dev.loom.query.where.Where;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries over pages that say what can't be, though their checksums are right: they answer or fail typed, in time. */
@Timeout(value = 12, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostileIndexTest {
    private static final int INPUTS = Integer.getInteger("loom.hostile.inputs", 50);
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int RECORDS = 6_000;
    private static final int LENGTH = 64;
    private static final PayloadFormat FORMAT = Formats.parse("struct:a:i64,b:f64,c:i64,rest:bytes");

    @TempDir
    Path temp;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    private Path write() {
        Path store = temp.resolve("store");
        UnsafeBuffer payload = new UnsafeBuffer(new byte[LENGTH]);
        try (Loom loom = Loom.open(LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build())) {
            for (int source = 1; source <= 2; source++) {
                loom.defineSource("source" + source, FORMAT);
                loom.defineIndex(source, "a", IndexFunction.field(FORMAT, "a"), Bins.logLinear());
                loom.defineIndex(source, "b", IndexFunction.field(FORMAT, "b"), Bins.logLinear());
                IndexFunction a = IndexFunction.field(FORMAT, "a");
                loom.defineIndex(source, "a-by-c", a, Bins.logLinear().withValues(), List.of("c"));
            }
            for (int i = 0; i < RECORDS; i++) {
                payload.putLong(0, i % 1000);
                payload.putDouble(8, i / 3.0);
                payload.putLong(16, i / 2 % 7);
                loom.push(1 + i % 2, payload, 0, LENGTH);
                if (i == RECORDS / 2) {
                    loom.push(1, new byte[100_000]);
                }
            }
        }
        return store;
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerOrFailTypedWhenPagesLie(LogKind kind) throws Exception {
        Path store = write();
        Path file;
        try (Stream<Path> files = Files.list(store.resolve(kind.name().toLowerCase(Locale.ROOT)))) {
            file = files.findFirst().orElseThrow();
        }
        byte[] whole = Files.readAllBytes(file);
        query(store);
        long storeId = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
        int answers = 0;
        for (int input = 0; input < INPUTS; input++) {
            Random random = new Random(SEED + input);
            ByteBuffer bytes = ByteBuffer.wrap(whole.clone()).order(ByteOrder.LITTLE_ENDIAN);
            int page = random.nextInt(whole.length / PageDescriptor.PAGE_LENGTH) * PageDescriptor.PAGE_LENGTH;
            change(bytes, page, random);
            new PageChecksum(kind, storeId).fill(bytes, page, page);
            Files.write(file, bytes.array());
            try {
                answers += thread.submit(() -> answers(store)).get(1, TimeUnit.MINUTES);
            } catch (Exception e) {
                throw new AssertionError("-Dloom.test.seed=" + SEED + ", kind=" + kind + ", input=" + input, e);
            }
        }
        System.out.println("row=R10 faults=" + INPUTS + " checked=" + answers + " seed=" + SEED);
        if (kind == LogKind.RECORD) {
            assertTrue(answers > 0);
        } else {
            assertEquals(INPUTS, answers, "without an index the records answer, -Dloom.test.seed=" + SEED);
        }
    }

    /** Each directory or bins in turn are such as can't be. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RECORD")
    void shouldAnswerRightAndSayWhyWhenAnEntryOfAnIndexIsMalformed(LogKind kind) throws Exception {
        Path store = write();
        Path file;
        try (Stream<Path> files = Files.list(store.resolve(kind.name().toLowerCase(Locale.ROOT)))) {
            file = files.findFirst().orElseThrow();
        }
        byte[] whole = Files.readAllBytes(file);
        ByteBuffer bytes = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
        List<String> answers = aggregates(store, new ArrayList<>());
        int used = bytes.getInt(32);
        int entries = 0;
        int told = 0;
        int list = kind == LogKind.TIME ? 56 : 24;
        for (int at = PageDescriptor.HEADER_LENGTH; at + list < used; at += length(bytes, at)) {
            byte[] changed = whole.clone();
            Arrays.fill(changed, at + list, at + Math.min(list + 24, length(bytes, at)), (byte) 0xff);
            ByteBuffer page = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
            new PageChecksum(kind, bytes.getLong(8)).fill(page, 0, 0);
            Files.write(file, changed);
            List<String> plan = new ArrayList<>();
            assertEquals(answers, aggregates(store, plan), "entry at " + at);
            told += plan.stream().anyMatch(line -> line.contains("damaged=")) ? 1 : 0;
            entries++;
        }
        assertTrue(told > 0 && entries > 2, "entries=" + entries + ", told=" + told);
    }

    private static int length(ByteBuffer bytes, int at) {
        return (bytes.getInt(at) + 7) & -8;
    }

    /** They are complete, and the same as by records alone. */
    private static List<String> aggregates(Path store, List<String> plan) {
        List<String> answers = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int source = 1; source <= 2; source++) {
                for (Index index : snapshot.indexes(source)) {
                    IndexedAggregate.Result aggregate = IndexedAggregate.of(snapshot, index)
                            .percentiles(1, 50, 99.9)
                            .run();
                    plan.addAll(aggregate.statistics().plan());
                    assertTrue(aggregate.completeness().complete());
                    answers.add(text(aggregate));
                }
                IndexedAggregate.Result ofKeys = ofKeys(snapshot, source);
                plan.addAll(ofKeys.statistics().plan());
                answers.add(text(ofKeys));
                try (Groups groups = byKeys(snapshot, source)) {
                    plan.addAll(groups.statistics().plan());
                    groups.forEach(group -> answers.add(group.key().get(0).longValue() + " " + group.count() + " "
                            + group.sum() + " " + group.percentile(50)));
                }
            }
        }
        return answers;
    }

    private static String text(IndexedAggregate.Result aggregate) {
        return aggregate.count() + " " + aggregate.sum() + " " + aggregate.min() + " " + aggregate.max() + " "
                + aggregate.percentile(50);
    }

    /** Of the records whose key meets a condition. */
    private static IndexedAggregate.Result ofKeys(Snapshot snapshot, int source) {
        return IndexedAggregate.of(snapshot, source, IndexFunction.field(FORMAT, "a"))
                .where(Where.parse("c in (1, 4)"))
                .percentiles(1, 50, 99.9)
                .run();
    }

    private static Groups byKeys(Snapshot snapshot, int source) {
        return GroupedAggregate.of(snapshot, source, IndexFunction.field(FORMAT, "a"))
                .by("c")
                .where(Where.parse("c != 2"))
                .order(GroupOrder.ascending(GroupOrder.By.KEY))
                .percentiles(50, 99)
                .run();
    }

    private static void change(ByteBuffer bytes, int page, Random random) {
        int used = Math.max(128, Math.min(bytes.getInt(page + 32), PageDescriptor.PAGE_LENGTH));
        long[] bounds = {0, 1, -1, 8, 65_536, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 48, -8};
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = page + 24 + random.nextInt((random.nextBoolean() ? 128 : used) - 32);
            long bound = bounds[random.nextInt(bounds.length)];
            switch (random.nextInt(4)) {
                case 0 -> bytes.put(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
                case 1 -> bytes.putLong(at & -8, bound);
                case 2 -> bytes.putInt(at & -4, (int) bound);
                default -> bytes.putLong(at & -8, bytes.getLong(at & -8) + bound);
            }
        }
    }

    private static int answers(Path store) {
        try {
            query(store);
            return 1;
        } catch (LoomException e) {
            System.out.println(
                    "HostileIndexTest: " + e + " at " + e.getStackTrace()[1] + " of " + e.getStackTrace()[2]);
            return 0;
        }
    }

    private static void query(Path store) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int source = 1; source <= 2; source++) {
                snapshot.statistics(source);
                for (Order order : Order.values()) {
                    drain(RawScan.of(snapshot, source).order(order).open());
                }
                ofKeys(snapshot, source);
                byKeys(snapshot, source).close();
                List<Index> indexes = snapshot.indexes(source);
                for (Index index : indexes) {
                    IndexedAggregate.Result aggregate = IndexedAggregate.of(snapshot, index)
                            .percentiles(1, 50, 99.9)
                            .run();
                    assertTrue(aggregate.count() >= 0, "count=" + aggregate.count());
                    drain(IndexedScan.of(snapshot, index).open());
                    drain(TopRecords.of(snapshot, index, 10).open());
                    Histogram.of(snapshot, index).run();
                    Histogram.of(snapshot, index).oneBin().run();
                }
            }
        }
    }

    private static void drain(QueryCursor opened) {
        try (QueryCursor cursor = opened) {
            while (cursor.next()) {
                if (cursor.length() > 0) {
                    cursor.buffer().getByte(cursor.offset() + cursor.length() - 1);
                }
            }
            cursor.completeness();
        }
    }
}
