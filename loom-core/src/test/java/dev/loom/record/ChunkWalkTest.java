package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Walks over the chunks of a source in both directions, compared with what was pushed: whatever is damaged, and wherever the
 * range ends, no record of the range is left out, and what a walk says of a chunk is right.
 */
final class ChunkWalkTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int CHUNKS = 75;
    private static final int OFTEN = 1;
    private static final int SELDOM = 2;
    private static final int ONCE = 3;
    private static final int NEVER = 4;
    private static final int[] WALKED = {OFTEN, SELDOM, ONCE, NEVER};

    /** So many that a page of the index holds some dozen directories. */
    private static final int SOURCES = 600;

    private static final int JUMBO = 2 * PAGE;

    @TempDir
    Path directory;

    private record Pushed(long address, int source, long timeNs, int length) {}

    /** A part of a walk as it was found. */
    private record Part(long start, long end, boolean listed) {
        int pages() {
            return (int) ((end + PAGE - 1) / PAGE - start / PAGE);
        }
    }

    /** What was pushed to the sources that are walked. */
    private final List<Pushed> pushed = new ArrayList<>();

    /** By chunk, the time of its first record. */
    private final List<Long> chunkTimes = new ArrayList<>();

    private final NavigableSet<Long> chunks = new TreeSet<>();
    private RecordLogFixture store;

    @BeforeEach
    void fill() {
        store = new RecordLogFixture(directory, SOURCES);
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            chunkTimes.add(store.clockNs);
            chunks.add(PageDescriptor.pageAddress(push(OFTEN, 100)));
            if (chunk % 7 == 3) {
                push(SELDOM, 50);
            }
            if (chunk == 20) {
                push(ONCE, 10);
            }
            for (int source = NEVER + 1; source <= SOURCES; source++) {
                push(source, chunk % 3);
            }
            if (chunk % 17 == 5) {
                push(SELDOM, JUMBO); // the chunk's last record, in two more pages
            }
            int rest = store.records.log().remaining() - 2 * RecordDescriptor.HEADER_LENGTH;
            if (chunk < CHUNKS - 1) {
                push(OFTEN, rest); // so that the next one begins a chunk
                store.evict();
            }
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private long push(int source, int length) {
        long timeNs = store.clockNs;
        long address = store.log.push(source, new byte[length]);
        assertTrue(address >= 0, "not pushed: " + address);
        if (source <= NEVER) {
            pushed.add(new Pushed(address, source, timeNs, length));
        }
        return address;
    }

    private List<Pushed> records(int source, long from, long to) {
        return pushed.stream()
                .filter(each -> each.source == source && each.address >= from && each.address < to)
                .toList();
    }

    /** The whole walk; each listed part is as it was pushed. */
    private List<Part> walk(Chunks walk, boolean forward) {
        List<Part> parts = new ArrayList<>();
        while (walk.next()) {
            Part part = new Part(walk.start(), walk.end(), walk.listed());
            if (!parts.isEmpty()) {
                Part before = parts.get(parts.size() - 1);
                assertTrue(forward ? before.end <= part.start : part.end <= before.start, before + ", " + part);
            }
            parts.add(part);
            assertTrue(part.start < part.end, part::toString);
            if (part.listed) {
                assertTrue(chunks.contains(part.start), part::toString);
                Long next = chunks.higher(part.start);
                assertEquals(next == null ? -1L : next, part.end);
                List<Pushed> expected = records(walk.sourceId(), part.start, part.end);
                Pushed last = expected.get(expected.size() - 1);
                assertEquals(last.address, walk.lastRecord());
                assertEquals(expected.size(), walk.records());
                assertEquals(expected.stream().mapToLong(Pushed::length).sum(), walk.bytes());
                assertEquals(expected.get(0).timeNs, walk.firstTimeNs());
                assertEquals(last.timeNs, walk.lastTimeNs());
            }
        }
        assertFalse(walk.next());
        return parts;
    }

    private static void assertHeld(List<Part> parts, List<Pushed> expected, String what) {
        for (Pushed record : expected) {
            assertTrue(
                    parts.stream().anyMatch(part -> part.start <= record.address && record.address < part.end),
                    () -> what + ": " + record + " is in none of " + parts);
        }
    }

    /** The parts of both walks over a range of time; in each are all of the source's records from an address on. */
    private List<List<Part>> walkBoth(SnapshotView snapshot, int source, long fromNs, long toNs, long begin) {
        List<Pushed> expected = records(source, begin, snapshot.recordTail()).stream()
                .filter(each -> each.timeNs >= fromNs && each.timeNs < toNs)
                .toList();
        String what = "source=" + source + ", from=" + fromNs + ", to=" + toNs;
        try (DescendingChunks backward = new DescendingChunks(snapshot, source, toNs);
                AscendingChunks forward = new AscendingChunks(snapshot, source, fromNs, toNs, begin)) {
            List<Part> down = walk(backward, false);
            List<Part> up = walk(forward, true);
            assertHeld(down, expected, what);
            assertHeld(up, expected, what);
            return List.of(down, up);
        }
    }

    @Test
    void shouldListEachChunkOfTheSource() {
        SnapshotView snapshot = store.snapshot();
        for (int source : WALKED) {
            List<List<Part>> both = walkBoth(snapshot, source, Long.MIN_VALUE, Long.MAX_VALUE, 0);
            long[] expected = chunks.headSet(chunks.last()).stream()
                    .mapToLong(Long::longValue)
                    .filter(start ->
                            !records(source, start, chunks.higher(start)).isEmpty())
                    .toArray();
            for (List<Part> parts : both) {
                List<Part> listed = parts.stream().filter(Part::listed).toList();
                assertEquals(expected.length, listed.size(), "source=" + source);
                assertEquals(
                        List.of(new Part(chunks.last(), snapshot.recordTail(), false)),
                        parts.stream().filter(part -> !part.listed).toList(),
                        "the active chunk alone has no directory");
            }
        }
    }

    @Test
    void shouldCountThePagesThatItPassesOver() {
        SnapshotView snapshot = store.snapshot();
        for (int source : new int[] {OFTEN, SELDOM, ONCE}) {
            try (DescendingChunks walk = new DescendingChunks(snapshot, source, Long.MAX_VALUE)) {
                List<Part> parts = walk(walk, false);
                long end = (snapshot.recordTail() + PAGE - 1) / PAGE;
                long passed = end - parts.get(parts.size() - 1).start / PAGE;
                assertEquals(
                        passed - parts.stream().mapToLong(Part::pages).sum(), walk.pagesSkipped(), "source=" + source);
                assertEquals(0, walk.entriesDamaged());
            }
        }
    }

    @Test
    void shouldLeaveOutNoRecordOfARange() {
        SnapshotView snapshot = store.snapshot();
        for (int chunk = 0; chunk < CHUNKS; chunk += 13) {
            for (long around = -1; around <= 1; around++) {
                long timeNs = chunkTimes.get(chunk) + around;
                for (int source : WALKED) {
                    walkBoth(snapshot, source, Long.MIN_VALUE, timeNs, 0);
                    walkBoth(snapshot, source, timeNs, Long.MAX_VALUE, 0);
                    walkBoth(snapshot, source, timeNs, timeNs + 700, 0);
                }
            }
        }
    }

    /** A range far back is searched for, instead of followed to, and a walk forward begins with its range. */
    @Test
    void shouldGoToWhereTheRangeIs() {
        SnapshotView snapshot = store.snapshot();
        long fromNs = chunkTimes.get(10);
        long toNs = chunkTimes.get(12);
        try (DescendingChunks walk = new DescendingChunks(snapshot, OFTEN, toNs)) {
            assertTrue(walk.next());
            assertEquals(chunks.last(), walk.start());
            assertTrue(walk.next());
            assertEquals(new ArrayList<>(chunks).get(11), walk.start(), "the last one that begins before the end");
        }
        try (AscendingChunks walk = new AscendingChunks(snapshot, OFTEN, fromNs, toNs, 0)) {
            List<Part> listed = walk(walk, true).stream().filter(Part::listed).toList();
            assertTrue(listed.size() <= 3, listed::toString);
        }
    }

    @Test
    void shouldSeeNothingOfWhatCameAfterTheSnapshot() {
        SnapshotView early = store.snapshot();
        long tail = early.recordTail();
        for (int chunk = 0; chunk < 40; chunk++) {
            long pageAddress = PageDescriptor.pageAddress(tail) + PAGE;
            while (PageDescriptor.pageAddress(store.records.log().tail()) < pageAddress + (long) chunk * PAGE) {
                push(chunk % 2 == 0 ? OFTEN : SELDOM, 10_000);
                store.evict();
            }
        }
        for (int source : WALKED) {
            for (List<Part> parts : walkBoth(early, source, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
                assertTrue(parts.stream().allMatch(part -> part.end <= tail), parts::toString);
            }
        }
    }

    /** As if the newest pages of the index were not written yet; the source slots know more than it tells. */
    private SnapshotView onDisk() {
        SnapshotView now = store.snapshot();
        LogView times = store.times.view();
        long end = store.times.watermarks().evictedAcquire();
        return new SnapshotView(
                now.records(),
                new LogView(times.kind(), times.storeId(), times.storage(), times.segments(), times.watermarks(), null),
                now.chunks(),
                now.recordBegin(),
                now.recordTail(),
                end,
                now.chunkTail(),
                now.slots(),
                now.text());
    }

    private void flip(long address) {
        try (RandomAccessFile file =
                new RandomAccessFile(store.times.segments().file(address).toFile(), "rw")) {
            file.seek(address);
            int before = file.read();
            file.seek(address);
            file.write(before ^ 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldLeaveOutNoRecordWhosePageOfTheIndexIsDamaged() {
        SnapshotView snapshot = onDisk();
        long pages = snapshot.timeTail() / PAGE;
        assertTrue(pages >= 5, "pages=" + pages);
        for (int first = 0; first < pages; first++) {
            for (int count = 1; count <= 2 && first + count <= pages; count++) {
                for (int i = 0; i < count; i++) {
                    flip((long) (first + i) * PAGE + 100);
                }
                for (int source : WALKED) {
                    List<List<Part>> both = walkBoth(snapshot, source, Long.MIN_VALUE, Long.MAX_VALUE, 0);
                    for (List<Part> parts : both) {
                        long unlisted =
                                parts.stream().filter(part -> !part.listed).count();
                        assertTrue(unlisted <= 2, "one region for the damage, one at the end: " + parts);
                    }
                    walkBoth(snapshot, source, chunkTimes.get(30), chunkTimes.get(45), 0);
                }
                for (int i = 0; i < count; i++) {
                    flip((long) (first + i) * PAGE + 100);
                }
            }
        }
        for (List<Part> parts : walkBoth(snapshot, OFTEN, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
            assertEquals(1, parts.stream().filter(part -> !part.listed).count(), "all is whole again");
        }
    }

    /** Records that were deleted after the snapshot was taken are part of its range, so that a query says what it lacks. */
    @Test
    void shouldEndWhereTheLogsBegin() {
        SnapshotView before = onDisk();
        long timeBegin = 2L * PAGE;
        long begin;
        try (DirectoryReader reader = new DirectoryReader(before.times(), before.timeTail())) {
            store.times.watermarks().beginRelease(timeBegin);
            assertTrue(reader.seek(timeBegin + PageDescriptor.HEADER_LENGTH));
            begin = reader.chunkAddress();
        }
        store.records.watermarks().beginRelease(begin);
        SnapshotView after = onDisk();
        assertEquals(begin, after.recordBegin());
        for (int source : WALKED) {
            walkBoth(before, source, Long.MIN_VALUE, Long.MAX_VALUE, 0);
            for (List<Part> parts : walkBoth(after, source, Long.MIN_VALUE, Long.MAX_VALUE, begin)) {
                assertTrue(parts.stream().allMatch(part -> part.start >= begin), parts::toString);
                assertTrue(
                        parts.stream().filter(part -> !part.listed).count() <= 1,
                        () -> "source=" + source + ": " + parts);
            }
        }
    }
}
