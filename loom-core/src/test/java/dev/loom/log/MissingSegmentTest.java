package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import dev.loom.io.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segment files that are not there, though the watermarks of a session say so. */
final class MissingSegmentTest {
    private static final long STORE_ID = 7;
    private static final int PAGES = 4;
    private static final long LENGTH = (long) PAGES * PageDescriptor.PAGE_LENGTH;
    private static final int RING = 1 << 20;
    private static final long FAR = 1L << 36;

    @TempDir
    Path temp;

    private int calls;

    private final Watermarks watermarks = Watermarks.fixed(0, 0);

    /** Counts the calls of the disk's. */
    private final Storage storage = (Storage) Proxy.newProxyInstance(
            Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                calls++;
                try {
                    return method.invoke(Storage.DISK, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    private void write(long segment) {
        Segments segments = new Segments(temp, LENGTH);
        try (UnsharedLog written =
                new UnsharedLog(LogKind.RECORD, STORE_ID, 0, Storage.DISK, segments, segment * LENGTH, RING)) {
            for (int page = 0; page < PAGES; page++) {
                written.log().beginPage(page, written.log().tail(), false);
                written.log().advance(1000);
                written.log().sealPage(page);
                written.evict();
            }
        }
    }

    /** As a session's, with all below an address evicted. */
    private PageReader reader(long evicted) {
        return reader(evicted, LENGTH);
    }

    private PageReader reader(long evicted, long segmentLength) {
        evict(evicted);
        UnsafeBuffer ring = new UnsafeBuffer(ByteBuffer.allocateDirect(RING).order(ByteOrder.LITTLE_ENDIAN));
        return new PageReader(
                new LogView(LogKind.RECORD, STORE_ID, storage, new Segments(temp, segmentLength), watermarks, ring));
    }

    private void evict(long address) {
        watermarks.tailRelease(address);
        watermarks.overwrittenOpaque(address);
        watermarks.evictedRelease(address);
    }

    @Test
    void shouldNotLookForEachPageOfThousandsOfSegments() {
        write(0);
        try (PageReader pages = reader(FAR)) {
            for (long pageAddress = FAR - PageDescriptor.PAGE_LENGTH;
                    pageAddress >= 0;
                    pageAddress -= PageDescriptor.PAGE_LENGTH) {
                assertEquals(
                        pageAddress < LENGTH ? PageState.PRESENT : PageState.DAMAGED, pages.read(pageAddress, FAR));
            }
        }
        assertTrue(calls < 10, () -> "calls=" + calls);
    }

    /** As a mark may say whose checksum is right; the file is of a shorter segment. */
    @Test
    void shouldNotLookForEachPageOfTheSegmentInWhichTheGapBegins() {
        write(1);
        long gapBegin = (FAR >> 1) + PAGES * LENGTH;
        watermarks.gap(gapBegin, 2 * FAR, 0, 0);
        try (PageReader pages = reader(3 * FAR, FAR)) {
            for (long pageAddress = gapBegin - PageDescriptor.PAGE_LENGTH;
                    pageAddress >= 0;
                    pageAddress -= PageDescriptor.PAGE_LENGTH) {
                assertEquals(PageState.DAMAGED, pages.read(pageAddress, 3 * FAR));
            }
        }
        assertTrue(calls < 10, () -> "calls=" + calls);
    }

    @Test
    void shouldFindWhatIsEvictedLater() {
        write(0);
        try (PageReader pages = reader(2 * LENGTH)) {
            assertEquals(PageState.DAMAGED, pages.read(LENGTH, 2 * LENGTH));
            write(2);
            evict(3 * LENGTH);
            assertEquals(PageState.PRESENT, pages.read(2 * LENGTH, 3 * LENGTH));
            assertEquals(PageState.DAMAGED, pages.read(LENGTH, 3 * LENGTH));
        }
    }

    @Test
    void shouldFindWhatARebuildWritesIntoTheGap() {
        write(7);
        watermarks.gap(2 * LENGTH, 6 * LENGTH, 0, 0);
        try (PageReader pages = reader(8 * LENGTH)) {
            // one before the gap, one within, one after
            for (long missing : new long[] {LENGTH, 3 * LENGTH, 6 * LENGTH}) {
                assertEquals(PageState.DAMAGED, pages.read(missing, 8 * LENGTH));
                for (long segment = 2; segment < 6; segment++) {
                    write(segment);
                    watermarks.gapBeginRelease((segment + 1) * LENGTH);
                    assertEquals(PageState.PRESENT, pages.read(segment * LENGTH, 8 * LENGTH));
                    Storage.DISK.delete(new Segments(temp, LENGTH).file(segment * LENGTH));
                    watermarks.gapBeginRelease(2 * LENGTH);
                }
            }
        }
    }

    @Test
    void shouldTellHowManyAreMissingInARow() {
        write(0);
        write(5);
        evict(FAR);
        MissingSegments missing = new MissingSegments(
                new LogView(LogKind.RECORD, STORE_ID, storage, new Segments(temp, LENGTH), watermarks, null));
        assertTrue(missing.touch(LENGTH, LENGTH + 1));
        assertEquals(5 * LENGTH, missing.behind(LENGTH, FAR));
        assertEquals(5 * LENGTH, missing.behind(2 * LENGTH + PageDescriptor.PAGE_LENGTH, FAR));
        assertEquals(3 * LENGTH, missing.behind(LENGTH, 3 * LENGTH));
        assertEquals(FAR, missing.behind(6 * LENGTH, FAR));
    }

    /** Segments that are there, as the bits of a number say. */
    private static final int SEGMENTS = 6;

    private void keepOnly(int there) {
        Storage.DISK.createDirectories(temp);
        for (int segment = 0; segment < SEGMENTS; segment++) {
            Path file = new Segments(temp, LENGTH).file(segment * LENGTH);
            try {
                Files.deleteIfExists(file);
                if ((there & 1 << segment) != 0) {
                    Files.write(file, new byte[1]);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private LogView view() {
        return new LogView(LogKind.RECORD, STORE_ID, storage, new Segments(temp, LENGTH), watermarks, null);
    }

    private static boolean isThere(int there, long segment) {
        return segment < SEGMENTS && (there & 1 << segment) != 0;
    }

    @Test
    void shouldTellWhetherARangeTouchesWhatIsMissingAndWhatIsBehind() {
        long evicted = SEGMENTS * LENGTH - 100;
        evict(evicted);
        long[] ends = {1, LENGTH - 1, LENGTH, LENGTH + 1, 2 * LENGTH, 4 * LENGTH, evicted, FAR};
        for (int there = 0; there < 1 << SEGMENTS; there++) {
            keepOnly(there);
            MissingSegments missing = new MissingSegments(view());
            for (long from = 0; from < SEGMENTS * LENGTH; from += LENGTH / 2) {
                for (long length : ends) {
                    long to = from + length;
                    boolean expected = false;
                    for (long at = from / LENGTH; at * LENGTH < Math.min(to, evicted); at++) {
                        expected |= !isThere(there, at);
                    }
                    String what = "there=" + Integer.toBinaryString(there) + ", from=" + from + ", to=" + to;
                    assertEquals(expected, missing.touch(from, to), what);
                    long behind = from / LENGTH + 1;
                    while (behind * LENGTH < Math.min(to, evicted) && !isThere(there, behind)) {
                        behind++;
                    }
                    assertEquals(Math.min(behind * LENGTH, to), missing.behind(from, to), what);
                }
            }
        }
    }

    @Test
    void shouldTakeADirectoryInPlaceOfAFileForMissing() throws IOException {
        keepOnly(0);
        evict(LENGTH);
        Files.createDirectories(new Segments(temp, LENGTH).file(0));
        assertTrue(new MissingSegments(view()).touch(0, 1));
    }

    /** What is remembered as missing is the whole range without files, and no more: not what may be written later. */
    @Test
    void shouldRememberTheRangeThatIsMissing() {
        long evicted = SEGMENTS * LENGTH - PageDescriptor.PAGE_LENGTH;
        for (int there = 0; there < 1 << SEGMENTS; there++) {
            keepOnly(there);
            for (long gapBegin = 0; gapBegin <= 2; gapBegin++) {
                for (long gapEnd = gapBegin; gapEnd <= 4; gapEnd += 2) {
                    assertRemembersMissing(there, gapBegin, gapEnd, evicted);
                }
            }
        }
    }

    private void assertRemembersMissing(int there, long gapBegin, long gapEnd, long evicted) {
        evict(evicted);
        watermarks.gap(gapBegin * LENGTH, gapEnd * LENGTH, 0, 0);
        for (long segment = 0; segment < SEGMENTS; segment++) {
            boolean inGap = segment >= gapBegin && segment < gapEnd;
            if (isThere(there, segment) || inGap) {
                continue;
            }
            long sought = segment * LENGTH + PageDescriptor.PAGE_LENGTH;
            try (SegmentReader reader = new SegmentReader(view())) {
                ByteBuffer target = ByteBuffer.allocateDirect(8);
                assertThrows(StoreIoException.class, () -> reader.read(target, sought));
                boolean beforeGap = segment < gapBegin;
                long from = segment;
                while (from > (beforeGap ? 0 : gapEnd) && !isThere(there, from - 1)) {
                    from--;
                }
                long end = beforeGap && gapBegin < gapEnd ? gapBegin * LENGTH : evicted;
                long to = segment + 1;
                while (to * LENGTH < end && !isThere(there, to)) {
                    to++;
                }
                String what = "there=" + Integer.toBinaryString(there) + ", segment=" + segment + ", gap=" + gapBegin
                        + " to " + gapEnd;
                assertEquals(from * LENGTH, reader.missingBegin(), what);
                assertEquals(Math.min(to * LENGTH, end), reader.missingEnd(), what);
                assertTrue(reader.isMissing(sought), what);
                assertTrue(reader.isMissing(reader.missingBegin()) && !reader.isMissing(reader.missingBegin() - 1));
                assertTrue(!reader.isMissing(reader.missingEnd()) && reader.isMissing(reader.missingEnd() - 1));
                assertEquals(0, reader.read(target, sought), "without asking the disk");
            }
        }
    }

    @Test
    void shouldKeepTheLastFileOpenUntilAnotherIsRead() {
        keepOnly(0b11);
        evict(2 * LENGTH);
        try (SegmentReader reader = new SegmentReader(view())) {
            ByteBuffer target = ByteBuffer.allocateDirect(8);
            calls = 0;
            assertEquals(1, reader.read(target.clear(), 0));
            assertEquals(1, calls);
            assertEquals(1, reader.read(target.clear(), 0));
            assertEquals(1, calls, "it is open");
            assertEquals(1, reader.read(target.clear(), LENGTH));
            assertEquals(2, calls);
            reader.reset();
            assertEquals(1, reader.read(target.clear(), LENGTH));
            assertEquals(3, calls, "opened again");
            assertFalse(reader.isMissing(0));
        }
    }

    /** A later session, of which these watermarks know nothing, has deleted a beginning; that is asked once for each range. */
    @Test
    void shouldAskOnceForEachMissingRangeWhetherItWasDeletedLater() {
        keepOnly(0b001000);
        evict(SEGMENTS * LENGTH);
        int[] asked = new int[1];
        long[] laterBegin = {2 * LENGTH};
        LogView view =
                new LogView(LogKind.RECORD, STORE_ID, storage, new Segments(temp, LENGTH), watermarks, null, () -> {
                    asked[0]++;
                    return laterBegin[0];
                });
        try (PageReader pages = new PageReader(view, 1)) {
            for (int page = 0; page < 3 * PAGES; page++) {
                assertEquals(
                        page < 2 * PAGES ? PageState.EXPIRED : PageState.DAMAGED,
                        pages.read((long) page * PageDescriptor.PAGE_LENGTH, SEGMENTS * LENGTH),
                        "page=" + page);
            }
            assertEquals(1, asked[0]);
            assertEquals(PageState.DAMAGED, pages.read(3 * LENGTH, SEGMENTS * LENGTH), "its file is there, but short");
            assertEquals(1, asked[0]);
            laterBegin[0] = 5 * LENGTH;
            assertEquals(PageState.EXPIRED, pages.read(4 * LENGTH, SEGMENTS * LENGTH));
            assertEquals(2, asked[0]);
            assertEquals(PageState.DAMAGED, pages.read(5 * LENGTH, SEGMENTS * LENGTH));
            assertEquals(PageState.EXPIRED, pages.read(0, SEGMENTS * LENGTH));
            assertEquals(3, asked[0], "the range before it again");
        }
    }
}
