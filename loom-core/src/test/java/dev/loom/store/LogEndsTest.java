package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.record.DirectoryReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the intact part of each log ends, whichever page is damaged and whatever the mark knows. */
final class LogEndsTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int SESSIONS = 3;
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64,rest:bytes");

    @TempDir
    Path temp;

    private StoreFiles files;
    private Mark mark;
    private long nowNs = 1_000_000_000_000L;

    /** Each session ends a page of each log. */
    @BeforeEach
    void write() {
        Path store = temp.resolve("store");
        for (int session = 0; session < SESSIONS; session++) {
            try (Loom loom =
                    Loom.open(LoomConfig.at(store).clock(() -> nowNs += 10).build())) {
                if (session == 0) {
                    assertEquals(1, loom.defineSource("source", FORMAT));
                    loom.defineIndex(1, "v", IndexFunction.field(FORMAT, "v"), Bins.logLinear());
                }
                for (int i = 0; i < 3; i++) {
                    byte[] payload = new byte[i == 1 && session == 2 ? 2 * PAGE : 100];
                    payload[0] = (byte) (session + i + 1);
                    assertTrue(loom.push(1, payload) >= 0);
                }
            }
        }
        files = new StoreFiles(store);
        mark = new MarkFile(Storage.DISK, files.mark()).read();
        for (LogKind kind : LogKind.values()) {
            assertTrue(mark.durable(kind) >= SESSIONS * PAGE, kind + ": " + mark.durable(kind));
        }
    }

    private LogView view(LogKind kind) {
        StoreLogs logs = StoreLogs.files(files, Storage.DISK, mark, mark.ends());
        return kind == LogKind.RECORD ? logs.records() : kind == LogKind.TIME ? logs.times() : logs.chunks();
    }

    /** As a session's that knows less: whose logs were durable up to these ends. */
    private Mark earlier(long records, long times, long chunks) {
        return mark.advanced(new long[] {records, times, chunks}, mark.schemaDurable(), mark.checkpoint(), 0);
    }

    private LogEnds find(Mark known) {
        return LogEnds.find(files, Storage.DISK, known);
    }

    private void flip(LogKind kind, long address) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(view(kind).segments().file(address).toFile(), "rw")) {
            file.seek(address + 100);
            int before = file.read();
            file.seek(address + 100);
            file.write(before ^ 1);
        }
    }

    private long lastTimeNs(long page) {
        try (PageReader pages = new PageReader(view(LogKind.RECORD), 1)) {
            assertEquals(PageState.PRESENT, pages.read(page, Long.MAX_VALUE));
            return PageDescriptor.lastTimeNs(pages.buffer(), pages.pageOffset());
        }
    }

    /** The first page of the timestamp index with an entry that ends behind one of the other two logs. */
    private long timeEnd(long timeEnd, long recordEnd, long chunkEnd) {
        try (DirectoryReader reader = new DirectoryReader(view(LogKind.TIME), timeEnd)) {
            reader.toBegin();
            while (reader.next()) {
                boolean above = reader.isDirectory()
                        ? reader.chunkEnd() > recordEnd || reader.binsEnd() > chunkEnd
                        : reader.chunkAddress() > recordEnd;
                if (above) {
                    return PageDescriptor.pageAddress(reader.address());
                }
            }
        }
        return timeEnd;
    }

    @Test
    void shouldFindAllThatIsIntactWhateverTheMarkKnows() {
        assertArrayEquals(mark.ends(), LogEnds.of(mark).byKind());
        for (int records = 0; records <= SESSIONS; records += SESSIONS) {
            for (int times = 0; times <= SESSIONS; times += SESSIONS) {
                for (int chunks = 0; chunks <= SESSIONS; chunks++) {
                    LogEnds found = find(earlier((long) records * PAGE, (long) times * PAGE, (long) chunks * PAGE));
                    assertArrayEquals(mark.ends(), found.byKind());
                    assertEquals(mark.lastTimeNs(), found.lastTimeNs());
                    assertNull(found.openPage());
                    assertEquals(found.recordEnd(), found.recordTail());
                }
            }
        }
        assertEquals(mark.lastTimeNs(), find(mark).lastTimeNs());
    }

    @Test
    void shouldEndEachLogAtTheFirstDamagedPage() throws IOException {
        for (LogKind kind : LogKind.values()) {
            for (long page = 0; page < mark.durable(kind); page += PAGE) {
                flip(kind, page);
                LogEnds found = find(earlier(0, 0, 0));
                long recordEnd = kind == LogKind.RECORD ? page : mark.durable(LogKind.RECORD);
                long chunkEnd = kind == LogKind.CHUNK ? page : mark.durable(LogKind.CHUNK);
                long times = kind == LogKind.TIME ? page : mark.durable(LogKind.TIME);
                assertArrayEquals(
                        new long[] {recordEnd, timeEnd(times, recordEnd, chunkEnd), chunkEnd},
                        found.byKind(),
                        "log=" + kind + ", page=" + page);
                assertEquals(recordEnd == 0 ? 0 : lastTimeNs(recordEnd - PAGE), found.lastTimeNs());
                flip(kind, page);
            }
        }
    }

    /** The last page below the durable end tells the time, though the mark may be older. */
    @Test
    void shouldTakeTheTimeOfTheLastPage() throws IOException {
        for (long page = PAGE; page < mark.durable(LogKind.RECORD); page += PAGE) {
            flip(LogKind.RECORD, page);
            assertEquals(lastTimeNs(page - PAGE), find(earlier(page, 0, 0)).lastTimeNs());
            flip(LogKind.RECORD, page);
        }
        Mark later = mark.advanced(mark.ends(), mark.schemaDurable(), mark.checkpoint(), mark.lastTimeNs() + 5);
        assertEquals(mark.lastTimeNs() + 5, find(later).lastTimeNs());
    }

    @Test
    void shouldEndWhereAFileIsCutWithinAPage() throws IOException {
        for (LogKind kind : LogKind.values()) {
            long last = mark.durable(kind) - PAGE;
            try (RandomAccessFile file =
                    new RandomAccessFile(view(kind).segments().file(last).toFile(), "rw")) {
                file.setLength(last + PAGE - 1);
            }
            long end = find(earlier(0, 0, 0)).byKind()[kind.index()];
            assertTrue(kind == LogKind.TIME ? end <= last : end == last, "log=" + kind);
        }
        // the indexes may be shorter than the mark says, if a recovery was interrupted that cut them
        Mark known = earlier(0, mark.durable(LogKind.TIME), mark.durable(LogKind.CHUNK));
        assertEquals(mark.durable(LogKind.CHUNK) - PAGE, find(known).chunkEnd());
        assertTrue(find(known).timeEnd() <= mark.durable(LogKind.TIME) - PAGE);
    }

    @Test
    void shouldRefuseAMarkWhoseRecordsBeginBehindTheirEnd() {
        Mark.Contents contents = mark.contents();
        Mark wrong = new Mark(
                mark.sequence(),
                new Mark.Identity(mark.storeId(), mark.segmentLength(), mark.file(), MarkFile.MINOR, false),
                new Mark.Session(mark.epoch(), false, mark.owner(), mark.sessionNonce(), mark.staging()),
                new Mark.Contents(
                        List.of(
                                new LogMark(1 << 20, 1 << 20, 100L * PAGE, PAGE),
                                contents.logs().get(1),
                                contents.logs().get(2)),
                        mark.schemaDurable(),
                        mark.checkpoint(),
                        0),
                Rebuild.NONE,
                mark.indexState());
        assertThrows(CorruptStoreException.class, () -> find(wrong));
    }
}
