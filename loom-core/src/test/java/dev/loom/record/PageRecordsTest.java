package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.value.RecordBatch;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a page, whole or damaged. The test damages the ring, where no checksum protects it. */
final class PageRecordsTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int FIRST = PageDescriptor.HEADER_LENGTH;
    private static final int JUMBO = 131_072;

    /** In a page, as in its picture. */
    private static final int FLAGS_OFFSET = 7;

    @TempDir
    Path directory;

    private RecordLogFixture store;

    @BeforeEach
    void open() {
        store = new RecordLogFixture(directory, 3);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] payload(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed + 31 * i);
        }
        return bytes;
    }

    private long push(int source, int length) {
        long address = store.log.push(source, payload(length, length));
        assertTrue(address >= 0);
        return address;
    }

    private PageRecords records(int source) {
        PageRecords page =
                new PageRecords(store.records.view(), store.records.watermarks().tailAcquire(), source);
        assertSame(PageState.PRESENT, page.read(0));
        return page;
    }

    /** The ring, whose offsets are addresses here. */
    private UnsafeBuffer ring() {
        return store.records.log().ring();
    }

    private long word0(long address) {
        return ring().getLong((int) address, ByteOrder.LITTLE_ENDIAN);
    }

    private void putWord0(long address, int length, int type, long back) {
        ring().putLong((int) address, RecordDescriptor.word0(length, type, back), ByteOrder.LITTLE_ENDIAN);
    }

    private static List<Long> all(PageRecords page) {
        List<Long> found = new ArrayList<>();
        while (page.next()) {
            found.add(page.address());
        }
        return found;
    }

    private static byte[] payload(PageRecords page) {
        byte[] bytes = new byte[page.length()];
        page.buffer().getBytes(page.offset(), bytes);
        return bytes;
    }

    @Test
    void shouldEndThePageAtAnImpossibleRecord() {
        long first = push(1, 8);
        long second = push(1, 8);
        long third = push(1, 8);
        try (PageRecords page = records(1)) {
            assertEquals(List.of(first, second, third), all(page));
        }
        int rest = (int) (store.records.watermarks().tailAcquire() - second) - RecordDescriptor.HEADER_LENGTH;
        for (int type = 0; type <= 5; type++) {
            putWord0(second, 8, type, 0);
            List<Long> expected = switch (type) {
                case RecordDescriptor.WHOLE -> List.of(first, second, third);
                case RecordDescriptor.FIRST, RecordDescriptor.MIDDLE, RecordDescriptor.LAST -> List.of(first, third);
                default -> List.of(first);
            };
            try (PageRecords page = records(1)) {
                assertEquals(expected, all(page), "type=" + type);
            }
        }
        putWord0(second, rest, RecordDescriptor.WHOLE, 0);
        try (PageRecords page = records(1)) {
            assertEquals(List.of(first, second), all(page), "up to the end");
            assertFalse(page.next());
        }
        putWord0(second, rest + 1, RecordDescriptor.WHOLE, 0);
        try (PageRecords page = records(1)) {
            assertEquals(List.of(first), all(page), "beyond the end");
            assertFalse(page.seek(second));
            assertTrue(page.seek(first));
        }
    }

    @Test
    void shouldSeekOnlyWhereARecordOfTheSourceBegins() {
        long first = push(1, 8);
        long second = push(2, 0);
        long third = push(1, 0);
        long end = store.records.watermarks().tailAcquire();
        try (PageRecords page = records(1)) {
            assertTrue(page.seek(first));
            assertEquals(first, page.address());
            assertArrayEquals(payload(8, 8), payload(page));
            assertTrue(page.seek(third), "the last, whose header ends the page");
            assertEquals(third, page.address());
            assertEquals(RecordLogFixture.FIRST_TIME + 2, page.timeNs());
            assertEquals(third - first, page.back());
            assertFalse(page.seek(second), "of another source");
            assertFalse(page.seek(0));
            assertFalse(page.seek(first - 8));
            assertFalse(page.seek(end));
            assertFalse(page.seek(end - 8), "half a header is left");
            assertFalse(page.seek(PAGE + FIRST));
        }
        putWord0(first, 8, RecordDescriptor.MIDDLE, 0);
        try (PageRecords page = records(-1)) {
            assertFalse(page.seek(first));
            assertTrue(page.seek(second));
            assertEquals(2, page.sourceId());
        }
    }

    @Test
    void shouldFindOnlyWhereAScanFindsARecord() {
        long first = push(1, 40);
        long second = push(2, 0);
        long third = push(1, 8);
        // what looks like a record within a payload
        putWord0(first + 16, 8, RecordDescriptor.WHOLE, 0);
        try (PageRecords page = records(-1)) {
            for (long address : new long[] {first, second, third}) {
                assertTrue(page.find(address));
                assertEquals(address, page.address());
            }
            assertTrue(page.seek(first + 16), "so it looks like one");
            assertFalse(page.find(first + 16));
            assertFalse(page.find(store.records.watermarks().tailAcquire()));
            assertFalse(page.find(0));
            assertFalse(page.find(PAGE));
        }
        for (int type : new int[] {0, 5}) {
            putWord0(second, 0, type, 0);
            try (PageRecords page = records(-1)) {
                assertTrue(page.find(first));
                assertFalse(page.find(second));
                assertFalse(page.find(third), "behind what is no record");
            }
        }
        putWord0(second, 0, RecordDescriptor.LAST, 0);
        try (PageRecords page = records(-1)) {
            assertTrue(page.find(third));
            assertFalse(page.find(second));
        }
    }

    @Test
    void shouldFollowTheChainOfASourceBack() {
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            own.add(0, push(1, i * 5));
            push(2, 8);
        }
        RecordBatch batch = new RecordBatch();
        try (PageRecords page = records(1)) {
            assertTrue(page.previous(own.get(0), batch) < 0, "the chain's end");
            assertEquals(own.size(), batch.count());
            assertTrue(page.previous(own.get(4), batch) < 0);
            assertEquals(6, batch.count());
            assertEquals(0, page.previous(0, batch), "no record begins at a page");
            assertEquals(0, batch.count());
            long other = own.get(0) + RecordDescriptor.alignedLength(45);
            assertEquals(other, page.previous(other, batch), "of another source");
            assertEquals(0, batch.count());
            long end = store.records.watermarks().tailAcquire();
            assertEquals(end, page.previous(end, batch));
            assertEquals(end - 8, page.previous(end - 8, batch));
        }
    }

    @Test
    void shouldStopInTheChainWhereARecordIsDamaged() {
        long first = push(1, 8);
        long second = push(1, 8);
        long third = push(1, 0);
        RecordBatch batch = new RecordBatch();
        int rest = (int) (store.records.watermarks().tailAcquire() - second) - RecordDescriptor.HEADER_LENGTH;
        putWord0(second, 8, RecordDescriptor.FIRST, 3);
        try (PageRecords page = records(1)) {
            assertEquals(second, page.previous(third, batch), "a jumbo is read alone");
            assertEquals(1, batch.count());
        }
        putWord0(second, rest + 1, RecordDescriptor.WHOLE, 3);
        try (PageRecords page = records(1)) {
            assertEquals(second, page.previous(third, batch));
        }
        putWord0(second, rest, RecordDescriptor.WHOLE, (second - first) / RecordDescriptor.ALIGNMENT);
        try (PageRecords page = records(1)) {
            assertTrue(page.previous(third, batch) < 0);
            assertEquals(3, batch.count());
        }
        putWord0(second, 8, RecordDescriptor.WHOLE, 1000);
        try (PageRecords page = records(1)) {
            assertTrue(page.previous(third, batch) < FIRST, "before the page");
            assertEquals(2, batch.count());
        }
    }

    @Test
    void shouldStopInTheChainWhenTheBatchIsFull() {
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < RecordBatch.RECORDS_MAX + 1; i++) {
            own.add(0, push(1, 8));
        }
        RecordBatch batch = new RecordBatch();
        try (PageRecords page = records(1)) {
            assertEquals(own.get(RecordBatch.RECORDS_MAX), page.previous(own.get(0), batch));
            assertEquals(RecordBatch.RECORDS_MAX, batch.count());
            assertTrue(page.previous(own.get(RecordBatch.RECORDS_MAX), batch) < 0);
            assertEquals(1, batch.count());
        }
    }

    private void assertJumboRead(boolean whole, long damaged, String what) {
        try (PageRecords page = records(1)) {
            boolean found = page.next();
            assertEquals(whole, found, what);
            assertEquals(damaged, page.damagedRecords(), what);
            if (found) {
                assertArrayEquals(payload(JUMBO, JUMBO), payload(page));
            }
        }
    }

    @Test
    void shouldReadAJumboOnlyWithAllItsFragments() {
        push(1, JUMBO);
        push(1, 8);
        assertJumboRead(true, 0, "as written");
        for (int fragment = PAGE + FIRST; fragment < 3 * PAGE; fragment += PAGE) {
            long before = word0(fragment);
            int length = RecordDescriptor.length(before);
            int type = RecordDescriptor.type(before);
            assertEquals(fragment > 2 * PAGE ? RecordDescriptor.LAST : RecordDescriptor.MIDDLE, type);
            for (int other = 0; other <= 5; other++) {
                if (other != type) {
                    putWord0(fragment, length, other, 0);
                    assertJumboRead(false, 1, "type=" + other);
                }
            }
            for (int other : new int[] {0, length - 1, length + 1, RecordDescriptor.LENGTH_MASK}) {
                putWord0(fragment, other, type, 0);
                assertJumboRead(false, 1, "length=" + other);
            }
            putWord0(fragment, length, type, RecordDescriptor.back(before));
            assertJumboRead(true, 0, "as written");
        }
    }

    @Test
    void shouldNotReadAJumboOfImpossibleLength() {
        push(1, JUMBO);
        push(1, 8);
        int total = FIRST + RecordDescriptor.HEADER_LENGTH;
        int first = RecordDescriptor.length(word0(FIRST)) - RecordDescriptor.TOTAL_LENGTH;
        for (long other : new long[] {-1, 0, first, first + 1, JUMBO - 1, JUMBO + 1, 1L << 24, Long.MAX_VALUE}) {
            ring().putLong(total, other, ByteOrder.LITTLE_ENDIAN);
            assertJumboRead(false, 1, "total=" + other);
        }
        ring().putLong(total, JUMBO, ByteOrder.LITTLE_ENDIAN);
        assertJumboRead(true, 0, "as written");
        putWord0(FIRST, RecordDescriptor.TOTAL_LENGTH - 1, RecordDescriptor.FIRST, 0);
        assertJumboRead(false, 0, "no room for its length");
    }

    @Test
    void shouldNotCountAJumboAsDamagedThatTheLogsEndCuts() {
        push(1, JUMBO);
        try (PageRecords page = new PageRecords(store.records.view(), 2 * PAGE, 1)) {
            assertSame(PageState.PRESENT, page.read(0));
            assertFalse(page.next());
            assertEquals(0, page.damagedRecords());
        }
        push(1, 8);
        // the next page is one of its own, as after a power cut that took the rest; of the same session it is damage
        int flags = PAGE + FLAGS_OFFSET;
        byte before = ring().getByte(flags);
        ring().putByte(flags, (byte) 0);
        assertJumboRead(false, 1, "of the same session");
        ring().putByte(flags, before);
        assertJumboRead(true, 0, "as written");
    }

    /** A page that is not the log's first, with records of two sources, and what was pushed to the first of them. */
    private List<Long> secondPage() {
        push(1, RecordDescriptor.PAYLOAD_LENGTH_MAX);
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            own.add(push(1, i * 3));
            push(2, i);
        }
        assertEquals(PAGE + FIRST, own.get(0));
        return own;
    }

    @Test
    void shouldFillABatchWithTheSourcesRecordsThatFollow() {
        List<Long> own = secondPage();
        RecordBatch batch = new RecordBatch();
        try (PageRecords page = records(1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertTrue(page.next());
            assertEquals(own.get(0), page.address());
            page.next(batch);
            assertEquals(own.size() - 1, batch.count());
            for (int i = 1; i < own.size(); i++) {
                assertEquals(own.get(i), batch.address(i - 1));
                assertEquals(i * 3, batch.length(i - 1));
                assertEquals(RecordLogFixture.FIRST_TIME + 1 + 2L * i, batch.timeNs(i - 1));
            }
            assertFalse(page.next());
            page.next(batch);
            assertEquals(0, batch.count());
        }
    }

    @Test
    void shouldFollowTheChainBackInAnyPage() {
        List<Long> own = secondPage();
        RecordBatch batch = new RecordBatch();
        try (PageRecords page = records(1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertTrue(page.previous(own.get(own.size() - 1), batch) < 0);
            assertEquals(own.size(), batch.count());
            for (int i = 0; i < own.size(); i++) {
                int at = own.size() - 1 - i;
                assertEquals(own.get(at), batch.address(i));
                assertEquals(at * 3, batch.length(i));
                assertEquals(RecordLogFixture.FIRST_TIME + 1 + 2L * at, batch.timeNs(i));
            }
            long before = PAGE + 8L;
            assertEquals(before, page.previous(before, batch), "no record begins there");
            assertEquals(0, batch.count());
        }
    }

    @Test
    void shouldEndABatchWhereItIsFullOrARecordIsNotWhole() {
        List<Long> own = new ArrayList<>();
        for (int i = 0; i < RecordBatch.RECORDS_MAX + 2; i++) {
            own.add(push(1, 8));
        }
        RecordBatch batch = new RecordBatch();
        try (PageRecords page = records(1)) {
            page.next(batch);
            assertEquals(RecordBatch.RECORDS_MAX, batch.count());
            assertTrue(page.next());
            assertEquals(own.get(RecordBatch.RECORDS_MAX), page.address());
            page.next(batch);
            assertEquals(1, batch.count());
        }
        int rest = (int) (store.records.watermarks().tailAcquire() - own.get(5)) - RecordDescriptor.HEADER_LENGTH;
        for (int type = 0; type <= 5; type++) {
            putWord0(own.get(5), 8, type, 0);
            try (PageRecords page = records(1)) {
                page.next(batch);
                assertEquals(type == RecordDescriptor.WHOLE ? RecordBatch.RECORDS_MAX : 5, batch.count());
                assertEquals(type != 0 && type <= RecordDescriptor.LAST, page.next(), "type=" + type);
            }
        }
        putWord0(own.get(5), rest, RecordDescriptor.WHOLE, 0);
        try (PageRecords page = records(1)) {
            page.next(batch);
            assertEquals(6, batch.count(), "up to the end");
        }
        putWord0(own.get(5), rest + 1, RecordDescriptor.WHOLE, 0);
        try (PageRecords page = records(1)) {
            page.next(batch);
            assertEquals(5, batch.count(), "beyond the end");
        }
    }

    @Test
    void shouldFindRecordsOfAnyPage() {
        List<Long> own = secondPage();
        try (PageRecords page = records(1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            for (long address = PAGE; address < store.records.watermarks().tailAcquire(); address += 8) {
                assertEquals(own.contains(address), page.find(address), "address=" + address);
            }
            assertFalse(page.find(FIRST), "in another page");
            assertEquals(RecordLogFixture.FIRST_TIME + 1, page.baseTimeNs());
        }
    }

    @Test
    void shouldTellWhereBytesAreNoRecord() {
        secondPage();
        long damaged = push(1, 8);
        push(1, 8);
        try (PageRecords page = records(-1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertEquals(42, all(page).size());
            assertEquals(-1, page.malformed());
            assertFalse(page.continues());
        }
        putWord0(damaged, 8, 0, 0);
        try (PageRecords page = records(-1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertEquals(40, all(page).size());
            assertEquals(damaged, page.malformed());
            assertSame(PageState.PRESENT, page.read(0));
            assertEquals(1, all(page).size());
            assertEquals(-1, page.malformed(), "of another page");
        }
        putWord0(damaged, 8, RecordDescriptor.WHOLE, 0);
        long tail = store.records.watermarks().tailAcquire();
        try (PageRecords page = new PageRecords(store.records.view(), tail - 16, -1)) {
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertEquals(41, all(page).size());
            assertEquals(tail - 24, page.malformed(), "less than a header is left");
            page.extend(tail);
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertEquals(42, all(page).size());
            assertEquals(-1, page.malformed());
        }
    }

    @Test
    void shouldTellAFragmentsPageFromAChunksFirst() {
        push(1, JUMBO);
        try (PageRecords page = records(-1)) {
            assertFalse(page.continues());
            assertSame(PageState.PRESENT, page.read(PAGE));
            assertTrue(page.continues());
            assertFalse(page.next(), "no record begins there");
            assertEquals(-1, page.malformed());
        }
    }

    @Test
    void shouldCallAJumboExpiredWhoseEndIsDeleted() {
        push(1, JUMBO);
        try (PageRecords page = records(1)) {
            assertFalse(page.expired());
            store.records.watermarks().beginRelease(16L << 20);
            assertFalse(page.next());
            assertTrue(page.expired());
            assertEquals(0, page.damagedRecords());
        }
    }

    @Test
    void shouldReadFromFilesInBlocksWhatIsInTheRing() {
        secondPage();
        push(1, JUMBO);
        push(2, 5);
        for (int i = 0; i < 20; i++) {
            push(3, 3000 + i);
        }
        store.log.seal();
        List<String> inRing = describe(store.records.view());
        store.evict();
        LogView view = store.records.view();
        List<String> inFiles = describe(
                new LogView(view.kind(), view.storeId(), view.storage(), view.segments(), view.watermarks(), null));
        assertEquals(inRing, inFiles);
        assertTrue(inRing.size() > 60);
    }

    private static List<String> describe(LogView view) {
        List<String> found = new ArrayList<>();
        RecordBatch batch = new RecordBatch();
        long tail = view.watermarks().tailAcquire();
        try (PageRecords page = new PageRecords(view, tail, -1)) {
            for (long at = 0; at < tail; at += PAGE) {
                assertSame(PageState.PRESENT, page.read(at));
                while (page.next()) {
                    found.add(page.sourceId() + "@" + page.address() + " t=" + page.timeNs() + " back=" + page.back()
                            + " " + Arrays.hashCode(payload(page)));
                    long address = page.address();
                    assertTrue(page.find(address));
                    assertEquals(address, page.address());
                    found.add(page.previous(address, batch) + " after " + batch.count());
                    for (int i = 0; i < batch.count(); i++) {
                        byte[] bytes = new byte[batch.length(i)];
                        batch.buffer().getBytes(batch.offset(i), bytes);
                        found.add(batch.address(i) + " t=" + batch.timeNs(i) + " " + Arrays.hashCode(bytes));
                    }
                }
            }
        }
        return found;
    }

    @Test
    void shouldCountWhatItReads() {
        push(1, JUMBO);
        try (PageRecords page = records(1)) {
            assertEquals(1, page.pagesRead());
            long first = page.bytesRead();
            assertTrue(first > 0);
            assertTrue(page.next());
            assertTrue(page.bytesRead() >= first + JUMBO - PAGE, "with its fragments");
            assertEquals(0, page.lapped());
        }
    }
}
