package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreReopenedException;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page that is not just what was sealed, where it was sealed, by the store that sealed it, is refused. */
final class PageChecksumTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long ADDRESS = 3L * PAGE;
    private static final long STORE_ID = 7;

    /** The page lies behind another one. */
    private final ByteBuffer bytes = ByteBuffer.allocate(2 * PAGE).order(ByteOrder.LITTLE_ENDIAN);

    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final PageChecksum checksum = new PageChecksum(LogKind.TIME, STORE_ID);

    private void sealPage(int used) {
        PageDescriptor.begin(buffer, PAGE, LogKind.TIME, false, STORE_ID, ADDRESS, 11, 12, 1);
        buffer.setMemory(PAGE + PageDescriptor.HEADER_LENGTH, used - PageDescriptor.HEADER_LENGTH, (byte) 9);
        PageDescriptor.seal(buffer, PAGE, used, 13);
        checksum.fill(bytes, PAGE, ADDRESS);
    }

    private boolean valid() {
        return checksum.valid(buffer, bytes, PAGE, ADDRESS);
    }

    @Test
    void shouldAcceptPagesEmptyAndFull() {
        for (int used : new int[] {PageDescriptor.HEADER_LENGTH, 1000, PAGE}) {
            sealPage(used);
            assertTrue(valid(), "used=" + used);
        }
    }

    /** By the picture of the page, without its class. */
    @Test
    void shouldBeSeededWithStoreAndPageAndCoverAllButItself() {
        sealPage(1000);
        ByteBuffer covered = ByteBuffer.allocate(2 * Long.BYTES + PAGE).order(ByteOrder.LITTLE_ENDIAN);
        covered.putLong(STORE_ID).putLong(3).put(bytes.duplicate().clear().position(PAGE));
        covered.putInt(2 * Long.BYTES + 36, 0);
        CRC32C crc = new CRC32C();
        crc.update(covered.flip());
        assertEquals((int) crc.getValue(), bytes.getInt(PAGE + 36));
    }

    @Test
    void shouldRefuseAPageOfWhichAnyByteDiffers() {
        sealPage(1000);
        for (int offset = 0; offset < PAGE; offset += offset < 1100 ? 1 : 997) {
            byte was = bytes.get(PAGE + offset);
            bytes.put(PAGE + offset, (byte) (was ^ 1));
            assertFalse(valid(), "offset=" + offset);
            bytes.put(PAGE + offset, was);
        }
        assertTrue(valid());
    }

    @Test
    void shouldRefuseAPageOfElsewhere() {
        sealPage(1000);
        assertFalse(checksum.valid(buffer, bytes, PAGE, ADDRESS + PAGE));
        assertFalse(new PageChecksum(LogKind.TIME, STORE_ID + 1).valid(buffer, bytes, PAGE, ADDRESS));
        assertFalse(new PageChecksum(LogKind.RECORD, STORE_ID).valid(buffer, bytes, PAGE, ADDRESS));
    }

    @Test
    void shouldRefuseALengthThatCannotBeThoughItsChecksumHolds() {
        for (int used : new int[] {0, PageDescriptor.HEADER_LENGTH - 1, PAGE + 1, -1}) {
            sealPage(1000);
            buffer.putInt(PAGE + PageDescriptor.USED_OFFSET, used);
            checksum.fill(bytes, PAGE, ADDRESS);
            assertFalse(valid(), "used=" + used);
        }
    }

    @Test
    void shouldWriteNoPageThatTheGuardRefuses(@TempDir Path folder) {
        Segments segments = new Segments(folder, 4L * PAGE);
        Runnable guard = () -> {
            throw new StoreReopenedException("another writer has taken over the store");
        };
        try (SegmentWriter writer = new SegmentWriter(Storage.DISK, segments, false, guard)) {
            ByteBuffer page = bytes.duplicate().clear().limit(PAGE);
            assertThrows(StoreReopenedException.class, () -> writer.write(page, 0));
        }
        assertFalse(Files.exists(segments.file(0)));
    }
}
