package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.BadDisk;
import dev.loom.HookedStorage;
import dev.loom.compress.CompressionLibrary;
import dev.loom.error.StoreIoException;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader that the writer overtakes: it steps between the reader's look at the watermarks and its copy. */
final class PageReaderTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RING_PAGES = 4;
    private static final long STORE_ID = 7;

    /** The ring, in which something happens just before the next copy out of it. */
    private static final class SteppedRing extends UnsafeBuffer {
        private @Nullable Runnable beforeCopy;

        SteppedRing(ByteBuffer bytes) {
            super(bytes);
        }

        @Override
        public void boundsCheck(int index, int length) {
            Runnable step = beforeCopy;
            beforeCopy = null;
            if (step != null) {
                step.run();
            }
            super.boundsCheck(index, length);
        }
    }

    @TempDir
    Path temp;

    private Segments segments;
    private UnsharedLog writer;
    private SteppedRing ring;
    private PageReader reader;

    @BeforeEach
    void open() {
        segments = new Segments(temp, 8L * PAGE);
        writer = new UnsharedLog(LogKind.RECORD, STORE_ID, 0, Storage.DISK, segments, 0, RING_PAGES * PAGE);
        ring = new SteppedRing(writer.log().ringBytes());
        reader = new PageReader(new LogView(
                LogKind.RECORD, STORE_ID, Storage.DISK, segments, writer.log().watermarks(), ring));
    }

    @AfterEach
    void close() {
        reader.close();
        writer.close();
    }

    /** Of which each has its number as base time, and in its bytes. */
    private void writePages(int count) {
        for (int i = 0; i < count; i++) {
            writer.evict();
            HybridLog log = writer.log();
            long number = PageDescriptor.pageNumber(log.tail());
            log.beginPage(number, log.tail(), false);
            log.ring().setMemory(log.offset(), 1000, (byte) number);
            log.advance(1000);
            log.sealPage(number);
            log.publish();
        }
    }

    private void assertPage(long number) {
        assertSame(PageState.PRESENT, reader.read(number * PAGE, writer.log().tail()));
        assertEquals(number, PageDescriptor.baseTimeNs(reader.buffer(), reader.pageOffset()));
        assertEquals(PageDescriptor.HEADER_LENGTH + 1000, reader.used());
        for (int i = 0; i < 1000; i++) {
            int at = reader.pageOffset() + PageDescriptor.HEADER_LENGTH + i;
            assertEquals((byte) number, reader.buffer().getByte(at), "page=" + number + ", byte=" + i);
        }
    }

    @Test
    void shouldDiscardACopyThatTheWriterOvertook() {
        for (int laps = 1; laps <= 3; laps++) {
            writePages(RING_PAGES);
            long oldest = PageDescriptor.pageNumber(writer.log().tail()) - RING_PAGES;
            int pages = laps * RING_PAGES;
            ring.beforeCopy = () -> writePages(pages);
            assertPage(oldest);
            assertEquals(laps, reader.lapped());
        }
    }

    /** Also where a segment might be compressed, of which the first block tells. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadTheNeighboursOfAPageThatTheDiskDoesNotDeliver(boolean decoded) {
        Segments segments = decoded ? new Segments(temp, 8L * PAGE, CompressionLibrary::decoder) : this.segments;
        writePages(20);
        for (int bad = 0; bad < 8; bad++) {
            long from = (long) bad * PAGE;
            Storage storage = new HookedStorage() {
                @Override
                protected void onRead(Path file, long position, int length) {
                    if (file.equals(segments.file(0)) && position < from + PAGE && position + length > from) {
                        throw new StoreIoException("injected failure: file=" + file + ", position=" + position);
                    }
                }
            };
            LogView view = new LogView(
                    LogKind.RECORD, STORE_ID, storage, segments, writer.log().watermarks(), ring);
            try (PageReader walk = new PageReader(view)) {
                for (int i = -11; i <= 11; i++) { // backward, then forward
                    int page = Math.abs(i);
                    assertSame(
                            page == bad ? PageState.DAMAGED : PageState.PRESENT,
                            walk.read((long) page * PAGE, writer.log().tail()),
                            "page=" + page + ", bad=" + bad);
                    assertEquals(page == bad, walk.failed());
                    assertEquals(page == bad, walk.failure() != null);
                }
            }
        }
    }

    /** A segment that is not full is not compressed, whatever its first block would say. */
    @Test
    void shouldReadTheLastSegmentWhenTheDiskDoesNotDeliverItsFirstBlock() {
        Segments decoded = new Segments(temp, 8L * PAGE, CompressionLibrary::decoder);
        writePages(21);
        BadDisk storage = new BadDisk();
        storage.spoil(decoded.file(16L * PAGE), 0, 4096);
        LogView view = new LogView(
                LogKind.RECORD, STORE_ID, storage, decoded, writer.log().watermarks(), null);
        try (PageReader walk = new PageReader(view)) {
            for (int i = -19; i <= 19; i++) { // backward, then forward
                int page = Math.abs(i);
                assertSame(
                        page == 16 ? PageState.DAMAGED : PageState.PRESENT,
                        walk.read((long) page * PAGE, writer.log().tail()),
                        "page=" + page);
                assertEquals(page == 16, walk.failed());
            }
        }
        // it may be full and compressed by now, for all that a log whose end is not known says
        LogView endless =
                new LogView(LogKind.RECORD, STORE_ID, storage, decoded, Watermarks.fixed(0, Long.MAX_VALUE), null);
        try (PageReader walk = new PageReader(endless)) {
            assertThrows(StoreIoException.class, () -> walk.readOrFail(17L * PAGE, Long.MAX_VALUE));
        }
    }

    /** Not even if the first that it delivers again is another page. */
    @Test
    void shouldTakeNoPageForBadForAMomentWithoutTheDisk() {
        writePages(20);
        for (int failures = 1; failures <= 10; failures++) {
            BadDisk storage = new BadDisk();
            storage.failuresMax = failures;
            storage.spoil(segments.file(0), 0, 8L * PAGE);
            storage.spoil(segments.file(8L * PAGE), 0, 8L * PAGE);
            LogView files =
                    new LogView(LogKind.RECORD, STORE_ID, storage, segments, Watermarks.fixed(0, 16L * PAGE), null);
            try (PageReader walk = new PageReader(files)) {
                assertSame(PageState.PRESENT, walk.readInsistently(5L * PAGE, 16L * PAGE), "failures=" + failures);
                assertFalse(walk.failed());
                assertEquals(failures, storage.failed.get());
            }
        }
    }

    @Test
    void shouldFindNothingBehindWhatIsInTheRingOrInFiles() {
        writePages(20);
        Watermarks ended = Watermarks.fixed(0, 10L * PAGE);
        LogView files = new LogView(LogKind.RECORD, STORE_ID, Storage.DISK, segments, ended, null);
        try (PageReader fromFile = new PageReader(files)) {
            assertSame(PageState.PRESENT, fromFile.read(9L * PAGE, 20L * PAGE));
            assertSame(PageState.DAMAGED, fromFile.read(10L * PAGE, 20L * PAGE), "though a file has it by now");
            fromFile.checkReadable();
        }
        LogView onePage = files.with(new UnsafeBuffer(new byte[PAGE]));
        try (PageReader withRing = new PageReader(onePage)) {
            assertSame(PageState.PRESENT, withRing.read(10L * PAGE, 20L * PAGE));
            assertSame(PageState.DAMAGED, withRing.read(11L * PAGE, 20L * PAGE), "the ring's page is another");
        }
    }

    @Test
    void shouldFailForAPageThatTheDiskDoesNotDeliverWhenTheCallerGoesOnToWrite() {
        writePages(20);
        long tail = writer.log().tail();
        Storage storage = new HookedStorage() {
            @Override
            protected void onRead(Path file, long position, int length) {
                if (position == 0) {
                    throw new StoreIoException("injected failure: file=" + file + ", position=" + position);
                }
            }
        };
        LogView view = new LogView(
                LogKind.RECORD, STORE_ID, storage, segments, writer.log().watermarks(), null);
        try (PageReader walk = new PageReader(view, 1)) {
            assertThrows(StoreIoException.class, () -> walk.readOrFail(0, tail));
            assertThrows(StoreIoException.class, walk::checkReadable);
            assertSame(PageState.PRESENT, walk.readOrFail(PAGE, tail));
            walk.checkReadable();
            assertSame(PageState.DAMAGED, walk.readOrFail(-PAGE, tail), "no page is there");
        }
    }

    @Test
    void shouldDiscardACopyWhenItsPageIsTheLastOneOverwritten() {
        writePages(RING_PAGES);
        ring.beforeCopy = () -> writePages(1);
        assertPage(0);
        assertEquals(1, reader.lapped());
    }

    @Test
    void shouldKeepACopyWhenThePageBeforeItIsOverwritten() {
        writePages(RING_PAGES);
        ring.beforeCopy = () -> writePages(1);
        assertPage(1);
        assertEquals(0, reader.lapped());
        assertEquals(PAGE, reader.bytesRead());
    }

    @Test
    void shouldNotCopyWhatIsKnownToBeOverwritten() {
        writePages(2 * RING_PAGES);
        ring.beforeCopy = () -> {
            throw new AssertionError("copied");
        };
        assertPage(RING_PAGES - 1);
        assertEquals(0, reader.lapped());
    }

    @Test
    void shouldReadThePageThatIsOpenAsFarAsTheSnapshotSees() {
        HybridLog log = writer.log();
        log.beginPage(5, 0, false);
        log.ring().setMemory(log.offset(), 100, (byte) 9);
        log.advance(100);
        log.publish();
        long snapshot = log.tail();
        assertSame(PageState.PRESENT, reader.read(0, snapshot));
        assertEquals(snapshot, reader.used());
        log.ring().setMemory(log.offset(), 100, (byte) 8);
        log.advance(100);
        assertSame(PageState.PRESENT, reader.read(0, snapshot));
        assertEquals(snapshot, reader.used());
        assertSame(PageState.PRESENT, reader.read(0, log.tail()), "read once more, as it has grown");
        assertEquals(log.tail(), reader.used());
        assertEquals(8, reader.buffer().getByte(reader.pageOffset() + (int) snapshot));
    }

    @Test
    void shouldReadOfAPageThatWasSealedLaterOnlyWhatTheSnapshotSees() {
        writePages(2);
        HybridLog log = writer.log();
        long page = log.tail();
        log.beginPage(5, page, false);
        log.advance(100);
        long snapshot = log.tail();
        log.advance(100);
        log.sealPage(6);
        log.publish();
        writer.evict();
        LogView files = new LogView(LogKind.RECORD, STORE_ID, Storage.DISK, segments, log.watermarks(), null);
        try (PageReader fromFile = new PageReader(files, 1)) {
            for (PageReader each : List.of(reader, fromFile)) {
                assertSame(PageState.PRESENT, each.read(page, snapshot));
                assertEquals(snapshot - page, each.used());
                assertSame(PageState.PRESENT, each.read(page, log.tail()));
                assertEquals(PageDescriptor.HEADER_LENGTH + 200, each.used());
                assertEquals(page, PageDescriptor.address(each.buffer(), each.pageOffset()));
            }
        }
        assertEquals(snapshot - page + PAGE, reader.bytesRead(), "no more was copied than is visible");
    }

    @Test
    void shouldRefuseAddressesWhereNoPageIs() {
        writePages(1);
        long tail = writer.log().tail();
        assertSame(PageState.DAMAGED, reader.read(-PAGE, tail));
        assertSame(PageState.DAMAGED, reader.read(8, tail));
        assertSame(PageState.DAMAGED, reader.read(tail, tail));
        assertSame(PageState.PRESENT, reader.read(0, tail));
    }

    @Test
    void shouldCallPagesOfSegmentsBelowTheBeginExpired() {
        writePages(10);
        writer.log().watermarks().beginRelease(9L * PAGE);
        assertSame(PageState.EXPIRED, reader.read(7L * PAGE, writer.log().tail()));
        assertPage(8);
        assertPage(9);
    }

    @Test
    void shouldReadNeighboursFromFilesAtOnceInBothDirections() {
        writePages(20);
        for (int number = 0; number < 16; number++) {
            assertPage(number);
        }
        long ahead = reader.bytesRead();
        assertEquals(16, reader.pagesRead());
        assertEquals(16L * PAGE, ahead, "no page is read twice");
        for (int number = 15; number >= 0; number--) {
            assertPage(number);
        }
        assertTrue(reader.bytesRead() - ahead <= 16L * PAGE, "nor backwards");
        for (int number : new int[] {3, 12, 0, 9, 7, 8, 15, 14, 5}) {
            assertPage(number);
        }
    }

    /** Of a page that no file has any more. */
    @Test
    void shouldCallAMissingPageExpiredWhenTheBeginHasMovedMeanwhile() {
        writePages(2 * RING_PAGES);
        Watermarks watermarks = writer.log().watermarks();
        Storage.DISK.delete(segments.file(0));
        long tail = writer.log().tail();
        assertSame(PageState.DAMAGED, reader.read(0, tail));
        reader.checkReadable();
        assertSame(PageState.PRESENT, reader.read(5L * PAGE, tail));
        watermarks.beginRelease(PAGE);
        assertSame(PageState.EXPIRED, reader.readOrFail(0, tail));
        assertSame(PageState.DAMAGED, reader.read(PAGE, tail));
    }

    @Test
    void shouldReadPagesWithNothingInThemAndFullOnes() {
        HybridLog log = writer.log();
        log.beginPage(0, 0, false);
        log.publish();
        assertSame(PageState.PRESENT, reader.read(0, log.tail()));
        assertEquals(PageDescriptor.HEADER_LENGTH, reader.used());
        assertSame(PageState.DAMAGED, reader.read(0, PageDescriptor.HEADER_LENGTH - 1), "no page begins so");
        log.advance(log.remaining());
        log.publish();
        assertSame(PageState.PRESENT, reader.read(0, log.tail()));
        assertEquals(PAGE, reader.used(), "full and not sealed");
        log.sealPage(0);
        assertSame(PageState.PRESENT, reader.read(0, log.tail()));
        assertEquals(PAGE, reader.used());
    }

    @Test
    void shouldTouchNothingOnceClosed() {
        writePages(2 * RING_PAGES);
        assertPage(0);
        reader.close();
        reader.close();
        assertEquals(0, reader.buffer().capacity());
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> reader.read(7L * PAGE, writer.log().tail()));
    }
}
