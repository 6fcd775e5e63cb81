package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.nio.file.Path;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where records of several pages begin, which pages they take, and what becomes of them without room. */
final class JumboWriterTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int PAGE_CAPACITY = PAGE - PageDescriptor.HEADER_LENGTH;
    private static final int HEADER = RecordDescriptor.HEADER_LENGTH;

    /** The payload that leaves a page only this many bytes. */
    private static byte[] allBut(int left) {
        return new byte[PAGE_CAPACITY - HEADER - left];
    }

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path temp;

    private byte[] payload(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void assertStored(RecordLogFixture store, long address, byte[] payload) {
        try (PageRecords page =
                new PageRecords(store.records.view(), store.records.watermarks().tailAcquire(), 1)) {
            assertSame(PageState.PRESENT, page.read(PageDescriptor.pageAddress(address)));
            assertTrue(page.seek(address));
            byte[] found = new byte[page.length()];
            page.buffer().getBytes(page.offset(), found);
            assertArrayEquals(payload, found);
        }
    }

    @Test
    void shouldBeginInTheOpenPageOnlyIfAFragmentWorthItFitsThere() {
        for (int left : new int[] {0, HEADER, HEADER + 248, HEADER + 256, HEADER + 264}) {
            try (RecordLogFixture store = new RecordLogFixture(temp.resolve("left-" + left), 1)) {
                store.log.push(1, allBut(left));
                byte[] jumbo = payload(2 * PAGE);
                long address = store.log.push(1, jumbo);
                boolean here = left >= HEADER + 256;
                assertEquals(here ? PAGE - left : PAGE + PageDescriptor.HEADER_LENGTH, address, "left=" + left);
                assertStored(store, address, jumbo);
            }
        }
    }

    @Test
    void shouldTakeNoPageMoreThanItsFragmentsNeed() {
        // the first fragment begins with the total length
        int twoPages = 2 * (PAGE_CAPACITY - HEADER) - RecordDescriptor.TOTAL_LENGTH;
        assertPages(twoPages - 1, 2);
        assertPages(twoPages, 2);
        assertPages(twoPages + 1, 3);
    }

    private void assertPages(int length, int pages) {
        try (RecordLogFixture store = new RecordLogFixture(temp.resolve("length-" + length), 1)) {
            byte[] jumbo = payload(length);
            assertStored(store, store.log.push(1, jumbo), jumbo);
            long end = store.records.watermarks().tailAcquire();
            assertEquals(pages, (end + PAGE - 1) / PAGE, "length=" + length);
            assertEquals(
                    PageDescriptor.pageAddress(end - 1),
                    store.records.watermarks().sealedAcquire(),
                    "handed over");
        }
    }

    @Test
    void shouldStoreJumbosAmongShortRecordsWhereverTheyBegin() {
        System.out.println("JumboWriterTest: -Dloom.test.seed=" + seed);
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            for (int i = 0; i < 100; i++) {
                byte[] payload = payload(random.nextInt(random.nextBoolean() ? 5_000 : store.log.payloadLengthMax()));
                long address = store.log.push(1, payload);
                assertTrue(address >= 0, "seed=" + seed + ", i=" + i);
                assertStored(store, address, payload);
                store.evict();
            }
        }
    }

    @Test
    void shouldChangeNothingWithoutRoomForAllItsPages() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            UnsafeBuffer jumbo = new UnsafeBuffer(new byte[store.log.payloadLengthMax()]);
            int taken = 0;
            while (store.log.offer(1, jumbo, 0, jumbo.capacity()) >= 0) {
                taken++;
            }
            assertTrue(taken > 0);
            long tail = store.records.log().tail();
            long time = store.log.lastTimeNs();
            assertEquals(PushStatus.BACK_PRESSURED, store.log.offer(1, jumbo, 0, jumbo.capacity()));
            assertEquals(time, store.log.lastTimeNs());
            assertEquals(0, store.losses.lost(1), "its caller still has it");
            assertEquals(PushStatus.DROPPED, store.log.push(1, jumbo, 0, jumbo.capacity()));
            assertEquals(1, store.losses.lost(1));
            assertEquals(tail, store.records.log().tail());
            store.evict();
            assertFalse(store.log.push(1, jumbo, 0, jumbo.capacity()) < 0, "room again");
        }
    }

    /** No record may come before the time of a page that was begun, be it only to mark losses in. */
    @Test
    void shouldKeepTheTimeOfAPageThatMarksLosses() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1, Pressure.WAIT)) {
            for (int page = 2; page < RecordLogFixture.RING / PAGE; page++) {
                assertTrue(store.log.push(1, allBut(0)) >= 0);
            }
            long time = store.log.lastTimeNs();
            store.log.noteLoss(1, LossReason.SAMPLED, 5, time, time);
            int twoPages = 2 * (PAGE_CAPACITY - HEADER) - RecordDescriptor.TOTAL_LENGTH;
            UnsafeBuffer jumbo = new UnsafeBuffer(new byte[twoPages]);
            assertEquals(PushStatus.BACK_PRESSURED, store.log.pushArrived(1, time + 1_000, jumbo, 0, twoPages));
            assertEquals(0, store.losses.unmarked(1), "they are marked");
            assertEquals(time + 1_000, store.log.lastTimeNs());
            assertTrue(store.log.pushArrived(1, time + 500, jumbo, 0, 8) >= 0);
            assertEquals(time + 1_000, store.log.lastTimeNs());
        }
    }

    @Test
    void shouldWaitForTheOtherPagesOfARecordThatBeginsInTheOpenOne() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            for (int page = 1; page < RecordLogFixture.RING / PAGE; page++) {
                assertTrue(store.log.push(1, allBut(0)) >= 0);
            }
            long address = store.log.push(1, new byte[1]);
            UnsafeBuffer jumbo = new UnsafeBuffer(new byte[2 * PAGE]);
            assertEquals(PushStatus.BACK_PRESSURED, store.log.offer(1, jumbo, 0, jumbo.capacity()));
            long next = address + RecordDescriptor.alignedLength(1);
            assertEquals(next, store.records.log().tail());
            store.evict();
            assertEquals(next, store.log.offer(1, jumbo, 0, jumbo.capacity()));
        }
    }
}
