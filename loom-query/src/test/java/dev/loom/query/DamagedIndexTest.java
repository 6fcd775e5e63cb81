package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage to the timestamp index costs time, and never a record: scans equal those that don't use it. */
class DamagedIndexTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int SOURCES = 3_000;
    private static final int CHUNKS = 80;
    private static final int ROUNDS = Integer.getInteger("loom.damage.rounds", 12);

    private Random random = new Random(SEED);
    private final int[] ids = new int[SOURCES];

    @TempDir
    Path dir;

    private long now = 1_000_000;

    @Test
    void shouldLoseNoRecordWhenPagesOfTheTimestampIndexAreDamaged() throws IOException {
        System.out.println("DamagedIndexTest -Dloom.test.seed=" + SEED);
        damageAndCheck();
    }

    /** Of the last directory only some parts could be read, and the chunks before it were in none: they were passed over. */
    @Test
    void shouldLoseNoRecordWhenTheLastDirectoryLacksParts() throws IOException {
        random = new Random(4691832884935L);
        damageAndCheck();
    }

    /** The log began with a later part of a directory, and a range within that chunk: the walk began before the first entry. */
    @Test
    void shouldLoseNoRecordWhenTheFirstPartOfTheFirstDirectoryIsGone() throws IOException {
        random = new Random(2361616980042L);
        damageAndCheck();
    }

    private void damageAndCheck() throws IOException {
        Path store = dir.resolve("store");
        try (Loom loom = open(store)) {
            for (int i = 0; i < SOURCES; i++) {
                ids[i] = loom.defineSource("source-" + i, Formats.parse("bytes"));
            }
            for (int i = 0; i < CHUNKS; i++) {
                pushChunk(loom);
            }
        }
        Path segment = segment(store);
        byte[] whole = Files.readAllBytes(segment);
        List<List<Long>> expected = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int source = 0; source < SOURCES; source += SOURCES / 8) {
                expected.add(addresses(RawScan.of(snapshot, ids[source])
                        .use(QueryIndex.TIME, false)
                        .order(Order.OLDEST_FIRST)));
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            Files.write(segment, whole);
            damage(segment, whole.length / PageDescriptor.PAGE_LENGTH);
            try (LoomReader reader = LoomReader.attach(store)) {
                check(reader, expected);
            }
        }
        // a writer goes on from the last of these, over the damage
        try (Loom loom = open(store)) {
            for (int i = 0; i < 10; i++) {
                pushChunk(loom);
            }
            expected.clear();
            try (Snapshot snapshot = loom.snapshot()) {
                for (int source = 0; source < SOURCES; source += SOURCES / 8) {
                    expected.add(addresses(RawScan.of(snapshot, ids[source])
                            .use(QueryIndex.TIME, false)
                            .order(Order.OLDEST_FIRST)));
                }
            }
            check(loom, expected);
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader, expected);
        }
    }

    private Loom open(Path store) {
        return Loom.open(LoomConfig.at(store)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .clock(() -> now)
                .build());
    }

    /** About a chunk of records, of many sources with few records each and some with many, and now and then a jumbo. */
    private void pushChunk(Loom loom) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 18]);
        int some = 1 + random.nextInt(SOURCES);
        for (int i = 0; i < 2_000; i++) {
            now += random.nextInt(1_000_000);
            // source 0 is in few chunks, the last ones in many
            int source = Math.max(random.nextInt(some), random.nextInt(some));
            loom.push(ids[source], payload, 0, random.nextInt(3));
        }
        if (random.nextInt(8) == 0) {
            loom.push(ids[random.nextInt(SOURCES)], payload, 0, 70_000 + random.nextInt(150_000));
        }
    }

    private static Path segment(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("time"))) {
            return files.findFirst().orElseThrow();
        }
    }

    /** Flips a byte in some pages: one, some here and there, a run of them, or all. */
    private void damage(Path segment, int pages) throws IOException {
        int choice = random.nextInt(8);
        int first = random.nextInt(pages);
        int count = choice == 0 ? pages : choice < 4 ? 1 : 1 + random.nextInt(pages);
        boolean run = random.nextBoolean();
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < count; i++) {
                int page = choice == 0 ? i : run ? Math.min(first + i, pages - 1) : random.nextInt(pages);
                long at = (long) page * PageDescriptor.PAGE_LENGTH + random.nextInt(PageDescriptor.PAGE_LENGTH);
                ByteBuffer one = ByteBuffer.allocate(1);
                channel.read(one, at);
                one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(8)))).clear();
                channel.write(one, at);
            }
        }
    }

    private void check(Store store, List<List<Long>> expected) {
        try (Snapshot snapshot = store.snapshot()) {
            for (int i = 0; i < expected.size(); i++) {
                int id = ids[i * (SOURCES / 8)];
                List<Long> rows = new ArrayList<>(expected.get(i));
                assertEquals(rows, addresses(RawScan.of(snapshot, id).order(Order.OLDEST_FIRST)), "oldest first");
                if (store instanceof LoomReader) {
                    checkRange(snapshot, id);
                }
                Collections.reverse(rows);
                assertEquals(rows, addresses(RawScan.of(snapshot, id)), "newest first");
            }
        }
    }

    private void checkRange(Snapshot snapshot, int id) {
        Source.Statistics statistics = snapshot.statistics(id);
        long length = Math.max(1, statistics.lastTimeNs() - statistics.firstTimeNs());
        long from = statistics.firstTimeNs() + (long) (random.nextDouble() * length);
        TimeRange range = new TimeRange(from, from + (long) (random.nextDouble() * length / 4));
        List<Long> rows = addresses(RawScan.of(snapshot, id)
                .range(range)
                .use(QueryIndex.TIME, false)
                .order(Order.OLDEST_FIRST));
        assertEquals(
                rows,
                addresses(RawScan.of(snapshot, id).range(range).order(Order.OLDEST_FIRST)),
                "range, oldest first");
        Collections.reverse(rows);
        assertEquals(rows, addresses(RawScan.of(snapshot, id).range(range)), "range, newest first");
    }

    private static List<Long> addresses(RawScan scan) {
        List<Long> addresses = new ArrayList<>();
        try (QueryCursor cursor = scan.open()) {
            while (cursor.next()) {
                addresses.add(cursor.address());
            }
            assertTrue(cursor.completeness().damagedPages() == 0, "records are not damaged");
        }
        return addresses;
    }
}
