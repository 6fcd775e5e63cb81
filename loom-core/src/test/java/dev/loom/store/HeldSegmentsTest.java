package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.api.StoreInfo.IndexState;
import dev.loom.error.CorruptStoreException;
import dev.loom.io.FileId;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of a mark that tells of more than there is. Long files are sparse. */
final class HeldSegmentsTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long SEGMENT = 1L << 30;

    /** A store may lack this much, and 16 times what it has. */
    private static final long LEAST = 1L << 36;

    @TempDir
    Path store;

    @BeforeEach
    void makeFolders() throws IOException {
        for (LogKind kind : LogKind.values()) {
            Files.createDirectory(store.resolve(kind.folder()));
        }
    }

    private void makeSegment(LogKind kind, long number, long length) throws IOException {
        Path file = new StoreFiles(store).segments(kind, SEGMENT).file(number * SEGMENT);
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(length);
        }
    }

    private static LogMark log(long begin, long durable) {
        return new LogMark(1 << 20, 1 << 20, begin, durable);
    }

    private static Mark mark(LogMark records, LogMark times, Rebuild rebuild) {
        return new Mark(
                1,
                new Mark.Identity(7, SEGMENT, FileId.NONE, MarkFile.MINOR, false),
                Mark.Session.NONE,
                new Mark.Contents(List.of(records, times, log(0, 0)), 0, -1, 0),
                rebuild,
                IndexState.UNCHECKED);
    }

    private static Mark mark(LogMark records) {
        return mark(records, log(0, 0), Rebuild.NONE);
    }

    private Mark check(Mark mark) {
        return HeldSegments.check(new StoreFiles(store), Storage.DISK, mark);
    }

    private void assertRefused(Mark mark) {
        assertThrows(CorruptStoreException.class, () -> check(mark));
    }

    @Test
    void shouldBeginWithTheFirstRecordsThatAreLeft() throws IOException {
        Mark mark = mark(log(PAGE, 5 * SEGMENT));
        assertSame(mark, check(mark), "no file is there");
        makeSegment(LogKind.RECORD, 3, SEGMENT);
        makeSegment(LogKind.RECORD, 4, SEGMENT);
        assertEquals(mark.withRecordBegin(3 * SEGMENT), check(mark));
        makeSegment(LogKind.RECORD, 0, SEGMENT);
        assertSame(mark, check(mark), "a segment is missing within the log");
    }

    @Test
    void shouldKeepItsBeginWhereFilesBeginBehindItsEnd() throws IOException {
        makeSegment(LogKind.RECORD, 3, SEGMENT);
        Mark at = mark(log(0, 3 * SEGMENT));
        assertEquals(3 * SEGMENT, check(at).begin(LogKind.RECORD));
        Mark before = mark(log(0, 3 * SEGMENT - PAGE));
        assertSame(before, check(before));
    }

    /** An index without its beginning is useless. */
    @Test
    void shouldKeepTheBeginOfAnIndex() throws IOException {
        makeSegment(LogKind.TIME, 3, SEGMENT);
        Mark mark = mark(log(0, 0), log(0, 5 * SEGMENT), Rebuild.NONE);
        assertSame(mark, check(mark));
    }

    @Test
    void shouldRefuseAMarkOfFarMoreThanThereIs() throws IOException {
        Mark possible = mark(log(0, LEAST));
        assertSame(possible, check(possible));
        assertRefused(mark(log(0, LEAST + PAGE)));
        assertRefused(mark(log(0, 0), log(0, LEAST + PAGE), Rebuild.NONE));
        Mark late = mark(log(SEGMENT, SEGMENT + LEAST));
        assertSame(late, check(late));
        assertRefused(mark(log(SEGMENT, SEGMENT + LEAST + PAGE)));
        // a file more: what it holds is not missing, and the store may lack 16 times as much more
        makeSegment(LogKind.RECORD, 0, SEGMENT);
        Mark more = mark(log(0, LEAST + 17 * SEGMENT));
        assertSame(more, check(more));
        assertRefused(mark(log(0, LEAST + 17 * SEGMENT + PAGE)));
    }

    @Test
    void shouldCountWhatTheLastFileOfARunHolds() throws IOException {
        makeSegment(LogKind.RECORD, 0, PAGE); // its length is not looked up, as the next file follows
        makeSegment(LogKind.RECORD, 1, 5 * PAGE);
        makeSegment(LogKind.RECORD, 7, 3 * PAGE);
        long most = LEAST + 3 * 16 * SEGMENT;
        long held = SEGMENT + 8 * PAGE;
        Mark possible = mark(log(0, most + held));
        assertSame(possible, check(possible));
        assertRefused(mark(log(0, most + held + PAGE)));
        Mark begun = mark(log(SEGMENT + PAGE, SEGMENT + PAGE + most + 7 * PAGE));
        assertSame(begun, check(begun), "held below the begin does not count");
        assertRefused(mark(log(SEGMENT + PAGE, SEGMENT + PAGE + most + 8 * PAGE)));
    }

    @Test
    void shouldLackNothingInAGap() {
        long far = 1L << 44;
        Rebuild gap = new Rebuild(PAGE, far, PAGE, far, PAGE, PAGE);
        LogMark times = log(0, far + PAGE);
        Mark mark = new Mark(
                1,
                new Mark.Identity(7, SEGMENT, FileId.NONE, MarkFile.MINOR, false),
                Mark.Session.NONE,
                new Mark.Contents(List.of(log(0, PAGE), times, times), 0, -1, 0),
                gap,
                IndexState.UNCHECKED);
        assertSame(mark, check(mark));
        assertRefused(mark(log(0, PAGE), times, Rebuild.NONE));
        assertRefused(mark(log(0, PAGE), times, new Rebuild(LEAST + PAGE, far, 0, 0, PAGE, PAGE)));
        assertRefused(mark(log(0, PAGE), log(0, far + LEAST + PAGE), new Rebuild(PAGE, far, 0, 0, PAGE, PAGE)));
    }
}
