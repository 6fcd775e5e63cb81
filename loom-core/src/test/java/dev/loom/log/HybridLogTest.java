package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * The writer's side of the ring: what it announces, publishes and hands over, and in which order. A watermark that can't be stored
 * stops the writer there, so that the test sees what it had stored before.
 */
final class HybridLogTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RING_PAGES = 4;
    private static final int RING = RING_PAGES * PAGE;
    private static final long BEGIN = 5L * PAGE;

    private final ByteBuffer ring = ByteBuffer.allocateDirect(RING).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer live = ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final Watermarks watermarks = new Watermarks(live, 0);
    private final HybridLog log = new HybridLog(LogKind.RECORD, 7, 1, ring, watermarks, BEGIN, BEGIN);

    private void evictAll() {
        log.publishSealed();
        watermarks.evictedRelease(watermarks.sealedAcquire());
    }

    private void fillPage(long timeNs) {
        log.beginPage(timeNs, log.tail(), false);
        log.advance(1000);
        log.sealPage(timeNs + 1);
        log.publish();
    }

    private byte[] ringContent() {
        byte[] content = new byte[RING];
        ring.get(0, content);
        return content;
    }

    @Test
    void shouldAnnounceWhatEachPageOverwrites() {
        for (int page = 0; page < 3 * RING_PAGES; page++) {
            long address = BEGIN + (long) page * PAGE;
            log.beginPage(page, address, false);
            assertEquals(Math.max(BEGIN, address + PAGE - RING), watermarks.overwritten(), "page=" + page);
            log.sealPage(page);
            evictAll();
        }
    }

    @Test
    void shouldAnnounceBeforeTheFirstByteIsOverwritten() {
        for (int page = 0; page < RING_PAGES; page++) {
            fillPage(page);
        }
        evictAll();
        assertTrue(log.hasRoom(1));
        byte[] before = ringContent();
        long tail = log.tail();

        live.limit(Watermarks.OVERWRITTEN_OFFSET);
        assertThrows(IndexOutOfBoundsException.class, () -> log.beginPage(9, tail, false));
        live.clear();

        assertEquals(ByteBuffer.wrap(before), ByteBuffer.wrap(ringContent()), "stored before it was announced");
        assertEquals(tail, log.tail());
        assertFalse(log.pageOpen());
    }

    @Test
    void shouldBeginAPageOnlyWhereTheOldOneIsEvicted() {
        for (int page = 0; page < RING_PAGES; page++) {
            assertTrue(log.hasRoom(RING_PAGES - page));
            assertFalse(log.hasRoom(RING_PAGES - page + 1));
            fillPage(page);
        }
        assertFalse(log.hasRoom(1));
        assertThrows(IllegalStateException.class, () -> log.beginPage(9, log.tail(), false));
        log.publishSealed();
        watermarks.evictedRelease(BEGIN + PAGE - 1);
        assertFalse(log.hasRoom(1));
        watermarks.evictedRelease(BEGIN + PAGE);
        assertTrue(log.hasRoom(1));
        assertFalse(log.hasRoom(2));
        log.beginPage(9, log.tail(), false);
        assertFalse(log.hasRoom(1));
    }

    @Test
    void shouldShowNothingThatIsNotPublished() {
        log.beginPage(1, BEGIN, false);
        log.advance(100);
        assertEquals(BEGIN, watermarks.tailAcquire());
        log.publish();
        assertEquals(BEGIN + PageDescriptor.HEADER_LENGTH + 100, watermarks.tailAcquire());
        log.sealPage(2);
        assertEquals(BEGIN + PageDescriptor.HEADER_LENGTH + 100, watermarks.tailAcquire());
        log.publish();
        assertEquals(BEGIN + PAGE, watermarks.tailAcquire());
        assertEquals(BEGIN, watermarks.sealedAcquire(), "the evictor has not been told");
        log.publishSealed();
        assertEquals(BEGIN + PAGE, watermarks.sealedAcquire());
        assertEquals(BEGIN, watermarks.coveredAcquire());
        log.publishCovered();
        assertEquals(BEGIN + PAGE, watermarks.coveredAcquire());
    }

    @Test
    void shouldSealWithTheBytesUsedAndZerosBehind() {
        fillPage(3);
        int page = (int) (BEGIN & (RING - 1));
        assertEquals(PageDescriptor.HEADER_LENGTH + 1000, PageDescriptor.used(log.ring(), page));
        assertEquals(3, PageDescriptor.baseTimeNs(log.ring(), page));
        assertEquals(4, PageDescriptor.lastTimeNs(log.ring(), page));
        long end = log.tail();
        log.sealPage(99);
        assertEquals(end, log.tail(), "no page is open");
        assertEquals(4, PageDescriptor.lastTimeNs(log.ring(), page));
        assertEquals(0, log.remaining());
        assertEquals(end, log.pageAddress());
    }

    @Test
    void shouldNotHandOverThePageThatIsOpen() {
        fillPage(1);
        log.beginPage(2, log.tail(), false);
        log.advance(8);
        log.publish();
        log.publishSealed();
        assertEquals(BEGIN + PAGE, watermarks.sealedAcquire());
        assertEquals(BEGIN + PAGE, log.pageAddress());
        assertEquals(PAGE - PageDescriptor.HEADER_LENGTH - 8, log.remaining());
    }

    @Test
    void shouldSayWhyAPageCannotBegin() {
        for (int page = 0; page < RING_PAGES; page++) {
            fillPage(page);
        }
        String message = assertThrows(IllegalStateException.class, () -> log.beginPage(9, log.tail(), false))
                .getMessage();
        assertEquals("no room for a page: log=RECORD, tail=" + log.tail() + ", ring=" + RING, message);
        assertEquals(LogKind.RECORD, log.kind());
    }

    @Test
    void shouldKnowWhichPageIsOpenAndWhatIsLeftOfIt() {
        assertEquals(BEGIN, log.pageAddress(), "the next one");
        assertEquals(0, log.remaining());
        log.beginPage(1, BEGIN, false);
        assertEquals(BEGIN, log.pageAddress());
        assertEquals(PAGE - PageDescriptor.HEADER_LENGTH, log.remaining());
        log.advance(log.remaining());
        assertEquals(BEGIN, log.pageAddress(), "full, but open");
        assertEquals(0, log.remaining());
        assertTrue(log.pageOpen());
        log.sealPage(1);
        assertEquals(BEGIN + PAGE, log.pageAddress());
    }

    @Test
    void shouldGoOnInAnotherRingAndOtherWatermarks() {
        fillPage(1);
        log.publishSealed();
        ByteBuffer otherRing = ByteBuffer.allocateDirect(RING).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer otherLive = ByteBuffer.allocateDirect(live.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        otherRing.put(0, ringContent());
        for (int i = 0; i < live.capacity(); i++) {
            otherLive.put(i, live.get(i));
        }
        byte[] before = ringContent();
        log.moveTo(otherRing, otherLive);
        assertSame(otherRing, log.ringBytes());
        fillPage(2);
        int page = (int) ((BEGIN + PAGE) & (RING - 1));
        assertEquals(2, PageDescriptor.baseTimeNs(new UnsafeBuffer(otherRing), page));
        assertEquals(ByteBuffer.wrap(before), ByteBuffer.wrap(ringContent()), "nothing goes where it was");
        log.publishSealed();
        assertEquals(BEGIN + 2L * PAGE, watermarks.sealedAcquire(), "of the new memory");
        live.putLong(8, 0);
        assertEquals(BEGIN + 2L * PAGE, watermarks.sealedAcquire());
        assertEquals(ByteOrder.LITTLE_ENDIAN, log.evictorBytes().order());
        log.evictorBytes().position(5);
        assertEquals(0, log.ringBytes().position(), "the evictor has a position of its own");
    }
}
