package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Which file holds an address, and which files are segments. */
final class SegmentsTest {
    private static final long LENGTH = 4L * PageDescriptor.PAGE_LENGTH;
    private static final Path FOLDER = Path.of("/store/record");

    private final Segments segments = new Segments(FOLDER, LENGTH);

    @Test
    void shouldNameEachFileByItsFirstAddress() {
        assertEquals(FOLDER.resolve("00000000000000000000.seg"), segments.file(LENGTH - 1));
        assertEquals(FOLDER.resolve("00000000000000262144.seg"), segments.file(LENGTH));
        assertEquals(FOLDER.resolve("00000000000000262144.seg"), segments.file(2 * LENGTH - 1));
        assertEquals(LENGTH, Segments.firstOf(segments.file(LENGTH + 5)));
        assertEquals(0, Segments.firstOf(segments.file(0)));
    }

    @Test
    void shouldTakeNoOtherNameForASegment() {
        for (String name : new String[] {
            "0000000000000026214.seg",
            "000000000000000262144.seg",
            "00000000000000262144.tmp",
            "0000000000000026214x.seg",
            "99999999999999999999.seg",
            ".seg"
        }) {
            assertEquals(-1, Segments.firstOf(FOLDER.resolve(name)), name);
        }
    }

    @Test
    void shouldNotTakeACopyForItsSegment() {
        Path copy = segments.temporary(LENGTH, 0x1f);
        assertEquals(FOLDER.resolve("00000000000000262144.seg.1f.tmp"), copy);
        assertEquals(-1, Segments.firstOf(copy));
        assertTrue(Segments.isTemporary(copy));
        assertFalse(Segments.isTemporary(segments.file(0)));
    }

    @Test
    void shouldHaveWholePages() {
        for (long length : new long[] {0, -LENGTH, LENGTH + 1, 1}) {
            assertThrows(IllegalArgumentException.class, () -> new Segments(FOLDER, length));
        }
    }
}
