package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.io.Storage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
}
