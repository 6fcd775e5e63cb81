package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.format.RecordLookup;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.Query;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TopRecords;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fields of records that others refer to: queries give what is found by reading both sources and putting them together, with
 * indexes and without, wherever the records are; and no address leads anywhere else. {@code -Dloom.test.seed=S} sets the
 * seed, {@code -Dloom.rounds=N} the number of kills.
 */
class ReferenceTest {
    private static final IndexFunction SHARED = IndexFunction.field(Formats.parse("referring"), "shared");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @TempDir
    Path dir;

    @Test
    void shouldGiveTheSameWithIndexesAndWithoutWhereverRecordsAre() {
        System.out.println("ReferenceTest: -Dloom.test.seed=" + seed);
        for (int session = 0; session < 2; session++) {
            try (Loom loom = Loom.open(ReferringProcess.config(dir).build())) {
                ReferringWriter writer = new ReferringWriter(loom, seed + session);
                for (int i = 0; i < 2; i++) {
                    writer.push(500);
                    try (LoomReader reader = LoomReader.attach(dir);
                            Snapshot attached = reader.snapshot();
                            Snapshot own = loom.snapshot()) {
                        check(own);
                        check(attached);
                    }
                }
            }
            try (LoomReader reader = LoomReader.attach(dir);
                    Snapshot closed = reader.snapshot()) {
                check(closed);
            }
        }
    }

    @Test
    void shouldGiveTheSameAfterAKill() throws IOException {
        System.out.println("ReferenceTest: -Dloom.test.seed=" + seed);
        for (int kill = 0; kill < Integer.getInteger("loom.rounds", 1); kill++) {
            try (ChildProcess process = ChildProcess.start(ReferringProcess.class, dir, seed + kill)) {
                for (int i = 0; i < 8; i++) {
                    process.awaitLine("pushed");
                }
                try (LoomReader reader = LoomReader.attach(dir);
                        Snapshot running = reader.snapshot()) {
                    check(running);
                }
            }
            try (LoomReader reader = LoomReader.attach(dir);
                    Snapshot left = reader.snapshot()) {
                check(left);
            }
            try (Loom loom = Loom.open(ReferringProcess.config(dir).build())) {
                try (Snapshot recovered = loom.snapshot()) {
                    check(recovered);
                }
                new ReferringWriter(loom, seed).push(300);
                try (Snapshot goneOn = loom.snapshot()) {
                    check(goneOn);
                }
            }
        }
    }

    /** A verification reads what records refer to as the text index did; and where it can't now, it says nothing of the index. */
    @Test
    void shouldAccuseNoUnitOfRecordsThatReferToOthers() throws IOException {
        System.out.println("ReferenceTest: -Dloom.test.seed=" + seed);
        try (Loom loom = Loom.open(ReferringProcess.config(dir)
                .maxBytes(LoomConfig.UNLIMITED)
                .textIndexShare(1)
                .build())) {
            loom.defineSource(
                    ReferringWriter.RECORDS, Formats.parse("referring"), Map.of(IndexedText.ATTRIBUTE, "shared:value"));
            ReferringWriter writer = new ReferringWriter(loom, seed);
            for (int i = 0; i < 4; i++) {
                writer.push(500);
                assertTrue(loom.finishTextIndex((done, total) -> true));
            }
        }
        assertEquals(List.of(), problems());
        Path segment;
        try (Stream<Path> files = Files.list(dir.resolve("record"))) {
            segment = files.min(Comparator.naturalOrder()).orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.seek(100);
            int flipped = file.read() ^ 1;
            file.seek(100);
            file.write(flipped);
        }
        List<String> problems = problems();
        assertTrue(
                !problems.isEmpty() && problems.stream().noneMatch(problem -> problem.contains("unit")),
                problems::toString);
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(dir, (file, offset, message) -> problems.add(file.getFileName() + ": " + message));
        return problems;
    }

    /** What depends on a damaged page is missing, and the answer says so. */
    @Test
    void shouldTellWhenReferencedRecordIsDamaged() throws IOException {
        System.out.println("ReferenceTest: -Dloom.test.seed=" + seed);
        try (Loom loom = Loom.open(ReferringProcess.config(dir).build())) {
            new ReferringWriter(loom, seed).push(1_000);
        }
        Map<Long, Long> shared;
        try (LoomReader reader = LoomReader.attach(dir);
                Snapshot snapshot = reader.snapshot()) {
            shared = shared(snapshot);
        }
        long damaged = shared.keySet().iterator().next();
        Path segment;
        try (Stream<Path> files = Files.list(dir.resolve("record"))) {
            segment = files.min(Comparator.naturalOrder()).orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.seek(damaged + 20);
            file.write(file.read() ^ 1);
        }
        try (LoomReader reader = LoomReader.attach(dir);
                Snapshot snapshot = reader.snapshot();
                QueryCursor cursor = RawScan.of(snapshot, source(snapshot))
                        .fromAddress((damaged & -65536) + 65536)
                        .where(Where.parse("shared >= 0"))
                        .use(QueryIndex.CHUNK, false)
                        .order(Order.OLDEST_FIRST)
                        .open()) {
            while (cursor.next()) {
                assertTrue(cursor.address() > damaged);
            }
            assertTrue(cursor.completeness().damagedPages() > 0, "seed=" + seed);
            assertEquals(cursor.completeness().damagedPages(), cursor.damaged(), "seed=" + seed);
            assertFalse(cursor.expired(), "seed=" + seed);
        }
    }

