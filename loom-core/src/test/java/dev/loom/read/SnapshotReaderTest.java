package dev.loom.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.LossReason;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunks, walks over their records, single records and losses, against a list of what was pushed. */
@Timeout(120)
final class SnapshotReaderTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RECORDS = 12_000;
    /** Of the first source there are records everywhere; of the second in the midst alone. */
    private static final int[] FROM = {0, 5_000};

    private static final int[] TO = {RECORDS, 7_000};

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final List<List<Pushed>> pushed = List.of(new ArrayList<>(), new ArrayList<>());
    private final int[] ids = new int[2];
    private long nowNs = 1_000_000;
    private Loom loom;
    private Snapshot snapshot;

    private record Pushed(long address, long timeNs, ByteBuffer payload) {}

    @BeforeEach
    void fill() {
        System.out.println("SnapshotReaderTest -Dloom.test.seed=" + SEED);
        loom = Loom.open(LoomConfig.at(directory)
                .clock(() -> nowNs)
                .segmentBytes(1 << 20)
                .recordRingBytes(1 << 19)
                .build());
        ids[0] = loom.defineSource("everywhere", Formats.bytes());
        ids[1] = loom.defineSource("midst", Formats.bytes());
        for (int i = 0; i < RECORDS; i++) {
            for (int which = 0; which < 2; which++) {
                if (i >= FROM[which] && i < TO[which]) {
                    nowNs += random.nextInt(3);
                    byte[] payload = new byte[random.nextInt(3_000) == 0 ? 70_000 : random.nextInt(300)];
                    random.nextBytes(payload);
                    long address = loom.push(ids[which], payload);
                    pushed.get(which).add(new Pushed(address, nowNs, ByteBuffer.wrap(payload)));
                }
            }
        }
        snapshot = loom.snapshot();
    }

    @AfterEach
    void close() {
        snapshot.close();
        loom.close();
    }

    private long[] addresses(int which, Predicate<Pushed> wanted) {
        return pushed.get(which).stream()
                .filter(wanted)
                .mapToLong(Pushed::address)
                .toArray();
    }

    @Test
    void shouldListTheChunksOfASourceInBothOrders() {
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            for (int which = 0; which < 2; which++) {
                List<Long> ascending = starts(reader.oldestFirst(ids[which], Long.MIN_VALUE, Long.MAX_VALUE, 0), which);
                List<Long> descending = starts(reader.newestFirst(ids[which], Long.MAX_VALUE), which);
                Collections.reverse(descending);
                assertEquals(ascending, descending);
                assertTrue(ascending.size() > 5, ascending.toString());
            }
            assertEquals(nowNs, reader.lastTimeNs());
            assertEquals(0, reader.beginAddress());
        }
    }

    /** The listed parts' starts, after checking what the directories say of them. */
    private List<Long> starts(ChunkCursor opened, int which) {
        List<Long> starts = new ArrayList<>();
        long records = 0;
        try (ChunkCursor chunks = opened) {
            while (chunks.next()) {
                long start = chunks.start();
                long end = chunks.end();
                List<Pushed> within = pushed.get(which).stream()
                        .filter(record -> record.address() >= start && record.address() < end)
                        .toList();
                records += within.size();
                if (chunks.listed()) {
                    starts.add(start);
                    assertEquals(within.size(), chunks.records());
                    assertEquals(within.get(0).timeNs(), chunks.firstTimeNs());
                    assertEquals(within.get(within.size() - 1).timeNs(), chunks.lastTimeNs());
                    assertEquals((end - start) / PAGE, chunks.pages());
                    assertFalse(chunks.isFileMissing());
                }
            }
            assertEquals(0, chunks.entriesDamaged());
        }
        assertEquals(pushed.get(which).size(), records);
        return starts;
    }

    @Test
    void shouldSkipChunksOutsideARangeAndHideNoRecordWithin() {
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            for (int i = 0; i < 200; i++) {
                int which = random.nextInt(2);
                Pushed first = any(which);
                Pushed last = any(which);
                long fromNs = Math.min(first.timeNs(), last.timeNs());
                long toNs = Math.max(first.timeNs(), last.timeNs()) + 1;
                long fromAddress = random.nextBoolean() ? 0 : any(which).address();
                long[] wanted = addresses(
                        which,
                        record ->
                                record.timeNs() >= fromNs && record.timeNs() < toNs && record.address() >= fromAddress);
                try (SourceRecords records = reader.forward(
                        reader.oldestFirst(ids[which], fromNs, toNs, fromAddress), SourceRecords.ChunkGuide.READ_ALL)) {
                    assertHolds(wanted, walk(records));
                }
                long[] before = addresses(which, record -> record.timeNs() < toNs);
                try (SourceRecords records =
                        reader.backward(reader.newestFirst(ids[which], toNs), SourceRecords.ChunkGuide.READ_ALL)) {
                    assertHolds(before, reversed(walk(records)));
                }
            }
        }
    }

    private Pushed any(int which) {
        return pushed.get(which).get(random.nextInt(pushed.get(which).size()));
    }

    private static long[] walk(SourceRecords records) {
        long[] found = new long[RECORDS];
        int count = 0;
        while (records.next()) {
            found[count++] = records.address();
        }
        assertEquals(0, records.damaged());
        assertFalse(records.expired());
        return Arrays.copyOf(found, count);
    }

    private static long[] reversed(long[] addresses) {
        long[] reversed = new long[addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            reversed[addresses.length - 1 - i] = addresses[i];
        }
        return reversed;
    }

    /** Addresses that ascend, and others among them. */
    private static void assertHolds(long[] wanted, long[] found) {
        int held = 0;
        for (int i = 0; i < found.length; i++) {
            assertTrue(i == 0 || found[i] > found[i - 1], "order: seed=" + SEED);
            held += held < wanted.length && found[i] == wanted[held] ? 1 : 0;
        }
        assertEquals(wanted.length, held, "seed=" + SEED);
    }

    @Test
    void shouldReadThePartsThatTheGuideWantsAndEndWhenItSays() {
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            for (boolean forward : new boolean[] {true, false}) {
                List<long[]> wanted = new ArrayList<>();
                int[] parts = {0};
                SourceRecords.ChunkGuide everySecond = new SourceRecords.ChunkGuide() {
                    @Override
                    public Step decide(ChunkCursor chunk) {
                        if (parts[0]++ == 12) {
                            return Step.END;
                        }
                        if (parts[0] % 2 == 0) {
                            return Step.PASS_OVER;
                        }
                        long start = chunk.start();
                        long end = chunk.end();
                        wanted.add(addresses(0, record -> record.address() >= start && record.address() < end));
                        return Step.READ;
                    }

                    @Override
                    public boolean mayGoOn(long bytesRead) {
                        return true;
                    }
                };
                try (SourceRecords records = forward
                        ? reader.forward(reader.oldestFirst(ids[0], Long.MIN_VALUE, Long.MAX_VALUE, 0), everySecond)
                        : reader.backward(reader.newestFirst(ids[0], Long.MAX_VALUE), everySecond)) {
                    long[] found = walk(records);
                    Arrays.sort(found);
                    long[] all = wanted.stream()
                            .flatMapToLong(Arrays::stream)
                            .sorted()
                            .toArray();
                    assertArrayEquals(all, found);
                    assertEquals(6, wanted.size());
                }
            }
        }
    }

    @Test
    void shouldStopBeforeTheNextPageWhenTheGuideEndsTheWalk() {
        long[] allowed = {3 * PAGE};
        SourceRecords.ChunkGuide spent = new SourceRecords.ChunkGuide() {
            @Override
            public Step decide(ChunkCursor chunk) {
                return Step.READ;
            }

            @Override
            public boolean mayGoOn(long bytesRead) {
                return bytesRead < allowed[0];
            }
        };
        try (SnapshotReader reader = SnapshotReader.of(snapshot);
                SourceRecords records = reader.forward(reader.unindexed(ids[0]), spent)) {
            assertTrue(walk(records).length < pushed.get(0).size());
            assertTrue(records.bytesRead() >= allowed[0], "read=" + records.bytesRead());
            assertFalse(records.next());
        }
    }

    @Test
    void shouldReadSingleRecordsByTheirAddresses() {
        try (SnapshotReader reader = SnapshotReader.of(snapshot);
                RecordReader record = reader.records(ids[1])) {
            for (int i = 0; i < 500; i++) {
                Pushed any = any(1);
                assertTrue(record.read(any.address()));
                byte[] payload = new byte[record.length()];
                record.buffer().getBytes(record.offset(), payload);
                assertEquals(any.address(), record.address());
                assertEquals(any.timeNs(), record.timeNs());
                assertEquals(ids[1], record.sourceId());
                assertEquals(any.payload(), ByteBuffer.wrap(payload));
            }
            assertEquals(0, record.damaged());
            assertFalse(record.read(snapshot.tailAddress()), "the end");
        }
    }

    @Test
    void shouldReadAfterTheSnapshotIsClosedAndTheStoreToo() {
        LoomReader attached = LoomReader.attach(directory);
        Snapshot closed = attached.snapshot();
        SnapshotReader reader = SnapshotReader.of(closed);
        closed.close();
        attached.close();
        try (SourceRecords records = reader.forward(
                reader.oldestFirst(ids[0], Long.MIN_VALUE, Long.MAX_VALUE, 0), SourceRecords.ChunkGuide.READ_ALL)) {
            assertArrayEquals(addresses(0, record -> true), walk(records));
        }
        reader.close();
        reader.close();
        assertThrows(IllegalStateException.class, () -> SnapshotReader.of(closed));
    }

    @Test
    void shouldRefuseSnapshotsOfOthers() {
        Snapshot foreign = (Snapshot) Proxy.newProxyInstance(
                Snapshot.class.getClassLoader(), new Class<?>[] {Snapshot.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
        assertThrows(IllegalArgumentException.class, () -> SnapshotReader.of(foreign));
        assertThrows(NullPointerException.class, () -> SnapshotReader.of(null));
    }

    @Test
    void shouldReadTheRecordsOfAllSourcesFromATimeOn() {
        List<Pushed> all = new ArrayList<>(pushed.get(0));
        all.addAll(pushed.get(1));
        all.sort(Comparator.comparingLong(Pushed::address));
        List<Long> times = new ArrayList<>(List.of(Long.MIN_VALUE, 0L, nowNs, nowNs + 1, Long.MAX_VALUE));
        for (int i = 0; i < 20; i++) {
            times.add(all.get(random.nextInt(all.size())).timeNs() + random.nextInt(3) - 1);
        }
        long pagesOfAll = 0;
        for (long fromNs : times) {
            List<Pushed> found = new ArrayList<>();
            try (SnapshotReader reader = SnapshotReader.of(snapshot);
                    SourceRecords records =
                            reader.forward(reader.everything(fromNs), SourceRecords.ChunkGuide.READ_ALL)) {
                while (records.next()) {
                    byte[] payload = new byte[records.length()];
                    records.buffer().getBytes(records.offset(), payload);
                    if (records.sourceId() != 0 && records.timeNs() >= fromNs) {
                        found.add(new Pushed(records.address(), records.timeNs(), ByteBuffer.wrap(payload)));
                    }
                }
                assertEquals(0, records.damaged());
                assertFalse(records.expired());
                pagesOfAll = Math.max(pagesOfAll, records.pagesAsked());
                assertTrue(
                        fromNs < nowNs || records.pagesAsked() < pagesOfAll / 2, () -> "pages=" + records.pagesAsked());
            }
            assertEquals(
                    all.stream().filter(record -> record.timeNs() >= fromNs).toList(), found, () -> "from=" + fromNs);
        }
    }

    @Test
    void shouldCountALossThatIsNoted() {
        loom.noteLoss(ids[1], LossReason.ELSEWHERE, 7, 10, 20);
        assertThrows(IllegalArgumentException.class, () -> loom.noteLoss(ids[1], LossReason.ELSEWHERE, 0, 10, 20));
        assertThrows(IllegalArgumentException.class, () -> loom.noteLoss(ids[1], LossReason.ELSEWHERE, 1, 20, 10));
        assertThrows(IllegalArgumentException.class, () -> loom.noteLoss(99, LossReason.ELSEWHERE, 1, 10, 20));
        // later records can't be earlier than it
        assertThrows(
                IllegalArgumentException.class,
                () -> loom.noteLoss(ids[1], LossReason.ELSEWHERE, 1, 10, Long.MAX_VALUE));
        for (int i = 0; i < 2; i++) {
            try (Snapshot after = loom.snapshot();
                    SnapshotReader reader = SnapshotReader.of(after)) {
                assertEquals(7, after.statistics(ids[1]).lost());
                assertEquals(7, reader.lost(ids[1], 20, 21));
                assertEquals(0, reader.lost(ids[1], 21, Long.MAX_VALUE));
                assertEquals(0, reader.lost(ids[0], Long.MIN_VALUE, Long.MAX_VALUE));
            }
            loom.force(); // which marks it in the log
        }
        assertEquals(LossReason.ELSEWHERE, LossReason.ofCode(8));
    }
}
