package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a compressed segment, whatever was in the reader's memory before. Pages of one byte each stand for LZ4. */
final class CompressedPagesTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int PAGES = 4;
    private static final long SEGMENT = PAGES * PAGE;
    private static final int BEGIN = (int) CompressedSegment.begin(SEGMENT);

    /** What the memory holds before. */
    private static final byte OLD = 9;

    @TempDir
    Path folder;

    private final ByteBuffer bytes = ByteBuffer.allocate(BEGIN + PAGES + PAGE).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer target = ByteBuffer.allocateDirect((PAGES + 1) * PAGE);
    private CompressedPages pages;

    @BeforeEach
    void open() {
        PageDecoder decoder = (form, stored, page, offset) -> {
            page.setMemory(offset, PAGE, stored.get());
            return page.getByte(offset) != OLD && stored.remaining() == 0;
        };
        Segments segments = new Segments(folder, SEGMENT, () -> decoder);
        pages = new CompressedPages(
                new LogView(LogKind.RECORD, 7, Storage.DISK, segments, Watermarks.fixed(0, SEGMENT), null));
        for (int page = 0; page < PAGES; page++) {
            put(page, BEGIN + page, 1, PageForm.LZ4);
            bytes.put(BEGIN + page, (byte) (page + 1));
        }
        for (int i = 0; i < PAGE; i++) {
            bytes.put(BEGIN + PAGES + i, (byte) 5);
        }
        for (int i = 0; i < target.capacity(); i++) {
            target.put(i, OLD);
        }
    }

    @AfterEach
    void close() {
        pages.close();
    }

    private void put(int page, long offset, int length, PageForm form) {
        int at = CompressedSegment.HEADER_LENGTH + page * CompressedSegment.ENTRY_LENGTH;
        bytes.putLong(at, CompressedSegment.entry(offset, length, form));
    }

    private int read(int page, int position, int limit) {
        Path path = folder.resolve("segment");
        try {
            Files.write(path, bytes.array());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            return pages.read(file, target.clear().position(position).limit(limit), (long) page * PAGE);
        }
    }

    /** The bytes of which the target's pages are. */
    private void assertPages(int... expected) {
        ByteBuffer whole = target.duplicate().clear();
        for (int i = 0; i < whole.capacity(); i++) {
            assertEquals(expected[i / PAGE], whole.get(i), "byte=" + i);
        }
    }

    @Test
    void shouldReadWholePagesBehindTheTargetsPosition() {
        assertEquals(2 * PAGE, read(1, PAGE, 4 * PAGE - 1));
        assertEquals(3 * PAGE, target.position());
        assertPages(OLD, 2, 3, OLD, OLD);
        assertEquals(PAGE, read(0, 0, PAGE));
        assertPages(1, 2, 3, OLD, OLD);
        assertEquals(0, read(0, 0, PAGE - 1));
        assertPages(1, 2, 3, OLD, OLD);
    }

    @Test
    void shouldReadAPageThatIsStoredAsItIs() {
        put(2, BEGIN + PAGES, PAGE, PageForm.PLAIN);
        assertEquals(4 * PAGE, read(0, 0, 4 * PAGE));
        assertPages(1, 2, 5, 4, OLD);
    }

    @Test
    void shouldLeaveZeroesWhereAPageDoesNotDecode() {
        long[] wrong = {
            0,
            CompressedSegment.entry(BEGIN, 0, PageForm.LZ4),
            CompressedSegment.entry(BEGIN, 2, PageForm.LZ4),
            CompressedSegment.entry(BEGIN + PAGES, PAGE - 1, PageForm.PLAIN),
            CompressedSegment.entry(BEGIN + PAGES + 1, PAGE, PageForm.PLAIN),
            CompressedSegment.entry(bytes.capacity(), 1, PageForm.LZ4),
            CompressedSegment.entry(BEGIN, 1, PageForm.LZ4) | 3L << 60
        };
        for (long entry : wrong) {
            Arrays.fill(bytes.array(), BEGIN, BEGIN + 1, (byte) 1);
            bytes.putLong(CompressedSegment.HEADER_LENGTH + CompressedSegment.ENTRY_LENGTH, entry);
            assertEquals(3 * PAGE, read(0, 0, 3 * PAGE));
            assertPages(1, 0, 3, OLD, OLD);
        }
    }

    /** The file of a segment that was cut. */
    @Test
    void shouldLeaveZeroesWhereTheDirectoryEnds() throws IOException {
        Path path = folder.resolve("segment");
        int entries = CompressedSegment.HEADER_LENGTH + 2 * CompressedSegment.ENTRY_LENGTH;
        put(0, entries - 1, 1, PageForm.LZ4); // a byte of the directory
        Files.write(path, Arrays.copyOf(bytes.array(), entries));
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            assertEquals(4 * PAGE, pages.read(file, target.clear().limit(4 * PAGE), 0));
        }
        assertEquals(bytes.get(entries - 1), target.get(0));
        for (int page = 1; page < PAGES; page++) {
            assertEquals(0, target.get(page * PAGE), "page=" + page);
        }
    }
}
