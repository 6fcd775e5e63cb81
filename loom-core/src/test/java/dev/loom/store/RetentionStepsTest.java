package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.error.StoreIoException;
import dev.loom.filter.UnitFiles;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.rollup.RunFiles;
import dev.loom.schema.SchemaEntry.RetentionSet;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What retention does step by step. The test is the evictor of a store that nobody writes. */
final class RetentionStepsTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long SEGMENT = 4 * PAGE;
    private static final int SEGMENTS = 12;
    private static final long FIRST_TIME = 1_700_000_000_000_000_000L;
    private static final long NEVER = Long.MAX_VALUE;

    /** As long as the smallest ring allows: it ends two pages behind the one that it begins in. */
    private static final int JUMBO = 2 * PAGE;

    /** The times of the records, by their addresses. */
    private static final NavigableMap<Long, Long> TIMES = new TreeMap<>();

    /** A record that begins in the second segment and ends in the third. */
    private static long acrossSegments = -1;

    private static long lastTimeNs = FIRST_TIME;

    @TempDir
    static Path temp;

    /** The store as it was closed. */
    private static StoreImage image;

    private final List<String> changes = new ArrayList<>();
    private long nowNs = lastTimeNs;
    private long free = Long.MAX_VALUE;
    private int reads;
    private Predicate<Path> refusing = file -> false;
    private int failing;

    // what a deleted segment of records gives back to the disk, and what compressed ones take less
    private long given;
    private Savings savings;

    private AttachedStore attached;
    private Mark mark;

    private final HookedStorage storage = new HookedStorage() {
        @Override
        protected void onRead(Path file) {
            reads++;
            if (failing > 0 && file.getParent().endsWith("time")) {
                failing--;
                throw new StoreIoException("injected failure: file=" + file);
            }
        }

        @Override
        public void delete(Path file) {
            if (refusing.test(file)) {
                throw new StoreIoException("injected failure: file=" + file);
            }
            changes.add(file.getParent().getFileName() + "/" + Segments.firstOf(file) / SEGMENT);
            super.delete(file);
            free += given;
        }

        @Override
        public long usableSpace(Path directory) {
            return free;
        }
    };

    @BeforeAll
    static void make() {
        TIMES.clear();
        acrossSegments = -1;
        try (Loom loom = StoreAccess.open(
                store(),
                Storage.DISK,
                builder -> builder.segmentBytes(SEGMENT)
                        .minFreeBytes(0)
                        .maxBytes(1 << 30)
                        .clock(() -> lastTimeNs))) {
            int source = loom.defineSource("source", Formats.bytes());
            for (long tail = 0;
                    tail < SEGMENTS * SEGMENT;
                    tail = loom.info().records().tail()) {
                boolean jumbo = acrossSegments < 0 && tail / PAGE == 7;
                lastTimeNs += 1_000;
                long address = loom.push(source, new byte[jumbo ? JUMBO : 10_000]);
                TIMES.put(address, lastTimeNs);
                acrossSegments = jumbo ? address : acrossSegments;
            }
        }
        image = StoreImage.of(store());
    }

    @BeforeEach
    void restore() {
        image.restore();
        attached = AttachedStore.attach(store(), storage);
        mark = attached.mark();
        savings = Savings.of(attached.files(), storage, mark);
    }

    @AfterEach
    void close() {
        attached.close();
    }

    private static Path store() {
        return temp.resolve("store");
    }

    private Retention retention(long maxBytes, long maxAgeNs, long minFreeBytes) {
        return new Retention(
                new RetentionSet(maxBytes, maxAgeNs, minFreeBytes),
                storage,
                store(),
                () -> mark,
                attached::logs,
                () -> nowNs,
                this::beginAt,
                savings,
                new UnitFiles(storage, store().resolve(UnitFiles.FOLDER)),
                new RunFiles(storage, store().resolve(RunFiles.FOLDER)),
                new FreedSpace());
    }

    private void beginAt(long[] begins) {
        mark = mark.beginningAt(begins);
        new MarkFile(Storage.DISK, attached.files().mark()).writeTwice(mark);
        for (LogKind kind : LogKind.values()) {
            attached.logs().of(kind).watermarks().beginRelease(begins[kind.index()]);
        }
        changes.add("begin");
    }

    private long begin() {
        return mark.begin(LogKind.RECORD);
    }

    /**
     * All that the limit counts: the files and two blocks for each of them, as for up to two more of each log, with room for the
     * mark, the owner's note and the copies of the open page.
     */
    private long used() throws IOException {
        long used = 3 * 4096 + 2 * PAGE + Files.size(attached.files().schema());
        for (LogKind kind : LogKind.values()) {
            long full = 0;
            for (Path file : Storage.DISK.list(attached.files().folder(kind))) {
                used += Files.size(file);
                full += Segments.firstOf(file) + SEGMENT
                                <= attached.logs().of(kind).watermarks().evictedAcquire()
                        ? 1
                        : 0;
            }
            used += (full + 2) * 2 * 4096;
        }
        return used;
    }

    private List<Long> segments(LogKind kind) {
        return Storage.DISK.list(attached.files().folder(kind)).stream()
                .map(file -> Segments.firstOf(file) / SEGMENT)
                .toList();
    }

    /** The store is whole, and holds exactly the segments that its logs need. */
    private void assertWhole() {
        for (LogKind kind : LogKind.values()) {
            long first = mark.begin(kind) / SEGMENT;
            assertTrue(segments(kind).stream().allMatch(each -> each >= first), () -> kind + ": " + segments(kind));
        }
        assertEquals(begin() / SEGMENT, segments(LogKind.RECORD).get(0));
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store(), (file, offset, message) -> problems.add(file + "@" + offset + " " + message));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldDeleteNothingWithinTheLimit() throws IOException {
        retention(used(), NEVER, 0).enforce();
        assertEquals(List.of(), changes);
        retention(used() - 1, NEVER, 0).enforce();
        assertEquals(List.of("begin", "record/0"), changes);
        assertWhole();
    }

    /** A crash in between leaves files that nothing refers to, instead of a log without its beginning. */
    @Test
    void shouldBeginElsewhereBeforeItDeletes() throws IOException {
        Retention retention = retention(used() - 5 * SEGMENT, NEVER, 0);
        retention.enforce();
        assertEquals("begin", changes.get(0));
        assertEquals(List.of("record/0", "record/1", "record/2", "record/3", "record/4"), changes.subList(1, 6));
        assertEquals(5, begin() / SEGMENT);
        assertNull(retention.failure());
        assertWhole();
        long kept = used();
        changes.clear();
        retention.enforce();
        assertEquals(List.of(), changes);
        retention(kept, NEVER, 0).enforce();
        assertEquals(List.of(), changes);
    }

    /** As when there are no file descriptors for a moment: what can't be read may have a checkpoint that frees enough. */
    @Test
    void shouldDeleteLittleWhileTheIndexCanNotBeRead() throws IOException {
        Retention retention = retention(used() - 1, NEVER, 0);
        failing = 2;
        retention.enforce();
        assertEquals(0, failing);
        assertEquals(List.of(), changes);
        assertNotNull(retention.failure());
        retention.enforce();
        assertEquals(List.of("begin", "record/0"), changes);
        assertNull(retention.failure());
        assertWhole();
    }

    @Test
    void shouldKeepTheNewestSegmentWhateverTheLimit() {
        Retention retention = retention(1, NEVER, 0);
        retention.enforce();
        assertTrue(begin() < mark.durable(LogKind.RECORD));
        assertEquals(SEGMENTS, begin() / SEGMENT, "the segment that is written");
        assertWhole();
    }

    /** A segment is as old as the first record behind it. */
    @Test
    void shouldDeleteWhatIsOlder() {
        retention(NEVER, ageOfSegment(4) - 1, 0).enforce();
        assertEquals(5, begin() / SEGMENT);
        changes.clear();
        Retention retention = retention(NEVER, ageOfSegment(5), 0);
        retention.enforce();
        assertEquals(List.of(), changes, "it is not older");
        reads = 0;
        retention.enforce();
        assertEquals(0, reads, "it knows how old the oldest segment is");
        nowNs++;
        retention.enforce();
        assertEquals(6, begin() / SEGMENT);
        assertWhole();
    }

    private long ageOfSegment(long number) {
        return nowNs - TIMES.ceilingEntry((number + 1) * SEGMENT).getValue();
    }

    @Test
    void shouldNotSearchAgainBeforeMoreIsDurable() {
        long[] ends = mark.ends();
        Mark all = mark;
        mark = mark.advanced(new long[] {SEGMENT - PAGE, ends[1], ends[2]}, mark.schemaDurable(), -1, nowNs);
        Retention retention = retention(1, NEVER, 0);
        retention.enforce();
        assertTrue(reads > 0);
        reads = 0;
        retention.enforce();
        assertEquals(0, reads);
        assertEquals(List.of(), changes, "nothing is durable that a log could begin with");
        mark = all;
        retention.enforce();
        assertFalse(changes.isEmpty());
        assertWhole();
    }

    @Test
    void shouldMakeRoomForWhatIsWritten() throws IOException {
        long used = used();
        Retention retention = retention(used + 1_000, NEVER, 0);
        retention.enforce();
        assertTrue(retention.makeRoom(1_000));
        assertEquals(List.of(), changes);
        assertTrue(retention.makeRoom(1_001));
        assertEquals(List.of("begin", "record/0"), changes);
        assertWhole();
        assertTrue(retention.makeRoom(SEGMENT), "a segment is free");
        assertEquals(2, changes.size());
        assertTrue(retention.makeRoom(1L << 40), "records are kept although nothing can be deleted");
        assertEquals(SEGMENTS, begin() / SEGMENT);
    }

    /** Of a store exactly at its limit. */
    private Retention full(long limit) {
        Retention above = retention(limit, NEVER, 0);
        long room = 0;
        while (above.hasRoom(room + PAGE)) {
            room += PAGE;
        }
        Retention full = retention(limit - room, NEVER, 0);
        full.enforce();
        assertTrue(full.makeRoom(0));
        assertEquals(0, begin());
        return full;
    }

    @Test
    void shouldMakeRoomForFilesThatCanBeBuiltAgain() {
        Retention full = full(3 * SEGMENTS * SEGMENT);
        assertFalse(full.hasRoom(SEGMENT + 1), "more than a segment, and than a sixteenth of the limit");
        full.enforce();
        assertEquals(0, begin());
        assertFalse(full.hasRoom(SEGMENT));
        full.enforce();
        long begin = begin();
        assertTrue(begin > 0);
        assertTrue(full.hasRoom(SEGMENT));
        full.enforce();
        assertEquals(begin, begin());
    }

    @Test
    void shouldLeaveFilesTheRoomThatTheyAskedFor() {
        Retention full = full(3 * SEGMENTS * SEGMENT);
        assertFalse(full.hasRoom(SEGMENT));
        assertTrue(full.hasRoom(0), "a smaller file, whose room is not that of the larger one");
        assertTrue(full.makeRoom(PAGE));
        assertTrue(full.hasRoom(SEGMENT + PAGE), "the log took room that was asked for");
    }

    @Test
    void shouldWaitWhereWhatIsDurableLaterCanBeDeleted() {
        long[] ends = mark.ends();
        Mark all = mark;
        mark = mark.advanced(new long[] {SEGMENT - PAGE, ends[1], ends[2]}, mark.schemaDurable(), -1, nowNs);
        Retention retention = retention(1, NEVER, 0);
        assertFalse(retention.makeRoom(1));
        assertEquals(List.of(), changes);
        mark = all;
        assertTrue(retention.makeRoom(1));
        assertEquals(SEGMENTS, begin() / SEGMENT);
    }

    @Test
    void shouldSayWhatItCanNotDeleteAndDeleteItLater() throws IOException {
        Retention retention = retention(used() - SEGMENT, NEVER, 0);
        refusing = file -> true;
        retention.enforce();
        assertNotNull(retention.failure());
        assertEquals(List.of("begin"), changes);
        assertEquals(0, segments(LogKind.RECORD).get(0));
        assertTrue(retention(1, NEVER, 0).makeRoom(1), "too large is better than lost");
        refusing = file -> false;
        retention.enforce();
        assertNull(retention.failure());
        assertWhole();
    }

    /** It would otherwise give up more and more records, and free nothing. */
    @Test
    void shouldDeleteTheOthersWhereOneFileCanNotBeDeleted() {
        refusing = file -> Segments.firstOf(file) == 0;
        free = 8 * SEGMENT;
        given = SEGMENT;
        Retention retention = retention(NEVER, NEVER, 10 * SEGMENT);
        retention.enforce();
        assertEquals(List.of("begin", "record/1"), changes);
        assertNotNull(retention.failure());
        retention.enforce();
        retention.enforce();
        assertEquals(10 * SEGMENT, free);
        assertEquals(List.of(0L, 3L), segments(LogKind.RECORD).subList(0, 2));
    }

    @Test
    void shouldFreeTheDisk() {
        Retention retention = retention(NEVER, NEVER, 10 * SEGMENT);
        free = 10 * SEGMENT;
        assertFalse(retention.isShort());
        assertFalse(retention.relieve());
        retention.enforce();
        assertEquals(List.of(), changes);
        free = 10 * SEGMENT - 1;
        assertTrue(retention.isShort());
        assertTrue(retention.relieve());
        assertEquals(List.of("begin", "record/0"), changes);
        assertWhole();
    }

    @Test
    void shouldBeShortUntilEnoughIsFree() {
        Retention retention = retention(NEVER, NEVER, 10 * SEGMENT);
        free = 9 * SEGMENT;
        given = SEGMENT / 2;
        assertTrue(retention.relieve());
        assertTrue(retention.isShort(), "readers hold the other half open");
        assertTrue(retention.relieve());
        assertFalse(retention.isShort());
        assertFalse(retention.relieve());
        assertEquals(List.of("begin", "record/0", "begin", "record/1"), changes);
    }

    /** As where a snapshot of the file system has the same blocks. */
    @Test
    void shouldStopDeletingWhatFreesNothing() {
        free = 0;
        Retention retention = retention(NEVER, NEVER, 2 * SEGMENT);
        for (int i = 0; i < FreedSpace.FRUITLESS_MAX; i++) {
            retention.enforce();
            assertNull(retention.failure());
            while (!retention.isShort()) {
                Thread.onSpinWait(); // what was freed may come within a second
            }
        }
        long begin = begin();
        assertEquals(2 * FreedSpace.FRUITLESS_MAX, begin / SEGMENT);
        retention.enforce();
        assertEquals(begin, begin());
        assertTrue(
                String.valueOf(retention.failure()).contains("deleting segments frees no space"),
                () -> String.valueOf(retention.failure()));
        free = 2 * SEGMENT;
        retention.enforce();
        assertNull(retention.failure());
        free = 0;
        retention.enforce();
        assertTrue(begin() > begin);
    }

    /** As where a neighbour has filled the disk. Records are still taken. */
    @Test
    void shouldSayWhenNothingIsLeftToDeleteAndTooLittleIsFree() {
        free = 0;
        given = SEGMENT;
        Retention retention = retention(NEVER, NEVER, 2 * SEGMENTS * SEGMENT);
        retention.enforce();
        assertEquals(SEGMENTS, begin() / SEGMENT);
        assertNull(retention.missed(), "it has just deleted something");
        retention.enforce();
        assertEquals(
                "less free than min_free, and nothing left to delete: free=" + free + ", min_free="
                        + 2 * SEGMENTS * SEGMENT,
                retention.missed());
        assertNull(retention.failure());
        free = 2 * SEGMENTS * SEGMENT;
        retention.enforce();
        assertNull(retention.missed());
    }

    /** The evictor would otherwise try again without end. */
    @Test
    void shouldSayThatNothingWasFreed() {
        long[] ends = mark.ends();
        mark = mark.advanced(new long[] {SEGMENT - PAGE, ends[1], ends[2]}, mark.schemaDurable(), -1, nowNs);
        free = 0;
        Retention retention = retention(NEVER, NEVER, SEGMENT);
        assertFalse(retention.relieve());
        assertTrue(retention.isShort());
        assertFalse(retention.relieve());
    }

    @Test
    void shouldCountCompressedSegmentsAsLongAsTheyAre() throws IOException {
        try (FileChannel file =
                FileChannel.open(attached.logs().records().segments().file(SEGMENT), StandardOpenOption.WRITE)) {
            file.truncate(PAGE);
        }
        assertEquals(0, Savings.now(mark, attached.logs().records()), "none is compressed, says the mark");
        mark = mark.withCompression();
        savings = Savings.of(attached.files(), storage, mark);
        assertEquals(SEGMENT - PAGE, savings.bytes());
        assertEquals(SEGMENT - PAGE, Savings.now(mark, attached.logs().records()));
        retention(used(), NEVER, 0).enforce();
        assertEquals(List.of(), changes);
        retention(used() - SEGMENT - PAGE, NEVER, 0).enforce();
        assertEquals(2, begin() / SEGMENT);
        assertEquals(0, savings.bytes(), "it is gone, with what it saved");
        changes.clear();
        retention(used(), NEVER, 0).enforce();
        assertEquals(List.of(), changes);
    }

    @Test
    void shouldLookAtNoDiskThatMayBeFull() {
        free = 0;
        Retention retention = retention(NEVER, NEVER, 0);
        assertFalse(retention.isShort());
        retention.enforce();
        assertFalse(retention.relieve());
        assertEquals(List.of(), changes);
    }

    /** While indexes are missing, nothing but the pages tells where records begin. */
    @Test
    void shouldBeginAtAPageThatContinuesNoRecordWhileIndexesAreRebuilt() throws IOException {
        mark = mark.with(new Rebuild(0, 0, 0, 0, 0, mark.durable(LogKind.RECORD)), mark.indexState());
        long within = 2 * SEGMENT;
        long[] before = {0, mark.begin(LogKind.TIME), mark.begin(LogKind.CHUNK)};
        retention(used() - within + 1, NEVER, 0).enforce();
        long lastFragment = TIMES.higherKey(acrossSegments) & -PAGE;
        assertTrue(lastFragment > within, "page=" + lastFragment);
        assertEquals(lastFragment + PAGE, begin());
        assertEquals(before[1], mark.begin(LogKind.TIME));
        assertEquals(before[2], mark.begin(LogKind.CHUNK));
        assertEquals(begin() / SEGMENT, segments(LogKind.RECORD).get(0));
        long begin = begin();
        retention(NEVER, 1, 0).enforce();
        assertEquals(begin, begin(), "ages are not known");
        retention(1, NEVER, 0).enforce();
        assertEquals(SEGMENTS, begin() / SEGMENT);
    }

    @Test
    void shouldDeleteByAgeOnceIndexesAreRebuiltThoughNothingCameMeanwhile() {
        Mark whole = mark;
        mark = mark.with(new Rebuild(0, 0, 0, 0, 0, mark.durable(LogKind.RECORD)), mark.indexState());
        Retention retention = retention(NEVER, 1, 0);
        retention.enforce();
        assertEquals(0, begin());
        mark = whole;
        retention.enforce();
        assertTrue(begin() > 0, "ages are known");
        assertWhole();
    }

    @Test
    void shouldDeleteWhatACrashHasLeftBelowTheBegin() throws IOException {
        Path folder = attached.files().folder(LogKind.RECORD);
        Path foreign = Files.createFile(folder.resolve(String.format("%020d.seg", SEGMENT / 2)));
        Mark later = mark.withRecordBegin(2 * SEGMENT + PAGE);
        UnreferencedFiles.deleteSegments(attached.files(), storage, later);
        assertEquals(List.of("record/0", "record/1"), changes);
        assertTrue(Files.exists(foreign), "it is no segment of this log");
        assertEquals(Arrays.asList(0L, 2L), segments(LogKind.RECORD).subList(0, 2));
    }
}
