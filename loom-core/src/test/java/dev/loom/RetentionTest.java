package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.store.StoreVerification;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is deleted, when, what stays, and what readers are told. */
final class RetentionTest {
    private static final long SEGMENT = 256 << 10;
    private static final long BUDGET = 64 * SEGMENT;
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path temp;

    @BeforeEach
    void printSeed() {
        System.out.println("RetentionTest -Dloom.test.seed=" + seed);
    }

    /** All records of all sources, oldest first. */
    private final List<Pushed> pushed = new ArrayList<>();

    private long nowNs = BEGIN_NS;

    /** A record: its source, address, time and payload. */
    private record Pushed(int source, long address, long timeNs, ByteBuffer payload) {}

    private static UnaryOperator<LoomConfig.Builder> limits(UnaryOperator<LoomConfig.Builder> more) {
        return builder -> more.apply(builder.segmentBytes(SEGMENT).minFreeBytes(0));
    }

    private Loom open(UnaryOperator<LoomConfig.Builder> more) {
        return Loom.open(limits(more)
                // what a background thread adds would let retention delete more behind a snapshot
                .apply(StoreAccess.small(store()).clock(() -> nowNs).rollupShare(0))
                .build());
    }

    private Path store() {
        return temp.resolve("store");
    }

    private void push(Loom loom, int source, int length) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        nowNs += random.nextInt(3);
        pushed.add(new Pushed(source, loom.push(source, payload), nowNs, ByteBuffer.wrap(payload)));
    }

    /** Pushes about this number of bytes to sources of very different rates. */
    private void fill(Loom loom, int[] sources, long bytes) {
        long end = loom.info().records().tail() + bytes;
        for (int i = 0; i % 64 != 0 || loom.info().records().tail() < end; i++) {
            int which = random.nextInt(1000) == 0 ? 1 : random.nextInt(20) == 0 ? 2 : 0;
            push(loom, sources[which], random.nextInt(3000) == 0 ? 120_000 : random.nextInt(300));
        }
    }

    private int[] define(Loom loom) {
        return new int[] {
            loom.defineSource("often", Formats.bytes()),
            loom.defineSource("rare", Formats.bytes()),
            loom.defineSource("middle", Formats.bytes()),
            loom.defineSource("once", Formats.bytes())
        };
    }

    private static List<Pushed> drain(RecordCursor opened, int source, boolean expired) {
        List<Pushed> records = new ArrayList<>();
        try (RecordCursor cursor = opened) {
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                records.add(new Pushed(source, cursor.address(), cursor.timeNs(), ByteBuffer.wrap(payload)));
            }
            assertEquals(0, cursor.damaged());
            assertEquals(expired, cursor.expired(), "source=" + source);
        }
        return records;
    }

    /** Any range that reaches back to a deleted record says so, and no range that begins behind all of them does. */
    private void checkExpiry(Snapshot snapshot, int source, List<Pushed> gone) {
        long deletedNs = gone.stream().mapToLong(Pushed::timeNs).max().orElse(Long.MIN_VALUE);
        long retainedNs = pushed.stream()
                .filter(record -> record.address() >= snapshot.beginAddress())
                .mapToLong(Pushed::timeNs)
                .min()
                .orElse(Long.MAX_VALUE);
        for (long fromNs : new long[] {Long.MIN_VALUE, BEGIN_NS, deletedNs, retainedNs + 1, nowNs}) {
            boolean expired = !gone.isEmpty() && fromNs <= deletedNs;
            try (RecordCursor newest = snapshot.newestFirst(source, fromNs, Long.MAX_VALUE);
                    RecordCursor oldest = snapshot.oldestFirst(source, fromNs, Long.MAX_VALUE)) {
                assertEquals(expired, newest.expired(), () -> "source=" + source + ", from=" + fromNs);
                assertEquals(expired, oldest.expired(), () -> "source=" + source + ", from=" + fromNs);
            }
        }
    }

    /** Compares what a store holds with what was pushed and is not older than its beginning. */
    private void check(Snapshot snapshot, int[] sources) {
        check(snapshot, sources, false);
    }

    /** @param rebuilt whether the indexes were written again from the records that are left */
    private void check(Snapshot snapshot, int[] sources, boolean rebuilt) {
        long begin = snapshot.beginAddress();
        for (int source : sources) {
            List<Pushed> expected = pushed.stream()
                    .filter(record -> record.source() == source && record.address() >= begin)
                    .toList();
            List<Pushed> gone = pushed.stream()
                    .filter(record -> record.source() == source && record.address() < begin)
                    .toList();
            boolean expired = !gone.isEmpty() || rebuilt;
            assertEquals(
                    expected, drain(snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE), source, expired));
            List<Pushed> newestFirst = new ArrayList<>(
                    drain(snapshot.newestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE), source, expired));
            Collections.reverse(newestFirst);
            assertEquals(expected, newestFirst);
            Source.Statistics counted = snapshot.statistics(source);
            assertEquals(expected.size(), counted.records(), "source=" + source);
            assertEquals(
                    expected.stream()
                            .mapToLong(record -> record.payload().capacity())
                            .sum(),
                    counted.bytes());
            if (!rebuilt) {
                checkExpiry(snapshot, source, gone);
                assertEquals(gone.size(), counted.deletedRecords());
                assertEquals(
                        gone.stream()
                                .mapToLong(record -> record.payload().capacity())
                                .sum(),
                        counted.deletedBytes());
            }
            if (!expected.isEmpty()) {
                assertEquals(expected.get(expected.size() - 1).timeNs(), counted.lastTimeNs());
                long first = expected.get(0).timeNs();
                assertTrue(counted.firstTimeNs() <= first, () -> "first=" + first + ", counted=" + counted);
                long deleted = pushed.stream()
                        .filter(record -> record.address() < begin)
                        .mapToLong(Pushed::timeNs)
                        .max()
                        .orElse(first);
                assertTrue(counted.firstTimeNs() >= deleted, () -> "deleted=" + deleted + ", counted=" + counted);
            }
        }
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store(), (file, offset, message) -> problems.add(file.getFileName() + " " + offset + " " + message));
        return problems;
    }

    @Test
    void shouldKeepTheNewestRecordsWithinTheBudget() {
        int[] sources;
        try (Loom loom = open(builder -> builder.maxBytes(BUDGET))) {
            sources = define(loom);
            push(loom, sources[3], 100);
            for (int round = 0; round < 12; round++) {
                fill(loom, sources, BUDGET / 3);
                long size = StoreAccess.bytes(store());
                assertTrue(size <= BUDGET, () -> "size=" + size + ", budget=" + BUDGET);
                loom.force(); // then nothing more is written or deleted
                try (Snapshot snapshot = loom.snapshot()) {
                    check(snapshot, sources);
                }
            }
            loom.force();
            assertTrue(loom.info().records().begin() > BUDGET, () -> loom.info().toString());
            assertTrue(loom.info().times().begin() > 0, () -> loom.info().toString());
            long size = StoreAccess.bytes(store());
            assertTrue(size > BUDGET / 2, () -> "size=" + size);
        }
        assertEquals(List.of(), problems());
        try (Loom loom = open(builder -> builder);
                Snapshot snapshot = loom.snapshot()) {
            assertEquals(BUDGET, loom.info().retention().maxBytes());
            check(snapshot, sources);
        }
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            check(snapshot, sources);
        }
        try (Loom loom = open(builder -> builder.rebuildIndexes(true));
                Snapshot snapshot = loom.snapshot()) {
            check(snapshot, sources, true);
        }
        assertEquals(List.of(), problems());
    }

    @Test
    void shouldKeepToTheBudgetWhenMoreWaitsInTheRing() {
        int[] sources;
        try (Loom loom = open(builder ->
                builder.maxBytes(BUDGET / 2).recordRingBytes(64 << 20).timeRingBytes(1 << 20))) {
            sources = define(loom);
            fill(loom, sources, 2 * BUDGET);
        }
        long size = StoreAccess.bytes(store());
        assertTrue(size <= BUDGET / 2, () -> "size=" + size);
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            check(snapshot, sources);
        }
    }

    @Test
    void shouldDeleteWhatIsTooOldWhenTheStoreIsOpened() {
        int[] sources;
        try (Loom loom = open(builder -> builder.maxAge(Duration.ofHours(1)))) {
            sources = define(loom);
            fill(loom, sources, 6 * SEGMENT);
            loom.force();
            assertEquals(0, loom.info().records().begin());
            nowNs += Duration.ofMinutes(59).toNanos();
            loom.force();
            assertEquals(0, loom.info().records().begin());
            fill(loom, sources, 3 * SEGMENT);
        }
        nowNs += Duration.ofMinutes(2).toNanos();
        try (Loom loom = open(builder -> builder)) {
            assertEquals(
                    Optional.of(Duration.ofHours(1)), loom.info().retention().maxAge());
        }
        long young = nowNs - Duration.ofHours(1).toNanos();
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            check(snapshot, sources);
            long begin = snapshot.beginAddress();
            assertTrue(begin >= 5 * SEGMENT, () -> "begin=" + begin);
            assertTrue(pushed.stream().allMatch(record -> record.address() >= begin || record.timeNs() < young));
        }
        assertEquals(List.of(), problems());
    }

    @Test
    void shouldTellAReaderWhatWasDeletedBeforeItCame() {
        try (Loom loom = open(builder -> builder.maxBytes(BUDGET))) {
            int[] sources = define(loom);
            push(loom, sources[3], 100);
            fill(loom, sources, BUDGET / 2);
            try (Snapshot before = loom.snapshot();
                    RecordCursor oldest = before.oldestFirst(sources[0], Long.MIN_VALUE, Long.MAX_VALUE);
                    RecordCursor newest = before.newestFirst(sources[1], Long.MIN_VALUE, Long.MAX_VALUE);
                    RecordCursor once = before.newestFirst(sources[3], Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertTrue(oldest.next());
                assertTrue(newest.next());
                fill(loom, sources, 3 * BUDGET);
                assertTrue(loom.info().records().begin() > before.tailAddress());
                for (RecordCursor cursor : List.of(oldest, newest, once)) {
                    while (cursor.next()) {
                        assertTrue(cursor.address() < before.tailAddress());
                    }
                    assertTrue(
                            cursor.expired(),
                            () -> List.of(oldest, newest, once).indexOf(cursor) + " " + loom.info());
                    assertEquals(0, cursor.damaged());
                }
                assertEquals(0, before.statistics(sources[0]).records());
            }
        }
    }

    /** Before a folder is listed, and between its listing and the opening of its files; some of them, or all. */
    @ParameterizedTest
    @ValueSource(longs = {4 * SEGMENT, 2 * BUDGET})
    void shouldNotReportWhatIsDeletedWhileTheStoreIsVerified(long bytes) {
        try (Loom loom = open(builder -> builder.maxBytes(BUDGET))) {
            int[] sources = define(loom);
            fill(loom, sources, 2 * BUDGET);
            HookedStorage disk = new HookedStorage() {
                @Override
                public List<Path> list(Path directory) {
                    if (!directory.endsWith("record")) {
                        return super.list(directory);
                    }
                    fillBy();
                    List<Path> files = super.list(directory);
                    fillBy();
                    return files;
                }

                private void fillBy() {
                    long begin = loom.info().records().begin();
                    fill(loom, sources, bytes);
                    // the verification ends within a segment, which is deleted too
                    while (Math.abs(loom.info().records().tail() % SEGMENT - SEGMENT / 2) > SEGMENT / 4) {
                        push(loom, sources[0], 10_000);
                    }
                    loom.force();
                    assertTrue(loom.info().records().begin() > begin);
                }
            };
            List<String> problems = new ArrayList<>();
            StoreVerification.Counts counts = StoreVerification.run(
                    disk,
                    store(),
                    (file, offset, message, known) -> problems.add(file + " " + message),
                    (done, total) -> true);
            assertEquals(List.of(), problems);
            assertTrue(counts.pages() > 0, counts.toString());
        }
    }

    /** Such as an export that began before the writer was started again. */
    @Test
    void shouldTellReadersOfAnEarlierSessionWhatALaterOneDeleted() {
        int[] sources;
        try (Loom loom = open(builder -> builder.maxBytes(BUDGET))) {
            sources = define(loom);
            fill(loom, sources, BUDGET / 2);
        }
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot before = reader.snapshot();
                RecordCursor oldest = before.oldestFirst(sources[0], Long.MIN_VALUE, Long.MAX_VALUE);
                RecordCursor newest = before.newestFirst(sources[0], Long.MIN_VALUE, Long.MAX_VALUE);
                Loom loom = open(builder -> builder.maxBytes(BUDGET))) {
            fill(loom, sources, 3 * BUDGET);
            loom.force();
            for (RecordCursor cursor : List.of(oldest, newest)) {
                while (cursor.next()) {
                    assertTrue(cursor.address() < before.tailAddress());
                }
                assertTrue(cursor.expired());
                assertEquals(0, cursor.damaged());
            }
        }
    }

    @Test
    void shouldVerifyAClosedStoreThatAWriterOpensMeanwhile() {
        int[] sources;
        try (Loom loom = open(builder -> builder)) {
            sources = define(loom);
            fill(loom, sources, 8 * SEGMENT);
        }
        int[] lists = {0};
        HookedStorage disk = new HookedStorage() {
            @Override
            public List<Path> list(Path directory) {
                if (directory.endsWith("time") && ++lists[0] == 2) { // attaching lists it first
                    try (Loom loom = open(builder -> builder)) {
                        fill(loom, sources, 4 * SEGMENT);
                    }
                }
                return super.list(directory);
            }
        };
        List<String> problems = new ArrayList<>();
        StoreVerification.run(
                disk,
                store(),
                (file, offset, message, known) -> problems.add(file + " " + message),
                (done, total) -> true);
        assertEquals(List.of(), problems);
        assertTrue(lists[0] >= 2, "lists=" + lists[0]);
    }

    /** One that is bound to a thread, or that some library has broken or lacks. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnAndSayWhyWhenTheClockFailsOnItsOwnThreads(boolean unlinked) {
        Thread writer = Thread.currentThread();
        boolean[] failing = {true};
        LongSupplier clock = () -> {
            if (failing[0] && Thread.currentThread() != writer) {
                if (unlinked) {
                    throw new NoClassDefFoundError("not your clock");
                }
                throw new IllegalStateException("not your clock");
            }
            return nowNs;
        };
        try (Loom loom = Loom.open(limits(builder -> builder.maxBytes(BUDGET).maxAge(Duration.ofHours(1)))
                .apply(StoreAccess.small(store()).clock(clock).rollupShare(0))
                .build())) {
            int[] sources = define(loom);
            fill(loom, sources, 3 * BUDGET);
            loom.force();
            StoreInfo info = loom.info();
            assertTrue(info.failure().orElse("").contains("not your clock"), info::toString);
            assertTrue(info.records().durable() > 0, info::toString);
            failing[0] = false;
            loom.force();
            assertEquals(Optional.empty(), loom.info().failure());
        }
    }

    @Test
    void shouldFreeTheDiskWhenOthersFillIt() {
        long[] free = {Long.MAX_VALUE};
        HookedStorage disk = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return free[0];
            }
        };
        try (Loom loom = StoreAccess.open(
                store(),
                disk,
                builder -> builder.segmentBytes(SEGMENT).clock(() -> nowNs).minFreeBytes(1000))) {
            int[] sources = define(loom);
            fill(loom, sources, BUDGET);
            loom.force();
            assertEquals(0, loom.info().records().begin());
            free[0] = 999;
            loom.force();
            long freed = loom.info().records().begin();
            assertTrue(freed >= SEGMENT && freed < 3 * SEGMENT, () -> "begin=" + freed);
            free[0] = 1000;
            loom.force();
            assertEquals(freed, loom.info().records().begin());
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, sources);
            }
        }
    }

    /** As on file systems that free it later, or while readers hold the deleted files open. */
    @Test
    void shouldNotDeleteAllAtOnceWhenTheSpaceDoesNotComeBack() {
        int[] refusals = {0};
        boolean[] full = {false};
        HookedStorage disk = new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (full[0] && file.toString().endsWith(".seg") && ++refusals[0] <= 8) {
                    throw new StoreIoException("no space left: file=" + file);
                }
            }

            @Override
            public long usableSpace(Path directory) {
                return full[0] ? 0 : Long.MAX_VALUE;
            }
        };
        try (Loom loom = StoreAccess.open(
                store(),
                disk,
                builder -> builder.segmentBytes(SEGMENT).clock(() -> nowNs).minFreeBytes(1000))) {
            int[] sources = define(loom);
            fill(loom, sources, BUDGET);
            loom.force();
            full[0] = true;
            while (refusals[0] <= 8) {
                push(loom, sources[0], 100);
                try {
                    loom.force();
                } catch (StoreIoException e) {
                    assertTrue(String.valueOf(e.getMessage()).contains("no space left"), e::toString);
                }
            }
            long begin = loom.info().records().begin();
            assertTrue(begin > 0 && begin <= 4 * SEGMENT, () -> "begin=" + begin + ", tail=" + BUDGET);
        }
    }

    @Test
    void shouldGoOnWritingWhenThereIsNoMemoryToDelete() {
        boolean[] noMemory = {false};
        HookedStorage disk = new HookedStorage() {
            @Override
            public List<Path> list(Path directory) {
                if (noMemory[0]) {
                    throw new OutOfMemoryError("injected");
                }
                return super.list(directory);
            }
        };
        try (Loom loom = StoreAccess.open(
                store(),
                disk,
                builder -> builder.segmentBytes(SEGMENT)
                        .clock(() -> nowNs)
                        .maxBytes(BUDGET / 2)
                        .minFreeBytes(0))) {
            int[] sources = define(loom);
            fill(loom, sources, BUDGET / 4);
            noMemory[0] = true;
            fill(loom, sources, BUDGET);
            loom.force();
            assertTrue(
                    loom.info().failure().orElse("").contains("segments can't be deleted: reason=out of memory"),
                    () -> loom.info().toString());
            noMemory[0] = false;
            loom.force();
            loom.force();
            assertEquals(Optional.empty(), loom.info().failure());
            long size = StoreAccess.bytes(store());
            assertTrue(size <= BUDGET / 2, () -> "size=" + size);
        }
    }

    @Test
    void shouldSayWhyNothingCanBeDeletedAndDeleteItLater() {
        boolean[] refuse = {true};
        HookedStorage disk = new HookedStorage() {
            @Override
            public void delete(Path file) {
                if (refuse[0] && file.toString().endsWith(".seg")) {
                    throw new StoreIoException("file can't be deleted: file=" + file);
                }
                super.delete(file);
            }
        };
        UnaryOperator<LoomConfig.Builder> settings =
                builder -> builder.segmentBytes(SEGMENT).clock(() -> nowNs).minFreeBytes(0);
        int[] sources;
        Path oldest = store().resolve("record").resolve("0".repeat(20) + ".seg");
        try (Loom loom = StoreAccess.open(store(), disk, settings)) {
            sources = define(loom);
            fill(loom, sources, BUDGET);
        }
        try (Loom loom = StoreAccess.open(
                store(), disk, builder -> settings.apply(builder).maxBytes(BUDGET / 2))) {
            loom.force();
            assertTrue(
                    loom.info().failure().orElse("").contains(oldest.toString()),
                    () -> loom.info().toString());
            assertTrue(Files.exists(oldest));
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, sources);
            }
        }
        try (Loom loom = StoreAccess.open(store(), disk, settings)) {
            loom.force();
            assertTrue(loom.info().failure().orElse("").contains(oldest.toString()), "opened all the same");
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, sources);
            }
        }
        refuse[0] = false;
        try (Loom loom = StoreAccess.open(store(), disk, settings)) {
            assertFalse(Files.exists(oldest), "the next opening deletes what nothing refers to");
            try (Snapshot snapshot = loom.snapshot()) {
                check(snapshot, sources);
            }
        }
        assertEquals(List.of(), problems());
    }

    @Test
    void shouldDeleteRecordsThoughWhatWasBuiltFromThemCanNotBe() {
        boolean[] refuse = {true};
        HookedStorage disk = new HookedStorage() {
            @Override
            public List<Path> list(Path directory) {
                if (refuse[0] && directory.endsWith("text")) {
                    throw new StoreIoException("directory can't be read: directory=" + directory);
                }
                return super.list(directory);
            }
        };
        UnaryOperator<LoomConfig.Builder> settings = builder ->
                builder.segmentBytes(SEGMENT).clock(() -> nowNs).minFreeBytes(0).maxAge(Duration.ofSeconds(1));
        refuse[0] = false;
        try (Loom loom = StoreAccess.open(store(), disk, settings)) {
            int[] sources = define(loom);
            for (int step = 0; step < 3; step++) {
                fill(loom, sources, 4 * SEGMENT);
                loom.force();
                nowNs += 2_000_000_000L;
                refuse[0] = true;
                long begin = loom.info().records().begin();
                fill(loom, sources, SEGMENT);
                loom.force();
                assertTrue(loom.info().records().begin() > begin, "step=" + step);
                String failure = loom.info().failure().orElse("");
                assertTrue(failure.contains("directory can't be read"), failure);
            }
            refuse[0] = false;
            fill(loom, sources, SEGMENT);
            loom.force();
            assertEquals(Optional.empty(), loom.info().failure());
        }
    }

    @Test
    void shouldHaveABudgetByDefault() {
        try (Loom loom = Loom.open(StoreAccess.small(store()).build())) {
            StoreInfo.Retention retention = loom.info().retention();
            assertTrue(retention.maxBytes() <= 10L << 30 && retention.maxBytes() > 0, retention::toString);
            assertEquals(Optional.empty(), retention.maxAge());
            assertTrue(retention.minFreeBytes() > 0 && retention.minFreeBytes() <= 1L << 30, retention::toString);
            assertTrue(
                    loom.info().segmentBytes() <= retention.maxBytes() / 8,
                    () -> loom.info().toString());
        }
    }

    @Test
    void shouldRefuseABudgetOfLessThanFourSegments() {
        long segment = 4 << 20;
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> open(builder -> builder.segmentBytes(segment).maxBytes(4 * segment - 1)));
        assertTrue(String.valueOf(refused.getMessage()).contains("max bytes=" + (4 * segment - 1)));
        // the refused one has left no store with segments of that length
        open(builder -> builder.segmentBytes(segment / 2).maxBytes(2 * segment)).close();
        LoomConfig.Builder builder = LoomConfig.at(store());
        assertThrows(IllegalArgumentException.class, () -> builder.maxBytes((8 << 20) - 1));
        assertThrows(IllegalArgumentException.class, () -> builder.minFreeBytes(-1));
        assertThrows(IllegalArgumentException.class, () -> builder.maxAge(Duration.ofMillis(999)));
        builder.maxBytes(8 << 20).minFreeBytes(0).maxAge(Duration.ofSeconds(1)).maxBytes(LoomConfig.UNLIMITED);
    }
}
