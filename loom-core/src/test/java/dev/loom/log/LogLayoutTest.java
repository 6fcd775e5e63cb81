package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The pictures of the log's layouts, number by number: a store is read by later versions, and by other processes. */
class LogLayoutTest {
    @Test
    void shouldLayOutPagesAsInThePicture() {
        assertEquals(65_536, PageDescriptor.PAGE_LENGTH);
        assertEquals(0x6d6f_6f4c, PageDescriptor.MAGIC);
        assertEquals(0, PageDescriptor.MAGIC_OFFSET);
        assertEquals(4, PageDescriptor.MAJOR_OFFSET);
        assertEquals(5, PageDescriptor.MINOR_OFFSET);
        assertEquals(6, PageDescriptor.KIND_OFFSET);
        assertEquals(7, PageDescriptor.FLAGS_OFFSET);
        assertEquals(8, PageDescriptor.STORE_ID_OFFSET);
        assertEquals(16, PageDescriptor.PAGE_NUMBER_OFFSET);
        assertEquals(24, PageDescriptor.BASE_TIME_OFFSET);
        assertEquals(32, PageDescriptor.USED_OFFSET);
        assertEquals(36, PageDescriptor.CRC_OFFSET);
        assertEquals(40, PageDescriptor.EPOCH_OFFSET);
        assertEquals(44, PageDescriptor.RESERVED_OFFSET);
        assertEquals(48, PageDescriptor.LAST_TIME_OFFSET);
        assertEquals(56, PageDescriptor.BASE_ADDRESS_OFFSET);
        assertEquals(64, PageDescriptor.HEADER_LENGTH);
        assertEquals(1, PageDescriptor.FLAG_CONTINUES);
        assertEquals(1, LogKind.RECORD.code());
        assertEquals(2, LogKind.TIME.code());
    }

    @Test
    void shouldWriteAPageHeaderLittleEndian() {
        UnsafeBuffer page = new UnsafeBuffer(new byte[PageDescriptor.PAGE_LENGTH]);
        page.setMemory(0, page.capacity(), (byte) 0xff);
        PageDescriptor.begin(page, 0, LogKind.TIME, true, 0x0102_0304_0506_0708L, 5L << 16, 7, 9, 11);
        PageDescriptor.seal(page, 0, 72, 13);
        ByteBuffer bytes = ByteBuffer.wrap(page.byteArray()).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals('L', bytes.get(0));
        assertEquals('o', bytes.get(1));
        assertEquals('o', bytes.get(2));
        assertEquals('m', bytes.get(3));
        assertEquals(1, bytes.get(4));
        assertEquals(1, bytes.get(5));
        assertEquals(2, bytes.get(6));
        assertEquals(1, bytes.get(7));
        assertEquals(0x0102_0304_0506_0708L, bytes.getLong(8));
        assertEquals(5, bytes.getLong(16));
        assertEquals(7, bytes.getLong(24));
        assertEquals(72, bytes.getInt(32));
        assertEquals(0, bytes.getInt(36));
        assertEquals(11, bytes.getInt(40));
        assertEquals(0, bytes.getInt(44));
        assertEquals(13, bytes.getLong(48));
        assertEquals(9, bytes.getLong(56));
        assertEquals(-1, bytes.getLong(64));
        for (int offset = 72; offset < 65_536; offset++) {
            assertEquals(0, bytes.get(offset), "the rest is zero");
        }
    }

    /** Whatever the ring had there before. */
    @Test
    void shouldBeginAPageThatIsNotSealed() {
        int at = 3 * PageDescriptor.PAGE_LENGTH;
        UnsafeBuffer ring = new UnsafeBuffer(new byte[4 * PageDescriptor.PAGE_LENGTH]);
        ring.setMemory(0, ring.capacity(), (byte) 0xff);
        PageDescriptor.begin(ring, at, LogKind.TIME, false, 1, 5L << 16, 7, 9, 11);
        assertEquals(0, PageDescriptor.used(ring, at));
        assertEquals(0, PageDescriptor.crc(ring, at));
        assertEquals(0, PageDescriptor.lastTimeNs(ring, at));
        assertEquals(7, PageDescriptor.baseTimeNs(ring, at));
        assertEquals(9, PageDescriptor.baseAddress(ring, at));
        assertEquals(11, PageDescriptor.epoch(ring, at));
        assertFalse(PageDescriptor.continues(ring, at));
        ring.putByte(at + PageDescriptor.FLAGS_OFFSET, (byte) ~PageDescriptor.FLAG_CONTINUES);
        assertFalse(PageDescriptor.continues(ring, at), "other flags");
        ring.putByte(at + PageDescriptor.FLAGS_OFFSET, (byte) PageDescriptor.FLAG_CONTINUES);
        assertTrue(PageDescriptor.continues(ring, at));
    }