    @Test
    void shouldAllocateNothingWhenWriterFollowsReferences() {
        try (Loom loom =
                Loom.open(ReferringProcess.config(dir).segmentBytes(64 << 20).build())) {
            new ReferringWriter(loom, seed).push(1);
            int contexts = loom.source("contexts").orElseThrow().id();
            int records = loom.source(ReferringWriter.RECORDS).orElseThrow().id();
            UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
            long[] addresses = new long[16];
            for (int i = 0; i < addresses.length; i++) {
                payload.putLong(0, i);
                addresses[i] = loom.push(contexts, payload, 0, 64);
            }
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long allocated = 0;
            int pushes = 100_000;
            for (int round = 0; round < 2; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < pushes; i++) {
                    payload.putLong(0, addresses[i & 15]);
                    loom.push(records, payload, 0, 16);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertTrue(allocated < pushes / 2, "allocated bytes: total=" + allocated + ", pushes=" + pushes);
        }
    }

    private static Source source(Snapshot snapshot) {
        return snapshot.source(ReferringWriter.RECORDS).orElseThrow();
    }

    /** The numbers of the records that may be referred to, by their address. */
    private static Map<Long, Long> shared(Snapshot snapshot) {
        Map<Long, Long> numbers = new TreeMap<>();
        RawScan scan = RawScan.of(snapshot, snapshot.source("contexts").orElseThrow());
        try (QueryCursor cursor = scan.open()) {
            while (cursor.next()) {
                numbers.put(cursor.address(), cursor.buffer().getLong(cursor.offset()));
            }
        }
        return numbers;
    }

    private record Row(long address, Long value) {}

    /** Records by address, with the number that they refer to, or null. */
    private static List<Row> expected(Snapshot snapshot) {
        Map<Long, Long> shared = shared(snapshot);
        List<Row> rows = new ArrayList<>();
        try (QueryCursor cursor =
                RawScan.of(snapshot, source(snapshot)).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                long reference = cursor.buffer().getLong(cursor.offset());
                boolean allowed = reference < cursor.address()
                        && reference / ReferringWriter.SEGMENT_LENGTH
                                == cursor.address() / ReferringWriter.SEGMENT_LENGTH;
                rows.add(new Row(cursor.address(), allowed ? shared.get(reference) : null));
            }
        }
        return rows;
    }

    private void check(Snapshot snapshot) {
        List<Row> rows = expected(snapshot);
        List<Row> present = rows.stream().filter(row -> row.value() != null).toList();
        assertTrue(present.size() > rows.size() / 2 && present.size() < rows.size(), "seed=" + seed);
        checkReading(snapshot, rows);
        int id = source(snapshot).id();
        for (boolean indexes : new boolean[] {true, false}) {
            String what = "seed=" + seed + ", indexes=" + indexes;
            List<Long> high = present.stream()
                    .filter(row -> row.value() > 700_000)
                    .map(Row::address)
                    .toList();
            assertEquals(
                    high,
                    addresses(RawScan.of(snapshot, source(snapshot))
                            .where(Where.parse("shared > 700000"))
                            .order(Order.OLDEST_FIRST)
                            .use(QueryIndex.CHUNK, indexes)
                            .open()),
                    what);
            assertEquals(
                    high,
                    addresses(IndexedScan.of(snapshot, id, SHARED)
                            .values(ValueRange.above(700_000))
                            .order(Order.OLDEST_FIRST)
                            .use(QueryIndex.CHUNK, indexes)
                            .open()),
                    what);
            IndexedAggregate.Result all =
                    use(IndexedAggregate.of(snapshot, id, SHARED), indexes).run();
            assertEquals(present.size(), all.count(), what);
            assertEquals(
                    present.stream().mapToLong(Row::value).max().orElseThrow(),
                    all.max().orElseThrow().longValue(),
                    what);
            assertEquals(
                    present.stream()
                            .sorted(Comparator.comparing(Row::value)
                                    .thenComparing(Row::address)
                                    .reversed())
                            .limit(25)
                            .map(Row::address)
                            .toList(),
                    addresses(use(TopRecords.of(snapshot, id, SHARED, 25), indexes)
                            .open()),
                    what);
            assertEquals(
                    present.size(),
                    use(Histogram.of(snapshot, id, SHARED).oneBin(), indexes)
                            .run()
                            .count(),
                    what);
        }
    }

    private static <Q extends Query<Q>> Q use(Query<Q> query, boolean indexes) {
        return query.use(QueryIndex.CHUNK, indexes);
    }

    private void checkReading(Snapshot snapshot, List<Row> rows) {
        Map<Long, Long> actual = new HashMap<>();
        FieldValue value = new FieldValue();
        try (RecordLookup lookup = snapshot.lookup();
                QueryCursor cursor = RawScan.of(snapshot, source(snapshot)).open()) {
            value.lookup(lookup);
            while (cursor.next()) {
                lookup.from(cursor.address());
                Objects.requireNonNull(SHARED.reader()).read(cursor.buffer(), cursor.offset(), cursor.length(), value);
                actual.put(cursor.address(), value.kind() == FieldValue.Kind.ABSENT ? null : value.longValue());
            }
        }
        assertEquals(rows.size(), actual.size());
        for (Row row : rows) {
            assertEquals(row.value(), actual.get(row.address()), "seed=" + seed + ", address=" + row.address());
        }
    }

    private static List<Long> addresses(QueryCursor cursor) {
        List<Long> addresses = new ArrayList<>();
        try (cursor) {
            while (cursor.next()) {
                addresses.add(cursor.address());
            }
        }
        return addresses;
    }
}
