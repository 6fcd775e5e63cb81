package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Pressure;
import dev.loom.api.StoreInfo.IndexState;
import dev.loom.io.FileId;
import dev.loom.io.ProcessId;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one mapping of a session's live state shows another, and which watermarks are believed. */
final class LiveFileTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RING = 1 << 20;
    private static final long NONCE = 99;
    private static final long STORE_ID = 7;

    /** In the watermarks, as in their picture. */
    private static final int TAIL = 0;

    private static final int OVERWRITTEN = 16;
    private static final int COVERED = 24;
    private static final int EVICTED = 128;
    private static final int DURABLE = 136;
    private static final int BEGIN = 144;
    private static final int GAP_BEGIN = 152;
    private static final int GAP_END = 160;
    private static final int REBUILD_TO = 176;
    private static final int KEPT = 184;

    private static final Mark MARK = mark(STORE_ID, NONCE);

    @TempDir
    Path directory;

    private final List<LiveFile> mapped = new ArrayList<>();
    private LiveFile live;

    private static Mark mark(long storeId, long nonce) {
        return new Mark(
                10,
                new Mark.Identity(storeId, 16L * PAGE, new FileId(3, 4), MarkFile.MINOR, false),
                new Mark.Session(
                        2, false, new Mark.Owner(new ProcessId(5, 6, 7), "boot", "host"), nonce, Path.of("/staging")),
                new Mark.Contents(
                        List.of(
                                new LogMark(RING, RING, PAGE, 40L * PAGE),
                                new LogMark(RING, RING, PAGE, 60L * PAGE),
                                new LogMark(RING, RING, PAGE, 50L * PAGE)),
                        500,
                        100,
                        1234),
                new Rebuild(10L * PAGE, 20L * PAGE, 11L * PAGE, 21L * PAGE, 2L * PAGE, 4L * PAGE),
                IndexState.UNCHECKED);
    }

    @BeforeEach
    void create() {
        live = map(LiveFile.create(Storage.DISK, directory.resolve("live"), STORE_ID, NONCE, 2));
        begin(live);
    }

    @AfterEach
    void unmap() {
        mapped.forEach(each -> each.file().unmap());
    }

    private LiveFile map(LiveFile file) {
        mapped.add(file);
        return file;
    }

    private static void begin(LiveFile file) {
        for (LogKind kind : LogKind.values()) {
            file.watermarks(kind).reset(MARK.begin(kind), MARK.durable(kind));
            MARK.rebuild().putInto(file.watermarks(kind), kind);
        }
        file.stateRelease(LiveFile.OPEN);
    }

    @Test
    void shouldShowAReaderWhatTheSessionDoes() {
        LiveFile reader = map(LiveFile.open(Storage.DISK, live.file().path()));
        assertEquals(LiveFile.OPEN, reader.stateAcquire());
        assertEquals(0, reader.openUnits());
        assertFalse(reader.direct());
        assertSame(Pressure.WAIT, reader.pressure());
        assertFalse(reader.syncFailed());
        assertEquals("", reader.error());
        assertEquals(0, reader.silenceNs(), "never heard of");
        live.beat(17);
        assertEquals(17, reader.clockAhead());
        assertTrue(reader.silenceNs() >= 0);
        live.openUnits(3);
        assertEquals(3, reader.openUnits());
        live.modes(true, Pressure.DROP_NEWEST);
        assertTrue(reader.direct());
        assertSame(Pressure.DROP_NEWEST, reader.pressure());
        live.modes(false, Pressure.WAIT);
        assertFalse(reader.direct());
        assertSame(Pressure.WAIT, reader.pressure());
        live.failures(5, true, "disk is full");
        assertEquals(5, reader.writeFailures());
        assertTrue(reader.syncFailed());
        assertEquals("disk is full", reader.error());
        live.failures(5, false, "x".repeat(2000));
        assertEquals("x".repeat(1024), reader.error());
        assertFalse(reader.syncFailed());
        live.failures(5, false, "");
        assertEquals("", reader.error());
        assertEquals(FileId.of(live.file().path()), reader.id());
        assertEquals(live.file().path(), reader.file().path());
    }

    @Test
    void shouldHaveAPlaceForEachLogAndSource() {
        LiveFile reader = map(LiveFile.open(Storage.DISK, live.file().path()));
        for (LogKind kind : LogKind.values()) {
            live.watermarks(kind).tailRelease(70L * PAGE + kind.index());
        }
        live.losses().put(65_535, 12, 13, 14, 15);
        for (LogKind kind : LogKind.values()) {
            assertEquals(70L * PAGE + kind.index(), reader.watermarks(kind).tailAcquire());
        }
        assertEquals(12, reader.losses().lost(65_535));
        assertEquals(65_536, reader.slots().sources());
        assertTrue(reader.slots().listed().isEmpty());
    }

    @Test
    void shouldBelongToItsSessionAlone() {
        assertTrue(live.belongsTo(MARK));
        assertTrue(live.isOfSession(MARK));
        assertFalse(live.isOfSession(mark(STORE_ID + 1, NONCE)));
        assertFalse(live.isOfSession(mark(STORE_ID, NONCE + 1)));
        assertFalse(live.belongsTo(mark(STORE_ID, NONCE + 1)));
        live.stateRelease(0);
        assertTrue(live.isOfSession(MARK));
        assertFalse(live.belongsTo(MARK), "it is being copied to");
        live.stateRelease(LiveFile.CLOSED);
        assertTrue(live.belongsTo(MARK));
        for (int at : new int[] {0, 8, 16, 32, 40}) {
            long before = live.file().bytes().getLong(at);
            live.file().bytes().putLong(at, before + 1);
            assertFalse(live.isOfSession(MARK), "offset=" + at);
            live.file().bytes().putLong(at, before);
        }
        assertTrue(live.belongsTo(MARK));
    }

    private static int at(LogKind kind, int offset) {
        return 256 + kind.index() * Watermarks.LENGTH + offset;
    }

    private void assertBelieved(boolean expected, LogKind kind, int offset, long value) {
        int at = at(kind, offset);
        long before = live.file().bytes().getLong(at);
        live.file().bytes().putLong(at, value);
        assertEquals(expected, live.belongsTo(MARK), "log=" + kind + ", offset=" + offset + ", value=" + value);
        live.file().bytes().putLong(at, before);
    }

    @Test
    void shouldBelieveOnlyWatermarksThatAreInOrder() {
        for (LogKind kind : LogKind.values()) {
            long end = MARK.durable(kind);
            assertBelieved(true, kind, TAIL, end + RING);
            assertBelieved(false, kind, TAIL, end + RING + 1);
            assertBelieved(false, kind, TAIL, end - 1);
            assertBelieved(true, kind, BEGIN, end);
            assertBelieved(false, kind, BEGIN, end + PAGE);
            assertBelieved(false, kind, BEGIN, PAGE + 8);
            assertBelieved(false, kind, BEGIN, -PAGE);
            assertBelieved(false, kind, EVICTED, end - PAGE);
            assertBelieved(false, kind, EVICTED, end + PAGE);
            assertBelieved(true, kind, DURABLE, end - PAGE);
            assertBelieved(false, kind, DURABLE, end + PAGE);
            assertBelieved(true, kind, OVERWRITTEN, end);
            assertBelieved(false, kind, OVERWRITTEN, end + 1);
            live.file().bytes().putLong(at(kind, TAIL), end + 2 * PAGE);
            assertBelieved(true, kind, EVICTED, end + PAGE);
            assertBelieved(false, kind, EVICTED, end + 8);
            live.file().bytes().putLong(at(kind, TAIL), end);
        }
    }

    @Test
    void shouldBelieveOnlyAGapThatItsSessionBegan() {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            long begin = MARK.rebuild().begin(kind);
            long end = MARK.rebuild().end(kind);
            assertBelieved(true, kind, GAP_BEGIN, begin + PAGE);
            assertBelieved(true, kind, GAP_BEGIN, end);
            assertBelieved(false, kind, GAP_BEGIN, end + PAGE);
            assertBelieved(false, kind, GAP_BEGIN, begin - PAGE);
            assertBelieved(false, kind, GAP_BEGIN, begin + 8);
            assertBelieved(false, kind, GAP_END, end + PAGE);
            assertBelieved(false, kind, REBUILD_TO, 5L * PAGE);
        }
        long end = MARK.durable(LogKind.TIME);
        assertBelieved(true, LogKind.TIME, COVERED, PAGE);
        assertBelieved(false, LogKind.TIME, COVERED, PAGE - 1);
        assertBelieved(false, LogKind.TIME, COVERED, end + 1);
        assertBelieved(true, LogKind.CHUNK, COVERED, end + 1);
    }

    @Test
    void shouldTakeOverAllButIdentityAndState() {
        LiveFile next = map(LiveFile.create(Storage.DISK, directory.resolve("next"), STORE_ID, NONCE, 2));
        live.beat(5);
        live.modes(true, Pressure.DROP_NEWEST);
        live.failures(6, true, "failure");
        live.losses().put(3, 1, 2, 3, 4);
        live.openUnits(2);
        next.copyFrom(live);
        assertEquals(0, next.stateAcquire());
        assertEquals(FileId.of(next.file().path()), next.id());
        next.stateRelease(LiveFile.OPEN);
        assertTrue(next.belongsTo(MARK));
        assertEquals(5, next.clockAhead());
        assertTrue(next.direct());
        assertEquals("failure", next.error());
        assertEquals(1, next.losses().lost(3));
        assertEquals(2, next.openUnits());
    }

    @Test
    void shouldFollowWhatMovesWhileTheWriterStandsStill() {
        LiveFile next = map(LiveFile.create(Storage.DISK, directory.resolve("next"), STORE_ID, NONCE, 2));
        next.copyFrom(live);
        for (LogKind kind : LogKind.values()) {
            live.watermarks(kind).beginRelease(3L * PAGE + (long) kind.index() * PAGE);
            live.watermarks(kind).gapBeginRelease(12L * PAGE);
        }
        live.watermarks(LogKind.TIME).rebuiltRelease(3L * PAGE);
        live.beat(8);
        live.openUnits(4);
        live.failures(9, true, "later");
        int[] others = {EVICTED, DURABLE, KEPT};
        for (int offset : others) {
            live.file().bytes().putLong(at(LogKind.RECORD, offset), 41L * PAGE + offset);
        }
        next.follow(live);
        for (int offset : others) {
            assertEquals(41L * PAGE + offset, next.file().bytes().getLong(at(LogKind.RECORD, offset)));
        }
        for (LogKind kind : LogKind.values()) {
            assertEquals(
                    3L * PAGE + (long) kind.index() * PAGE,
                    next.watermarks(kind).beginAcquire());
            assertEquals(12L * PAGE, next.watermarks(kind).gapBeginAcquire());
        }
        assertEquals(3L * PAGE, next.watermarks(LogKind.TIME).rebuiltAcquire());
        assertEquals(8, next.clockAhead());
        assertTrue(next.silenceNs() != 0);
        assertEquals(4, next.openUnits());
        assertEquals(9, next.writeFailures());
        assertTrue(next.syncFailed());
        assertEquals("later", next.error());
    }
}