    @Test
    void shouldHavePagesAtTheirMultiplesOnly() {
        long pageLength = PageDescriptor.PAGE_LENGTH;
        for (long address : new long[] {0, pageLength, 7 * pageLength, PageDescriptor.ADDRESS_MAX}) {
            assertTrue(PageDescriptor.isPage(address));
            assertEquals(address, PageDescriptor.pageAddress(address + pageLength - 1));
            assertEquals(pageLength - 1, PageDescriptor.offsetInPage(address + pageLength - 1));
            assertFalse(PageDescriptor.isPage(address + 1));
        }
        assertFalse(PageDescriptor.isPage(-pageLength));
        assertFalse(PageDescriptor.isPage(PageDescriptor.ADDRESS_MAX + pageLength));
    }

    @Test
    void shouldSetEveryWatermarkOfALogThatNobodyWrites() {
        Watermarks watermarks = Watermarks.fixed(100, 200);
        assertEquals(100, watermarks.beginAcquire());
        assertEquals(200, watermarks.durableAcquire());
        assertEquals(200, watermarks.evictedAcquire());
        assertEquals(200, watermarks.overwritten());
        assertEquals(200, watermarks.sealedAcquire());
        assertEquals(200, watermarks.tailAcquire());
        assertEquals(200, watermarks.coveredAcquire());
        assertEquals(100, watermarks.lengthTo(200));
    }

    @Test
    void shouldLayOutWatermarksAsInThePicture() {
        assertEquals(256, Watermarks.LENGTH);
        assertEquals(0, Watermarks.TAIL_OFFSET);
        assertEquals(8, Watermarks.SEALED_OFFSET);
        assertEquals(16, Watermarks.OVERWRITTEN_OFFSET);
        assertEquals(24, Watermarks.COVERED_OFFSET);
        assertEquals(128, Watermarks.EVICTED_OFFSET);
        assertEquals(136, Watermarks.DURABLE_OFFSET);
        assertEquals(144, Watermarks.BEGIN_OFFSET);
        ByteBuffer bytes = ByteBuffer.allocateDirect(512).order(ByteOrder.LITTLE_ENDIAN);
        Watermarks watermarks = new Watermarks(bytes, 256);
        watermarks.tailRelease(1);
        watermarks.sealedRelease(2);
        watermarks.overwrittenOpaque(3);
        watermarks.coveredRelease(4);
        watermarks.evictedRelease(5);
        watermarks.durableRelease(6);
        watermarks.beginRelease(7);
        assertEquals(1, bytes.getLong(256));
        assertEquals(2, bytes.getLong(264));
        assertEquals(3, bytes.getLong(272));
        assertEquals(4, bytes.getLong(280));
        assertEquals(5, bytes.getLong(384));
        assertEquals(6, bytes.getLong(392));
        assertEquals(7, bytes.getLong(400));
        watermarks.gap(100, 200, 8, 9);
        assertEquals(100, bytes.getLong(408));
        assertEquals(200, bytes.getLong(416));
        assertEquals(8, bytes.getLong(424));
        assertEquals(9, bytes.getLong(432));
        assertEquals(100, watermarks.gapBeginAcquire());
        assertEquals(200, watermarks.gapEnd());
        assertEquals(8, watermarks.rebuiltAcquire());
        assertEquals(9, watermarks.rebuildTo());
        assertEquals(50 - 7, watermarks.lengthTo(50));
        assertEquals(200 - 7 - 100, watermarks.lengthTo(200), "without the gap");
    }
}
