package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the log alone tells what a killed writer had lost. */
final class LossMarkersTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long STORE_ID = 7;
    private static final long TIME = 1_000_000_000_000L;

    @TempDir
    Path directory;

    private long write(long begin, long... unmarked) {
        Segments segments = new Segments(directory, 16L << 20);
        try (UnsharedLog log = new UnsharedLog(LogKind.RECORD, STORE_ID, 1, Storage.DISK, segments, begin, 2 * PAGE)) {
            return LossMarkers.write(log, unmarked, TIME);
        }
    }

    /** The fields of each marker, oldest first; checks their chain. */
    private List<List<Long>> read(long begin, long end) {
        LogView view = new LogView(
                LogKind.RECORD,
                STORE_ID,
                Storage.DISK,
                new Segments(directory, 16L << 20),
                Watermarks.fixed(begin, end),
                null);
        List<List<Long>> markers = new ArrayList<>();
        try (PageRecords page = new PageRecords(view, end, 0)) {
            for (long at = begin; at < end; at += PAGE) {
                assertSame(PageState.PRESENT, page.read(at));
                assertEquals(TIME, page.baseTimeNs());
                long before = -1;
                while (page.next()) {
                    assertEquals(TIME, page.timeNs());
                    assertEquals(OwnRecord.LOSS, OwnRecord.kind(page.buffer(), page.offset()));
                    assertEquals(before < 0 ? 0 : page.address() - before, page.back());
                    before = page.address();
                    markers.add(fields(page));
                }
                assertTrue(before > 0, "no page is empty");
            }
        }
        return markers;
    }

    private static List<Long> fields(PageRecords page) {
        int at = page.offset();
        return List.of(
                (long) OwnRecord.source(page.buffer(), at),
                (long) OwnRecord.reason(page.buffer(), at),
                OwnRecord.lost(page.buffer(), at),
                OwnRecord.lossFirstNs(page.buffer(), at),
                OwnRecord.lossLastNs(page.buffer(), at));
    }

    @Test
    void shouldWriteAMarkerForEachSource() {
        long begin = 3 * PAGE;
        long end = write(begin, 5, 100, TIME - 9, TIME - 1, 65_535, 1, TIME, TIME);
        assertEquals(begin + PAGE, end);
        long unknown = LossReason.UNKNOWN.code();
        assertEquals(
                List.of(List.of(5L, unknown, 100L, TIME - 9, TIME - 1), List.of(65_535L, unknown, 1L, TIME, TIME)),
                read(begin, end));
    }

    @Test
    void shouldWriteAsManyPagesAsTheMarkersTake() {
        int length = RecordDescriptor.alignedLength(OwnRecord.LENGTH);
        int perPage = (PAGE - PageDescriptor.HEADER_LENGTH) / length;
        for (int pages : new int[] {1, 2, 5}) {
            for (int more = 0; more <= 1; more++) {
                int count = pages * perPage + more;
                long[] unmarked = new long[count * LossSlots.UNMARKED_FIELDS];
                for (int i = 0; i < count; i++) {
                    int at = i * LossSlots.UNMARKED_FIELDS;
                    unmarked[at] = i + 1L;
                    unmarked[at + 1] = i + 10L;
                    unmarked[at + 2] = TIME - 2;
                    unmarked[at + 3] = TIME - 1;
                }
                long end = write(0, unmarked);
                assertEquals((long) (pages + more) * PAGE, end);
                List<List<Long>> markers = read(0, end);
                assertEquals(count, markers.size());
                for (int i = 0; i < count; i++) {
                    assertEquals(i + 1L, markers.get(i).get(0));
                    assertEquals(10L + i, markers.get(i).get(2));
                }
            }
        }
    }
}
