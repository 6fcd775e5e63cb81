package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a snapshot reads by itself, against a list of what was pushed. */
@Timeout(120)
final class SnapshotReadTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long BEGIN_NS = 1_000_000_000_000L;
    private static final long PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int SEGMENT = 1 << 20;
    private static final int RING = 1 << 19;
    private static final int ROUNDS = 60;
    /** One in most chunks, one in some, one in hardly any, and one that has nothing. */
    private static final int[] ONE_IN = {1, 7, 300};

    @TempDir
    Path store;

    private final Random random = new Random(SEED);
    private final List<List<Pushed>> pushed = new ArrayList<>();
    private final int[] ids = new int[ONE_IN.length + 1];
    private static final int STORES = Integer.getInteger("loom.stores", 3);
    private static final long YEARS_10 = TimeUnit.DAYS.toNanos(3_653);

    /** What the clock says. */
    private long clockNs = BEGIN_NS;
    /** The time of the last record. */
    private long nowNs = BEGIN_NS;

    private boolean jumping;
    private int jumps;

    private record Pushed(long address, long timeNs, ByteBuffer payload) {
        boolean within(long fromNs, long toNs) {
            return timeNs >= fromNs && (timeNs < toNs || toNs == Long.MAX_VALUE);
        }
    }

    private Loom open() {
        System.out.println("SnapshotReadTest -Dloom.test.seed=" + SEED);
        Loom loom = Loom.open(LoomConfig.at(store)
                .clock(() -> clockNs)
                .segmentBytes(SEGMENT)
                .recordRingBytes(RING)
                .build());
        for (int i = 0; i < ids.length; i++) {
            String name = "source-" + i;
            boolean begun = pushed.size() > i;
            ids[i] = begun ? loom.source(name).orElseThrow().id() : loom.defineSource(name, Formats.bytes());
            if (!begun) {
                pushed.add(new ArrayList<>());
            }
        }
        return loom;
    }

    /** Times are often equal. A clock that jumps does so by up to ten years either way, often back to where it was. */
    private void tick() {
        if (!jumping || random.nextInt(300) > 0) {
            clockNs += random.nextInt(3);
        } else {
            jumps++;
            long most = random.nextBoolean() ? YEARS_10 : 1L << random.nextInt(58);
            clockNs = random.nextInt(3) == 0 ? nowNs : clockNs + random.nextLong(-most, most);
        }
        nowNs = Math.max(nowNs, clockNs);
    }

    private void push(Loom loom, int records) {
        for (int i = 0; i < records; i++) {
            int which = ONE_IN.length - 1;
            while (which > 0 && random.nextInt(ONE_IN[which]) > 0) {
                which--;
            }
            tick();
            // now and then a record of several pages
            byte[] payload = new byte[random.nextInt(2000) == 0 ? 100_000 : random.nextInt(400)];
            random.nextBytes(payload);
            long address = push(loom, ids[which], payload);
            pushed.get(which).add(new Pushed(address, nowNs, ByteBuffer.wrap(payload)));
        }
    }

    private long push(Loom loom, int sourceId, byte[] payload) {
        int before = random.nextInt(100);
        return switch (random.nextInt(4)) {
            case 0 -> loom.push(sourceId, new UnsafeBuffer(payload), 0, payload.length);
            case 1 -> loom.push(sourceId, ByteBuffer.wrap(payload).asReadOnlyBuffer());
            case 2 -> {
                ByteBuffer buffer = ByteBuffer.allocateDirect(before + payload.length + 10);
                buffer.position(before).put(payload).flip().position(before);
                long address = loom.push(sourceId, buffer);
                assertEquals(before, buffer.position());
                yield address;
            }
            default -> loom.push(sourceId, payload);
        };
    }

    private static List<Pushed> drain(RecordCursor opened, int sourceId) {
        List<Pushed> records = new ArrayList<>();
        try (RecordCursor cursor = opened) {
            assertThrows(IllegalStateException.class, cursor::address, "before the first");
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                records.add(new Pushed(cursor.address(), cursor.timeNs(), ByteBuffer.wrap(payload)));
                assertEquals(sourceId, cursor.sourceId());
            }
            assertFalse(cursor.next(), "the end stays the end");
            assertThrows(IllegalStateException.class, cursor::timeNs, "behind the last");
            assertEquals(0, cursor.damaged());
            assertFalse(cursor.expired());
        }
        return records;
    }

    private void compare(Snapshot snapshot, long fromNs, long toNs) {
        for (int i = 0; i < ids.length; i++) {
            List<Pushed> expected = new ArrayList<>(pushed.get(i).stream()
                    .filter(record -> record.within(fromNs, toNs))
                    .toList());
            assertSame(expected, drain(snapshot.oldestFirst(ids[i], fromNs, toNs), ids[i]), fromNs, toNs);
            Collections.reverse(expected);
            assertSame(expected, drain(snapshot.newestFirst(ids[i], fromNs, toNs), ids[i]), fromNs, toNs);
        }
    }

    /** Lists are far too long to print. */
    private static void assertSame(List<Pushed> expected, List<Pushed> found, long fromNs, long toNs) {
        for (int i = 0; i < Math.max(expected.size(), found.size()); i++) {
            Pushed one = i < expected.size() ? expected.get(i) : null;
            Pushed other = i < found.size() ? found.get(i) : null;
            String where = "seed=" + SEED + ", from=" + fromNs + ", to=" + toNs + ", records=" + found.size()
                    + ", expected=" + expected.size() + ", first difference=" + i;
            assertEquals(one, other, where);
        }
    }

    private void compare(Snapshot snapshot) {
        compare(snapshot, Long.MIN_VALUE, Long.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++) {
            long from = BEGIN_NS + random.nextLong(nowNs - BEGIN_NS + 10);
            compare(snapshot, from, from + random.nextInt(2000));
        }
    }

    @Test
    void shouldGiveTheRecordsOfASourceInARangeBothWays() {
        try (Loom loom = open()) {
            push(loom, 20_000);
            try (Snapshot snapshot = loom.snapshot()) {
                compare(snapshot);
            }
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot()) {
                compare(snapshot);
            }
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            compare(snapshot);
        }
    }

    /** {@code -Dloom.stores=N} sets how many. */
    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldFindRecordsByTheirTimesWhenTheClockJumps() {
        jumping = true;
        long compared = 0;
        Path folder = store;
        for (int i = 0; i < STORES; i++) {
            pushed.clear();
            store = folder.resolve("store-" + i);
            clockNs = YEARS_10;
            nowNs = YEARS_10; // of the store's own records, as it is opened
            for (int opening = 0; opening < 4; opening++) {
                try (Loom loom = open()) {
                    push(loom, 1 + random.nextInt(2_000));
                    try (Snapshot snapshot = loom.snapshot()) {
                        compared += compareAtTimes(snapshot);
                    }
                }
            }
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot()) {
                compared += compareAtTimes(snapshot);
            }
        }
        System.out.println("row=R20 faults=" + jumps + " checked=" + compared + " seed=" + SEED + " of=stores");
    }

    /** Ranges that begin and end at records' times, or beside them. */
    private long compareAtTimes(Snapshot snapshot) {
        List<Long> times =
                pushed.stream().flatMap(List::stream).map(Pushed::timeNs).toList();
        compare(snapshot, Long.MIN_VALUE, Long.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++) {
            long one = times.get(random.nextInt(times.size())) + random.nextInt(-1, 2);
            long other = times.get(random.nextInt(times.size())) + random.nextInt(-1, 2);
            compare(snapshot, Math.min(one, other), Math.max(one, other));
        }
        return (long) times.size() * ROUNDS;
    }

    @Test
    void shouldOpenAStoreByItsDirectoryAlone() {
        try (Loom loom = Loom.open(store)) {
            int id = loom.defineSource("texts", Formats.text());
            long address = loom.push(id, new byte[] {'a'});
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor cursor = snapshot.newestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertTrue(cursor.next());
                assertEquals(address, cursor.address());
            }
        }
    }

    @Test
    void shouldKeepToItsMomentWhateverComesAfter() {
        try (Loom loom = open()) {
            push(loom, 3_000);
            try (Snapshot snapshot = loom.snapshot()) {
                List<Integer> then = pushed.stream().map(List::size).toList();
                push(loom, 10_000);
                for (int i = 0; i < ids.length; i++) {
                    pushed.set(i, pushed.get(i).subList(0, then.get(i)));
                }
                compare(snapshot);
            }
        }
    }

    @Test
    void shouldOutliveSnapshotAndStoreButNotItsOwnClose() {
        RecordCursor cursor;
        Snapshot snapshot;
        try (Loom loom = open()) {
            push(loom, 1_000);
            snapshot = loom.snapshot();
            cursor = snapshot.newestFirst(ids[0], Long.MIN_VALUE, Long.MAX_VALUE);
            snapshot.close();
        }
        List<Pushed> expected = new ArrayList<>(pushed.get(0));
        Collections.reverse(expected);
        assertEquals(expected, drain(cursor, ids[0]));
        cursor.close();
        assertThrows(IllegalStateException.class, cursor::next);
        assertThrows(IllegalStateException.class, () -> snapshot.newestFirst(ids[0], 0, 1));
        assertThrows(IllegalStateException.class, () -> snapshot.oldestFirst(ids[0], 0, 1));
    }

    @Test
    void shouldFindReferredRecordsAfterSnapshotAndStoreUntilTheLookupIsClosed() {
        RecordLookup lookup;
        Snapshot snapshot;
        try (Loom loom = open()) {
            push(loom, 1_000);
            snapshot = loom.snapshot();
            lookup = snapshot.lookup();
            snapshot.close();
        }
        List<Pushed> records = pushed.get(0);
        Pushed first = records.get(0);
        lookup.from(records.get(records.size() - 1).address());
        assertTrue(lookup.find(first.address(), Formats.bytes().text()));
        byte[] found = new byte[lookup.length()];
        lookup.buffer().getBytes(lookup.offset(), found);
        assertEquals(first.payload(), ByteBuffer.wrap(found));
        lookup.close();
        lookup.close();
        assertFalse(lookup.find(first.address(), Formats.bytes().text()));
        assertThrows(IllegalStateException.class, snapshot::lookup);
    }

    @Test
    void shouldPassOverWhatIsDamagedAndSaySo() throws IOException {
        try (Loom loom = open()) {
            push(loom, 20_000);
        }
        List<Path> segments;
        try (Stream<Path> files = Files.list(store.resolve("record"))) {
            segments = files.sorted().toList();
        }
        // a page in which a record begins: one in the midst of another source's record would harm nobody here
        long pageAddress = pushed.get(0).stream()
                .mapToLong(record -> record.address() / PAGE * PAGE)
                .filter(address -> address >= SEGMENT + 5 * PAGE)
                .findFirst()
                .orElseThrow();
        try (RandomAccessFile file =
                new RandomAccessFile(segments.get((int) (pageAddress / SEGMENT)).toFile(), "rw")) {
            long place = pageAddress % SEGMENT + 1000;
            file.seek(place);
            int was = file.read();
            file.seek(place);
            file.write(was ^ 1);
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (boolean newestFirst : new boolean[] {true, false}) {
                long seen = 0;
                try (RecordCursor cursor = newestFirst
                        ? snapshot.newestFirst(ids[0], Long.MIN_VALUE, Long.MAX_VALUE)
                        : snapshot.oldestFirst(ids[0], Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        seen++;
                    }
                    assertTrue(cursor.damaged() > 0, "damage is told");
                }
                long whole = pushed.get(0).stream()
                        .filter(record -> record.address() < pageAddress || record.address() >= pageAddress + PAGE)
                        .count();
                assertTrue(seen <= whole, "nothing of the page: seen=" + seen + ", elsewhere=" + whole);
                // newest first, a chunk's records below the page are found page by page
                assertTrue(
                        seen >= whole - 1, "all but a record that lies across: seen=" + seen + ", elsewhere=" + whole);
            }
        }
    }
}
