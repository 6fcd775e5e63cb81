package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.Storage;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which entries of the timestamp index are found, in whole and damaged pages, and how many pages are read for them. */
final class TimeIndexReaderTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int FIRST = PageDescriptor.HEADER_LENGTH;

    /** Pages of the index, each with one to three entries. */
    private static final int PAGES = 24;

    private static final int OFTEN = 1;
    /** In the fourth and the next to last page. */
    private static final int TWICE = 2;

    private static final int NEVER = 3;

    /** In the fourth page alone. */
    private static final int EARLY = 4;

    @TempDir
    Path directory;

    private record Entry(long address, long chunkAddress, long timeNs) {}

    private final List<Entry> entries = new ArrayList<>();
    private final List<Long> twice = new ArrayList<>();
    private RecordLogFixture store;

    @BeforeEach
    void write() {
        store = new RecordLogFixture(directory, 4);
        for (int page = 0; page < PAGES; page++) {
            for (int entry = 0; entry <= page % 3; entry++) {
                if (entry > 0) {
                    push(OFTEN, store.records.log().remaining() - RecordDescriptor.HEADER_LENGTH);
                }
                push(OFTEN, 30);
                store.clockNs += 100;
            }
            if (page == 3 || page == PAGES - 2) {
                twice.add(PageDescriptor.pageAddress(push(TWICE, 5)));
            }
            if (page == 3) {
                push(EARLY, 6);
            }
            store.log.seal();
            store.evict();
        }
        try (DirectoryReader reader = onDisk(0)) {
            reader.toBegin();
            while (reader.next()) {
                entries.add(new Entry(reader.address(), reader.chunkAddress(), reader.firstTimeNs()));
            }
        }
        assertEquals(PAGES * 2, entries.size());
        assertEquals((long) PAGES * PAGE, end());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private long push(int source, int length) {
        long address = store.log.push(source, new byte[length]);
        assertTrue(address >= 0);
        return address;
    }

    private long end() {
        return store.times.log().tail();
    }

    private LogView files() {
        LogView view = store.times.view();
        return new LogView(view.kind(), view.storeId(), view.storage(), view.segments(), view.watermarks(), null);
    }

    /** A reader of the files alone, page by page. */
    private DirectoryReader onDisk(long tail) {
        return new DirectoryReader(files(), tail == 0 ? end() : tail, 1);
    }

    private DirectoryReader inRing() {
        return new DirectoryReader(store.times.view(), end(), 1);
    }

    private void flip(long address) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(store.times.segments().file(address).toFile(), "rw")) {
            file.seek(address);
            int before = file.read();
            file.seek(address);
            file.write(before ^ 1);
        }
    }

    private static long last(List<Entry> of, Predicate<Entry> before) {
        return of.stream().filter(before).mapToLong(Entry::address).max().orElse(-1);
    }

    private static void assertFound(long expected, boolean found, DirectoryReader reader, long first, String what) {
        assertEquals(expected >= 0, found, what);
        if (found) {
            assertEquals(expected, reader.address(), what);
        } else {
            assertTrue(reader.next(), what);
            assertEquals(first, reader.address(), what + ": before the first");
        }
    }

    private void assertSeeks(List<Entry> readable, String damaged) {
        long first = readable.get(0).address;
        for (Entry entry : entries) {
            for (long around = -1; around <= 1; around++) {
                long timeNs = entry.timeNs + around;
                long address = entry.chunkAddress + around;
                try (DirectoryReader reader = onDisk(0)) {
                    long before = last(readable, each -> each.timeNs < timeNs);
                    assertFound(before, reader.seekBefore(timeNs), reader, first, damaged + ", time=" + timeNs);
                }
                try (DirectoryReader reader = onDisk(0)) {
                    long before = last(readable, each -> each.chunkAddress < address);
                    assertFound(before, reader.seekBelow(address), reader, first, damaged + ", address=" + address);
                }
            }
        }
    }

    @Test
    void shouldFindTheLastEntryBeforeATimeOrAnAddress() {
        assertSeeks(entries, "whole");
    }

    @Test
    void shouldFindTheLastReadableEntryBeforeATimeOrAnAddress() throws IOException {
        for (int page = 0; page < PAGES; page += 5) {
            for (int count = 1; count <= 2 && page + count <= PAGES; count++) {
                long from = (long) page * PAGE;
                long to = from + (long) count * PAGE;
                for (long at = from; at < to; at += PAGE) {
                    flip(at + 100);
                }
                assertSeeks(
                        entries.stream()
                                .filter(each -> each.address < from || each.address >= to)
                                .toList(),
                        "damaged page=" + page + ", count=" + count);
                for (long at = from; at < to; at += PAGE) {
                    flip(at + 100);
                }
            }
        }
    }

    @Test
    void shouldReadFewPagesToFindATime() {
        int pagesMax = 2 + Integer.SIZE - Integer.numberOfLeadingZeros(PAGES);
        for (Entry entry : entries) {
            try (DirectoryReader reader = onDisk(0)) {
                reader.seekBefore(entry.timeNs);
                assertTrue(
                        reader.bytesRead() > 0 && reader.bytesRead() <= (long) pagesMax * PAGE,
                        "bytes=" + reader.bytesRead());
            }
            try (DirectoryReader reader = onDisk(0)) {
                reader.seekBelow(entry.chunkAddress);
                assertTrue(reader.bytesRead() <= (long) pagesMax * PAGE, "bytes=" + reader.bytesRead());
            }
        }
    }

    @Test
    void shouldSeekOnlyWhereAnEntryBegins() {
        List<Long> expected = entries.stream().map(Entry::address).toList();
        try (DirectoryReader reader = onDisk(0)) {
            List<Long> found = new ArrayList<>();
            for (long address = 0; address < end(); address += address % PAGE > 1000 ? PAGE - address % PAGE : 8) {
                if (reader.seek(address)) {
                    found.add(address);
                    assertEquals(address, reader.address());
                    assertEquals(PageDescriptor.pageAddress(address), reader.pageAddress());
                    assertEquals(address % PAGE == FIRST, reader.beginsPage());
                    assertEquals(1, reader.epoch());
                    assertEquals(1, reader.chunkPages());
                }
            }
            assertEquals(expected, found);
            assertFalse(reader.seek(-8));
            assertFalse(reader.seek(end()));
            assertFalse(reader.seek(end() + FIRST));
            long read = reader.bytesRead();
            for (int i = expected.size() - 1; i >= 0; i--) {
                assertTrue(reader.seek(expected.get(i)));
            }
            assertEquals(read + (PAGES - 1L) * PAGE, reader.bytesRead(), "each once more, except the page that it had");
        }
    }

    @Test
    void shouldSeeNothingBehindTheEnd() {
        for (Entry entry : entries) {
            try (DirectoryReader reader = new DirectoryReader(store.times.view(), entry.address)) {
                List<Entry> before = entries.subList(0, entries.indexOf(entry));
                assertFalse(reader.seek(entry.address));
                reader.toEnd();
                assertEquals(!before.isEmpty(), reader.previous());
                if (!before.isEmpty()) {
                    assertEquals(before.get(before.size() - 1).address, reader.address());
                    assertFalse(reader.next());
                    assertFalse(reader.next());
                    assertTrue(reader.previous());
                    assertEquals(before.get(before.size() - 1).address, reader.address());
                }
            }
        }
    }

    @Test
    void shouldSeeNothingBeforeTheBegin() {
        for (int page = 0; page < PAGES; page++) {
            long begin = (long) page * PAGE;
            store.times.watermarks().beginRelease(begin);
            List<Entry> left =
                    entries.stream().filter(each -> each.address >= begin).toList();
            try (DirectoryReader reader = onDisk(0)) {
                assertEquals(page > 0, reader.cutAtBegin());
                reader.toBegin();
                assertFalse(reader.previous());
                assertTrue(reader.next());
                assertEquals(left.get(0).address, reader.address());
                assertFalse(reader.previous());
                assertFalse(reader.seek(begin - PAGE + FIRST));
                assertTrue(reader.seek(begin + FIRST));
                assertFalse(reader.seekBefore(left.get(0).timeNs));
                assertTrue(reader.seekBefore(left.get(0).timeNs + 1));
                assertEquals(left.get(0).address, reader.address());
            }
        }
    }

    @Test
    void shouldCountThePagesThatItCannotRead() throws IOException {
        flip(2 * PAGE + 100);
        flip(5 * PAGE + 100);
        try (DirectoryReader reader = onDisk(0)) {
            reader.toBegin();
            int found = 0;
            while (reader.next()) {
                found++;
            }
            assertEquals(2, reader.unreadable());
            assertEquals(0, reader.undelivered(), "delivered, but damaged");
            assertEquals(entries.size() - 3 - 3, found);
            assertFalse(reader.seek(2 * PAGE + FIRST));
            assertFalse(reader.hasGap());
        }
    }

    @Test
    void shouldFindTheSameInBlocksOfPages() {
        List<Long> expected = entries.stream().map(Entry::address).toList();
        List<Long> forward = new ArrayList<>();
        List<Long> backward = new ArrayList<>();
        try (DirectoryReader reader = new DirectoryReader(files(), end())) {
            reader.toBegin();
            while (reader.next()) {
                forward.add(reader.address());
                assertEquals(entries.get(forward.size() - 1).chunkAddress, reader.chunkAddress());
                assertTrue(reader.find(OFTEN));
            }
            while (reader.previous()) {
                backward.add(0, reader.address());
                assertTrue(reader.find(OFTEN));
            }
        }
        assertEquals(expected, forward);
        assertEquals(expected, backward);
    }

    /** What the disk does not deliver now it may deliver later: whoever goes on to write has to fail. */
    @Test
    void shouldPassOverWhatTheDiskDoesNotDeliverUnlessThatIsAFailure() {
        LogView whole = files();
        Storage refusing = new HookedStorage() {
            @Override
            protected void onRead(Path file, long position, int length) {
                if (position == 4L * PAGE) {
                    throw new StoreIoException("injected failure: file=" + file + ", position=" + position);
                }
            }
        };
        LogView view = new LogView(
                whole.kind(), whole.storeId(), refusing, whole.segments(), whole.watermarks(), whole.ring());
        try (DirectoryReader reader = new DirectoryReader(view, end(), 1)) {
            assertFalse(reader.failsUnreadable());
            reader.toBegin();
            int found = 0;
            while (reader.next()) {
                found++;
            }
            assertEquals(entries.size() - 2, found);
            assertEquals(1, reader.unreadable());
            assertEquals(1, reader.undelivered());
            reader.failUnreadable();
            assertTrue(reader.failsUnreadable());
            assertThrows(StoreIoException.class, () -> reader.seek(4L * PAGE + FIRST));
            assertTrue(reader.seek(5L * PAGE + FIRST));
        }
    }

    /** The second of three entries of the last page, which is in the ring. */
    private Entry middle() {
        return entries.get(entries.size() - 2);
    }

    private int ringOffset(long address) {
        return (int) (address % RecordLogFixture.RING);
    }

    private UnsafeBuffer ring() {
        return store.times.log().ring();
    }

    private List<Long> inLastPage(List<Long> malformed) {
        List<Long> found = new ArrayList<>();
        malformed.clear();
        try (DirectoryReader reader = inRing()) {
            reader.onMalformed(malformed::add);
            reader.toEnd();
            while (reader.previous() && reader.pageAddress() == end() - PAGE) {
                found.add(0, reader.address());
            }
        }
        return found;
    }

    @Test
    void shouldEndAPageAtAnImpossibleLength() {
        List<Long> malformed = new ArrayList<>();
        Entry middle = middle();
        int at = ringOffset(middle.address) + TimeEntryDescriptor.LENGTH_OFFSET;
        int length = ring().getInt(at, ByteOrder.LITTLE_ENDIAN);
        long first = entries.get(entries.size() - 3).address;
        long last = entries.get(entries.size() - 1).address;
        assertEquals(List.of(first, middle.address, last), inLastPage(malformed));
        assertEquals(List.of(), malformed);
        int lastLength = ring().getInt(ringOffset(last), ByteOrder.LITTLE_ENDIAN);
        int toTheEnd = (int) (last + lastLength - middle.address);
        for (int wrong : new int[] {0, -8, TimeEntryDescriptor.LIST_OFFSET - 8, length + 4, toTheEnd + 8}) {
            ring().putInt(at, wrong, ByteOrder.LITTLE_ENDIAN);
            assertEquals(List.of(first), inLastPage(malformed), "length=" + wrong);
            assertEquals(List.of(middle.address), malformed);
        }
        ring().putInt(at, toTheEnd, ByteOrder.LITTLE_ENDIAN);
        assertEquals(List.of(first, middle.address), inLastPage(malformed), "up to the end");
        assertEquals(List.of(), malformed);
        ring().putInt(at, length, ByteOrder.LITTLE_ENDIAN);
        // the least length
        int lastAt = ringOffset(last);
        ring().putInt(lastAt, TimeEntryDescriptor.LIST_OFFSET, ByteOrder.LITTLE_ENDIAN);
        assertEquals(3, inLastPage(malformed).size());
        assertEquals(List.of(last + TimeEntryDescriptor.LIST_OFFSET), malformed, "what is left is no entry");
        for (int cut = 0; cut <= 8; cut += 8) {
            try (DirectoryReader reader =
                    new DirectoryReader(store.times.view(), last + TimeEntryDescriptor.LIST_OFFSET - cut, 1)) {
                assertEquals(cut == 0, reader.seek(last), "cut=" + cut);
            }
        }
    }

    @Test
    void shouldPassOverEntriesThatAreImpossible() {
        List<Long> malformed = new ArrayList<>();
        Entry middle = middle();
        int at = ringOffset(middle.address);
        Runnable assertImpossible = () -> {
            assertEquals(2, inLastPage(malformed).size());
            assertEquals(List.of(middle.address), malformed);
            try (DirectoryReader reader = inRing()) {
                assertFalse(reader.seek(middle.address));
                assertTrue(reader.seek(middle.address - ring().getInt(at, ByteOrder.LITTLE_ENDIAN)));
            }
        };
        for (int type : new int[] {0, 3, 127}) {
            ring().putByte(at + TimeEntryDescriptor.TYPE_OFFSET, (byte) type);
            assertImpossible.run();
        }
        ring().putByte(at + TimeEntryDescriptor.TYPE_OFFSET, (byte) TimeEntryDescriptor.DIRECTORY);
        for (int pages : new int[] {0, -1, RecordDescriptor.CHUNK_PAGES_MAX + 1}) {
            ring().putInt(at + TimeEntryDescriptor.PAGES_OFFSET, pages, ByteOrder.LITTLE_ENDIAN);
            assertImpossible.run();
        }
        for (int pages : new int[] {1, RecordDescriptor.CHUNK_PAGES_MAX}) {
            ring().putInt(at + TimeEntryDescriptor.PAGES_OFFSET, pages, ByteOrder.LITTLE_ENDIAN);
            assertEquals(3, inLastPage(malformed).size());
            assertEquals(List.of(), malformed);
        }
        for (long address : new long[] {middle.chunkAddress + 8, -PAGE}) {
            ring().putLong(at + TimeEntryDescriptor.ADDRESS_OFFSET, address, ByteOrder.LITTLE_ENDIAN);
            assertImpossible.run();
        }
    }

    @Test
    void shouldGoOnFromThePlaceOfAnEntryThatWasRejected() {
        long first = entries.get(entries.size() - 3).address;
        long last = entries.get(entries.size() - 1).address;
        for (boolean forward : new boolean[] {true, false}) {
            try (DirectoryReader reader = onDisk(0)) {
                assertTrue(reader.seek(middle().address));
                assertEquals(0, reader.rejected());
                reader.reject(forward);
                assertEquals(1, reader.rejected());
                assertTrue(forward ? reader.next() : reader.previous());
                assertEquals(forward ? last : first, reader.address());
                assertFalse(reader.seek(middle().address));
                assertTrue(reader.seek(first));
                assertTrue(reader.next());
                assertEquals(last, reader.address());
                assertTrue(reader.seek(entries.get(0).address), "another page");
                reader.toEnd();
                assertTrue(reader.previous());
                assertTrue(reader.previous());
                assertEquals(first, reader.address(), "it stays rejected");
            }
        }
    }

    private SnapshotView snapshot() {
        SnapshotView now = store.snapshot();
        return new SnapshotView(
                now.records(),
                files(),
                now.chunks(),
                now.recordBegin(),
                now.recordTail(),
                end(),
                now.chunkTail(),
                now.slots(),
                now.text());
    }

    /** Along its chain, a walk reads only the pages with the source's directories, whatever lies between. */
    @Test
    void shouldReadAlongTheChainOfASource() {
        try (DescendingChunks walk = new DescendingChunks(snapshot(), TWICE, Long.MAX_VALUE, 1)) {
            assertTrue(walk.next());
            assertEquals(twice.get(1), walk.start());
            assertTrue(walk.next());
            assertEquals(twice.get(0), walk.start());
            assertFalse(walk.next());
            assertTrue(walk.bytesRead() <= 3L * PAGE, "the last page and two: bytes=" + walk.bytesRead());
        }
        try (DescendingChunks walk = new DescendingChunks(snapshot(), NEVER, Long.MAX_VALUE, 1)) {
            assertFalse(walk.next());
            assertTrue(walk.bytesRead() <= PAGE, "bytes=" + walk.bytesRead());
        }
        try (AscendingChunks walk = new AscendingChunks(snapshot(), TWICE, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
            assertTrue(walk.next());
            assertEquals(twice.get(0), walk.start());
            assertTrue(walk.next());
            assertEquals(twice.get(1), walk.start());
            assertFalse(walk.next());
        }
    }

    @Test
    void shouldFollowTheChainOfASourceThatGoesOnBehindTheSnapshot() {
        SnapshotView before = snapshot();
        for (int page = 0; page < 3; page++) {
            push(EARLY, 9);
            store.log.seal();
            store.evict();
        }
        try (DescendingChunks walk = new DescendingChunks(before, EARLY, Long.MAX_VALUE, 1)) {
            assertTrue(walk.next());
            assertEquals(twice.get(0), walk.start());
            assertTrue(walk.listed());
            assertFalse(walk.next());
            assertTrue(walk.bytesRead() <= 2L * PAGE, "bytes=" + walk.bytesRead());
        }
    }

    /** Whose newest directory is far back, so that its slot alone leads there. */
    @Test
    void shouldGoToTheNewestDirectoryAtOnce() {
        try (DescendingChunks walk = new DescendingChunks(snapshot(), EARLY, Long.MAX_VALUE, 1)) {
            assertTrue(walk.next());
            assertEquals(twice.get(0), walk.start());
            assertFalse(walk.next());
            assertTrue(walk.bytesRead() > PAGE && walk.bytesRead() <= 2L * PAGE, "bytes=" + walk.bytesRead());
        }
    }

    /** Behind damage a walk goes on entry by entry, up to a checkpoint, which tells where the chain goes on. */
    @Test
    void shouldFindTheChainAgainInACheckpoint() throws IOException {
        for (int page = 0; page < 8; page++) {
            push(OFTEN, 30);
            store.clockNs += 100;
            if (page == 4) {
                store.log.sealWithCheckpoint();
            } else {
                if (page == 6) {
                    push(EARLY, 7);
                    push(NEVER, 7);
                }
                store.log.seal();
            }
            store.evict();
        }
        long damaged = PageDescriptor.pageAddress(store.slots.directoryAcquire(EARLY));
        flip(damaged + 100);
        for (int source : new int[] {EARLY, NEVER}) {
            try (DescendingChunks walk = new DescendingChunks(snapshot(), source, Long.MAX_VALUE, 1)) {
                assertTrue(walk.next());
                assertFalse(walk.listed(), "the chunk whose directory is damaged");
                assertEquals(PAGE, walk.end() - walk.start());
                assertEquals(source == EARLY, walk.next());
                if (source == EARLY) {
                    assertTrue(walk.listed());
                    assertEquals(twice.get(0), walk.start());
                    assertFalse(walk.next());
                }
                assertTrue(walk.bytesRead() <= 8L * PAGE, "source=" + source + ", bytes=" + walk.bytesRead());
                assertEquals(0, walk.entriesDamaged());
            }
        }
    }

    /** The parts of a walk, by their begin; each listed one is one of the chunks. */
    private List<String> parts(Chunks walk) {
        List<String> found = new ArrayList<>();
        while (walk.next()) {
            found.add((walk.listed() ? "listed " : "unlisted ") + walk.start());
        }
        return found;
    }

    @Test
    void shouldReadTheRecordsOfAChunkWhoseDirectoryIsImpossible() {
        Entry middle = middle();
        SnapshotView snapshot = store.snapshot();
        List<String> whole;
        try (DescendingChunks walk = new DescendingChunks(snapshot, OFTEN, Long.MAX_VALUE)) {
            whole = parts(walk);
        }
        assertEquals(entries.size(), whole.size());
        // an id that no source has
        int list = ringOffset(middle.address) + TimeEntryDescriptor.LIST_OFFSET;
        for (int i = 0; i < 3; i++) {
            ring().putByte(list + i, (byte) 0xff);
        }
        List<String> expected = whole.stream()
                .map(part -> part.equals("listed " + middle.chunkAddress) ? "unlisted " + middle.chunkAddress : part)
                .toList();
        try (DescendingChunks walk = new DescendingChunks(snapshot, OFTEN, Long.MAX_VALUE);
                AscendingChunks up = new AscendingChunks(snapshot, OFTEN, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
            assertEquals(expected, parts(walk));
            assertEquals(1, walk.entriesDamaged());
            List<String> upward = parts(up);
            Collections.reverse(upward);
            assertEquals(expected, upward);
            assertEquals(1, up.entriesDamaged());
        }
    }

    /** Of more directories than are followed one by one before the range is searched for. */
    @Test
    void shouldSearchForARangeThatIsManyDirectoriesBack() {
        store.close();
        store = new RecordLogFixture(directory.resolve("long"), 4);
        List<Entry> each = new ArrayList<>();
        for (int page = 0; page < 64; page++) {
            long timeNs = store.clockNs;
            each.add(new Entry(page, push(OFTEN, 30) - FIRST, timeNs));
            store.clockNs += 100;
            store.log.seal();
            store.evict();
        }
        for (int wanted : new int[] {0, 1, 2, 20, 31, 32, 33, 50, 62, 63}) {
            long toNs = each.get(wanted).timeNs + 1;
            try (DescendingChunks walk = new DescendingChunks(snapshot(), OFTEN, toNs, 1)) {
                assertTrue(walk.next());
                assertEquals(each.get(wanted).chunkAddress, walk.start(), "wanted=" + wanted);
                assertTrue(walk.listed());
                int back = 63 - wanted;
                int pagesMax = back <= 32 ? back + 2 : 32 + 2 + 9;
                assertTrue(
                        walk.bytesRead() <= (long) pagesMax * PAGE, "wanted=" + wanted + ", bytes=" + walk.bytesRead());
            }
        }
    }

    @Test
    void shouldReadFewPagesToWalkARangeFarBack() {
        long toNs = entries.get(4).timeNs;
        try (DescendingChunks walk = new DescendingChunks(snapshot(), OFTEN, toNs, 1)) {
            assertTrue(walk.next());
            assertEquals(entries.get(3).chunkAddress, walk.start());
            // of 24, as many as are followed before the search, and those of the search
            assertTrue(walk.bytesRead() <= 23L * PAGE, "bytes=" + walk.bytesRead());
        }
    }
}
