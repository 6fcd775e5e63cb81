package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Source;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.UnsharedLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What walks and counts find while an index is rebuilt before the gap behind which a writer goes on: at each step all records, and
 * those that have entries by these.
 */
final class RebuiltIndexTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long GAP_END = 64L * PAGE;
    private static final int CHUNKS_BEFORE = 6;
    private static final int CHUNKS_BEHIND = 4;

    private static final int OFTEN = 1;
    private static final int BEFORE = 2;
    private static final int BEHIND = 3;
    private static final int NEVER = 4;
    private static final int SOURCES = NEVER;

    @TempDir
    Path directory;

    private record Pushed(long address, int source, long timeNs, int length) {}

    private final List<Pushed> pushed = new ArrayList<>();
    private RecordLogFixture lost;
    private RecordLogFixture store;
    private long rebuildTo;

    @BeforeEach
    void fill() {
        lost = new RecordLogFixture(directory.resolve("lost"), SOURCES);
        for (int chunk = 0; chunk < CHUNKS_BEFORE; chunk++) {
            push(lost, OFTEN, 100);
            push(lost, OFTEN, chunk);
            if (chunk % 3 == 1) {
                push(lost, BEFORE, PAGE + 50); // in two pages
            }
            lost.log.seal();
            lost.evict();
        }
        rebuildTo = lost.records.log().tail();
        store = lost.behindGap(directory.resolve("store"), SOURCES, GAP_END);
        for (int chunk = 0; chunk < CHUNKS_BEHIND; chunk++) {
            push(store, OFTEN, 200);
            push(store, BEHIND, chunk);
            store.log.seal();
            store.evict();
        }
        push(store, OFTEN, 7);
    }

    @AfterEach
    void close() {
        store.close();
        lost.times.unshared().close();
        lost.chunks.unshared().close();
    }

    private void push(RecordLogFixture writer, int source, int length) {
        long timeNs = writer.clockNs;
        long address = writer.log.push(source, new byte[length]);
        assertTrue(address >= 0);
        pushed.add(new Pushed(address, source, timeNs, length));
    }

    private List<Pushed> of(int source) {
        return pushed.stream().filter(each -> each.source == source).toList();
    }

    /** Each record in one part, and no unlisted part before an address that ends the part rebuilt so far. */
    private void assertWalk(Chunks walk, long rebuilt) {
        List<Pushed> left = new ArrayList<>(of(walk.sourceId()));
        while (walk.next()) {
            long start = walk.start();
            long end = walk.end();
            List<Pushed> here = left.stream()
                    .filter(each -> each.address >= start && each.address < end)
                    .toList();
            left.removeAll(here);
            if (walk.listed()) {
                assertTrue(end <= rebuilt || start >= rebuildTo);
                assertEquals(here.size(), walk.records());
                assertEquals(here.stream().mapToLong(Pushed::length).sum(), walk.bytes());
                assertEquals(here.get(here.size() - 1).address, walk.lastRecord());
            } else {
                assertTrue(start >= rebuilt, () -> "unlisted: " + start + " to " + end + ", rebuilt=" + rebuilt);
                assertTrue(end <= rebuildTo || start >= store.records.log().pageAddress(), "the open chunk");
            }
        }
        assertEquals(List.of(), left);
    }

    private void assertAllFound(long rebuilt) {
        SnapshotView snapshot = store.snapshot();
        for (int source = 1; source <= SOURCES; source++) {
            try (DescendingChunks down = new DescendingChunks(snapshot, source, Long.MAX_VALUE);
                    AscendingChunks up = new AscendingChunks(snapshot, source, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
                assertWalk(down, rebuilt);
                assertWalk(up, rebuilt);
            }
            List<Pushed> expected = of(source);
            Source.Statistics found = SourceCounter.count(snapshot, source, 0);
            assertEquals(expected.size(), found.records(), "source=" + source);
            assertEquals(expected.stream().mapToLong(Pushed::length).sum(), found.bytes());
            if (!expected.isEmpty()) {
                assertEquals(expected.get(0).timeNs, found.firstTimeNs());
                assertEquals(expected.get(expected.size() - 1).timeNs, found.lastTimeNs());
            }
        }
    }

    private void assertNoFault(int entries) {
        SnapshotView snapshot = store.snapshot();
        List<String> faults = new ArrayList<>();
        try (ReferencedRecords lookup = new ReferencedRecords(snapshot.records(), snapshot::recordTail, id -> null);
                IndexAudit audit = new IndexAudit(
                        snapshot.records(),
                        snapshot.recordTail(),
                        snapshot.times(),
                        snapshot.timeTail(),
                        id -> null,
                        id -> false,
                        lookup,
                        (index, found, listed, part, chunkAddress) -> 0,
                        (log, address, message) -> faults.add(log + "@" + address + ": " + message),
                        address -> false)) {
            audit.run();
            assertEquals(List.of(), faults);
            assertEquals(pushed.size() + entries, audit.entries());
        }
    }

    private UnsharedLog log(LogKind kind, RecordLogFixture.Part part) {
        return new UnsharedLog(kind, 7, 1, part.view().storage(), part.segments(), 0, 1 << 20);
    }

    /** Rebuilds chunk by chunk, and looks at what is found after each. */
    private List<Long> rebuild(int publications) {
        List<Long> rebuilt = new ArrayList<>();
        WriterSources sources = new WriterSources();
        try (UnsharedLog timeLog = log(LogKind.TIME, store.times);
                UnsharedLog chunkLog = log(LogKind.CHUNK, store.chunks)) {
            IndexRebuilder rebuilder = new IndexRebuilder(
                    store.records.view(),
                    timeLog,
                    chunkLog,
                    sources,
                    0,
                    0,
                    PAGE,
                    (timeGapBegin, chunkGapBegin, to) -> {
                        store.chunks.watermarks().gapBeginRelease(chunkGapBegin);
                        store.times.watermarks().gapBeginRelease(timeGapBegin);
                        store.times.watermarks().rebuiltRelease(to);
                        rebuilt.add(to);
                        assertAllFound(to);
                    },
                    () -> rebuilt.size() >= publications);
            rebuilder.rebuild(rebuildTo, Long.MAX_VALUE);
        }
        return rebuilt;
    }

    @Test
    void shouldFindAllRecordsBeforeAnyIsRebuilt() {
        assertAllFound(0);
        assertNoFault(CHUNKS_BEHIND);
    }

    @Test
    void shouldFindTheRecordsRebuiltSoFarByTheirEntries() {
        List<Long> rebuilt = rebuild(Integer.MAX_VALUE);
        assertEquals(CHUNKS_BEFORE, rebuilt.size(), rebuilt::toString);
        assertEquals(rebuildTo, rebuilt.get(rebuilt.size() - 1));
        // a checkpoint ends each publication
        assertNoFault(CHUNKS_BEHIND + 2 * CHUNKS_BEFORE);
        push(store, BEFORE, 9);
        store.log.sealWithCheckpoint();
        store.evict();
        assertAllFound(rebuildTo);
        assertNoFault(CHUNKS_BEHIND + 2 + 2 * CHUNKS_BEFORE);
    }

    @Test
    void shouldKeepWhatWasPublishedWhenItIsCancelled() {
        String message =
                assertThrows(CancellationException.class, () -> rebuild(2)).getMessage();
        long rebuilt = store.times.watermarks().rebuiltAcquire();
        assertTrue(rebuilt > 0 && rebuilt < rebuildTo);
        assertEquals("rebuild was cancelled: record address=" + (rebuilt + PAGE), message);
        assertAllFound(rebuilt);
        assertNoFault(CHUNKS_BEHIND + 2 * 2);
    }

    @Test
    void shouldKnowWhereTheGapIs() {
        rebuild(Integer.MAX_VALUE);
        SnapshotView snapshot = store.snapshot();
        long gapBegin = store.times.watermarks().gapBeginAcquire();
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), GAP_END)) {
            assertTrue(reader.hasGap(), "though nothing is behind it");
            assertTrue(reader.inGap(gapBegin) && reader.inGap(GAP_END - 1));
            assertFalse(reader.inGap(gapBegin - 1) || reader.inGap(GAP_END));
            assertEquals(rebuildTo, reader.rebuildTo());
        }
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), GAP_END - 1)) {
            assertFalse(reader.hasGap(), "it is not below the end");
        }
        store.times.watermarks().beginRelease(GAP_END);
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            assertFalse(reader.hasGap(), "it is deleted");
        }
        store.times.watermarks().beginRelease(0);
        store.times.watermarks().gapBeginRelease(GAP_END);
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            assertFalse(reader.hasGap(), "it is filled");
        }
    }

    @Test
    void shouldMoveOverTheGapInEitherDirection() {
        rebuild(Integer.MAX_VALUE);
        SnapshotView snapshot = store.snapshot();
        List<Long> forward = new ArrayList<>();
        List<Long> backward = new ArrayList<>();
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            assertTrue(reader.hasGap());
            reader.toBegin();
            while (reader.next()) {
                forward.add(reader.address());
            }
            assertFalse(reader.next());
            reader.toEnd();
            while (reader.previous()) {
                backward.add(0, reader.address());
            }
            assertFalse(reader.previous());
            assertEquals(forward, backward);
            assertEquals(CHUNKS_BEHIND + 2 * CHUNKS_BEFORE, forward.size());
            long before = forward.get(2 * CHUNKS_BEFORE - 1);
            long behind = forward.get(2 * CHUNKS_BEFORE);
            assertTrue(before < GAP_END && behind >= GAP_END);
            reader.toGap();
            assertTrue(reader.previous());
            assertEquals(before, reader.address());
            reader.toGapEnd();
            assertTrue(reader.next());
            assertEquals(behind, reader.address());
            assertFalse(reader.seek(GAP_END - PAGE + PageDescriptor.HEADER_LENGTH));
            for (Pushed record : pushed) {
                boolean there = reader.seekBefore(record.timeNs);
                assertEquals(record.timeNs > RecordLogFixture.FIRST_TIME, there);
                if (there) {
                    assertTrue(reader.firstTimeNs() < record.timeNs);
                    assertTrue(!reader.next() || reader.firstTimeNs() >= record.timeNs, "the last such");
                }
                there = reader.seekBelow(record.address);
                assertTrue(there);
                assertTrue(reader.chunkAddress() < record.address);
                assertTrue(!reader.next() || reader.chunkAddress() >= record.address, "the last such");
            }
        }
    }
}
