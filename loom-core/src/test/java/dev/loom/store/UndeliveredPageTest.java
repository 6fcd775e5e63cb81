package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.BadDisk;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.ProgressHandler;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One page of the record log that the disk does not deliver keeps neither the store from being opened nor its indexes from being
 * rebuilt; its records are found as soon as the disk delivers it.
 */
@Timeout(120)
final class UndeliveredPageTest extends StoreFixture {
    private static final int PAGES = 140;
    /** A source that has records before the page and in it, and one that has records in it alone. */
    private static final int RARE = 3;

    private static final int ONCE = 4;
    private static final int SOURCES = 4;
    private static final int FOREVER = Integer.MAX_VALUE;
    private static final ProgressHandler GO_ON = (done, total) -> true;

    private final List<Pushed> all = new ArrayList<>();
    private long plainPage;
    private long jumboPage;

    private enum Bad {
        FIRST,
        PLAIN,
        JUMBO_BEGIN,
        JUMBO_MIDDLE,
        JUMBO_END,
        LAST
    }

    private void push(Loom store, int source, int length) {
        int number = all.size();
        byte[] payload = new byte[length];
        ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number);
        long address = store.push(source, payload);
        all.add(new Pushed(address, source, clockNs - 1, length, number));
    }

    private long pushTo(Loom store, int pages) {
        long address = 0;
        while (address < (long) pages * PAGE) {
            push(store, 1 + all.size() % 2, 1000 + all.size() * 37 % 4000);
            address = all.get(all.size() - 1).address();
        }
        return address / PAGE * PAGE;
    }

    private void fillAndClose() {
        openFirst();
        assertEquals(RARE, loom.defineSource("rare", FORMAT));
        assertEquals(ONCE, loom.defineSource("once", FORMAT));
        pushTo(loom, 3);
        push(loom, RARE, 100);
        plainPage = pushTo(loom, 30);
        push(loom, RARE, 100);
        push(loom, ONCE, 100);
        assertEquals(plainPage, all.get(all.size() - 1).address() / PAGE * PAGE);
        jumboPage = pushTo(loom, 50);
        push(loom, 2, 120_000);
        pushTo(loom, PAGES);
        loom.force();
        loom.close();
    }

    private long page(Bad bad) {
        return switch (bad) {
            case FIRST -> 0;
            case PLAIN -> plainPage;
            case JUMBO_BEGIN -> jumboPage;
            case JUMBO_MIDDLE -> jumboPage + PAGE;
            case JUMBO_END -> jumboPage + 2 * PAGE;
            case LAST -> (loomEnd() - 1) / PAGE * PAGE;
        };
    }

    private long loomEnd() {
        try (LoomReader reader = LoomReader.attach(store())) {
            return reader.info().records().tail();
        }
    }

    /** The pages that a record lies in; of one that fits no page, each fragment takes what is left of its page. */
    private static Set<Long> pages(Pushed record) {
        Set<Long> pages = new HashSet<>();
        long at = record.address() / PAGE * PAGE;
        pages.add(at);
        if (record.length() > PAGE) {
            int left = record.length() - (PAGE - (int) (record.address() - at) - 16 - 8);
            while (left > 0) {
                at += PAGE;
                pages.add(at);
                left -= PAGE - 64 - 16;
            }
        }
        return pages;
    }

    private List<Pushed> without(long page) {
        return all.stream().filter(record -> !pages(record).contains(page)).toList();
    }

    private void deleteIndexes() throws IOException {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            for (Path file : Storage.DISK.list(new StoreFiles(store()).folder(kind))) {
                Files.delete(file);
            }
        }
    }

    private static Pushed found(RecordCursor cursor) {
        long number = cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN);
        return new Pushed(cursor.address(), cursor.sourceId(), cursor.timeNs(), cursor.length(), number);
    }

    private List<Pushed> read(RecordCursor records, boolean complete) {
        List<Pushed> found = new ArrayList<>();
        try (records) {
            while (records.next()) {
                found.add(found(records));
            }
            if (!complete) {
                assertTrue(records.damaged() > 0);
            }
        }
        return found;
    }

    /** Counts what directories, and runs of them, tell, and reads the rest. */
    private static long count(SnapshotReader reader, ChunkCursor chunks) {
        long[] count = {0};
        SourceRecords.ChunkGuide guide = new SourceRecords.ChunkGuide() {
            @Override
            public Step decide(ChunkCursor chunk) {
                count[0] += chunk.listed() ? chunk.records() : 0;
                return chunk.listed() ? Step.PASS_OVER : Step.READ;
            }

            @Override
            public boolean mayGoOn(long bytesRead) {
                return true;
            }
        };
        try (SourceRecords records = reader.forward(chunks, guide)) {
            while (records.next()) {
                count[0]++;
            }
        }
        return count[0];
    }

    /** The addresses of the records up to one, page by page. */
    private static List<Long> raw(SnapshotReader reader, ChunkCursor chunks, long last) {
        List<Long> found = new ArrayList<>();
        SourceRecords.ChunkGuide guide = new SourceRecords.ChunkGuide() {
            @Override
            public Step decide(ChunkCursor chunk) {
                return Step.READ;
            }

            @Override
            public boolean mayGoOn(long bytesRead) {
                return true;
            }
        };
        try (SourceRecords records = reader.forward(chunks, guide)) {
            while (records.next() && records.address() <= last) {
                found.add(records.address());
            }
        }
        return found;
    }

    /** Names the first record that differs, as there are many. */
    private static void assertRecords(List<Pushed> expected, List<Pushed> found) {
        int same = 0;
        while (same < Math.min(expected.size(), found.size())
                && expected.get(same).equals(found.get(same))) {
            same++;
        }
        assertEquals(
                expected.stream().skip(same).findFirst(),
                found.stream().skip(same).findFirst());
    }

    private void assertFound(Store store, List<Pushed> expected) {
        try (Snapshot snapshot = store.snapshot();
                SnapshotReader reader = SnapshotReader.of(snapshot)) {
            for (int source = 1; source <= SOURCES; source++) {
                int id = source;
                List<Pushed> own =
                        expected.stream().filter(each -> each.source() == id).toList();
                boolean complete = own.size()
                        == all.stream().filter(each -> each.source() == id).count();
                assertRecords(own, read(snapshot.oldestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE), complete));
                List<Pushed> newest = read(snapshot.newestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE), complete);
                Collections.reverse(newest);
                assertRecords(own, newest);
                assertTrue(own.stream()
                        .map(Pushed::address)
                        .toList()
                        .equals(raw(reader, reader.unindexed(id), Long.MAX_VALUE)));
                assertEquals(own.size(), count(reader, reader.newestFirst(id, Long.MAX_VALUE)));
                assertEquals(
                        own.size(),
                        count(reader, reader.oldestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE, 0)),
                        () -> "source=" + id);
                assertEquals(own.size(), count(reader, reader.newestFirstInRuns(id, Long.MAX_VALUE)));
                assertEquals(
                        own.size(), count(reader, reader.oldestFirstInRuns(id, Long.MIN_VALUE, Long.MAX_VALUE, 0)));
            }
        }
    }

    /** Each record in a page and beside it is found, or not, by its time. */
    private void assertFoundByTime(Store store, long page, List<Pushed> expected) {
        Set<Pushed> there = new HashSet<>(expected);
        try (Snapshot snapshot = store.snapshot();
                SnapshotReader reader = SnapshotReader.of(snapshot)) {
            for (Pushed each : all) {
                if (Math.abs(each.address() - page) < 2 * PAGE) {
                    List<Pushed> one = there.contains(each) ? List.of(each) : List.of();
                    long time = each.timeNs();
                    assertEquals(one, read(snapshot.newestFirst(each.source(), time, time + 1), true));
                    assertEquals(one, read(snapshot.oldestFirst(each.source(), time, time + 1), true));
                    assertEquals(
                            !one.isEmpty(),
                            raw(reader, reader.everything(time), each.address()).contains(each.address()),
                            each::toString);
                }
            }
        }
    }

    private void assertWhole() {
        assertRecords(all, found());
        assertEquals(List.of(), problems(Storage.DISK));
    }

    private static void awaitIndexes(Loom store) {
        boolean done = false;
        while (!done) {
            StoreInfo info = store.info();
            assertEquals(Optional.empty(), info.writer().orElseThrow().rebuildFailure());
            done = info.rebuild().map(each -> each.done() == each.to()).orElse(true);
            Thread.onSpinWait();
        }
    }

    private List<String> problems(Storage storage) {
        List<String> problems = new ArrayList<>();
        StoreVerification.run(storage, store(), (file, offset, message, known) -> problems.add(message), GO_ON);
        return problems;
    }

    private Loom open(long background) {
        return open(disk, builder -> builder.backgroundRebuildBytes(background));
    }

    @ParameterizedTest
    @CsvSource({
        "FIRST,0", "PLAIN,0", "JUMBO_BEGIN,0", "JUMBO_MIDDLE,0", "JUMBO_END,0", "LAST,0",
        "FIRST,1", "PLAIN,1", "JUMBO_BEGIN,1", "JUMBO_MIDDLE,1", "JUMBO_END,1", "LAST,1"
    })
    void shouldRebuildIndexesAroundIt(Bad which, int background) throws IOException {
        long backgroundBytes = background == 1 ? 0 : 1L << 30;
        fillAndClose();
        deleteIndexes();
        long bad = page(which);
        disk.refusePages(page -> page == bad, FOREVER);
        try (Loom store = open(backgroundBytes)) {
            awaitIndexes(store);
            assertFound(store, without(bad));
            assertFoundByTime(store, bad, without(bad));
            pushTo(store, PAGES + 10);
            store.force();
            assertTrue(store.finishRollups(GO_ON));
            assertFound(store, without(bad));
        }
        assertEquals(List.of("page is damaged: address=" + bad), problems(disk));
        try (Loom store = open(backgroundBytes)) {
            assertTrue(store.info().rebuild().isEmpty());
            assertFound(store, without(bad));
            pushTo(store, PAGES + 20);
        }
        assertEquals(List.of("page is damaged: address=" + bad), problems(disk));
        try (LoomReader reader = LoomReader.attach(store())) {
            assertFound(reader, all); // by another path to the same disk
        }
        disk.allow();
        assertEquals(List.of(), problems(disk));
        try (Loom store = open(backgroundBytes)) {
            assertFound(store, all);
            assertFoundByTime(store, bad, all);
            store.rebuildIndexes();
            awaitIndexes(store);
            assertFound(store, all);
            assertTotals(store);
        }
        assertWhole();
    }

    /** A repair reads filler in its place, and must not take it for a page that nobody will ever read. */
    @ParameterizedTest
    @EnumSource
    void shouldRepairAroundIt(Bad which) throws IOException {
        fillAndClose();
        deleteIndexes();
        long page = page(which);
        BadDisk bad = new BadDisk();
        bad.spoil(new StoreFiles(store()).segments(LogKind.RECORD, SEGMENT).file(page), page % SEGMENT, PAGE);
        StoreAccess.repair(store(), bad, builder -> builder.segmentBytes(SEGMENT));
        try (Loom store = open(bad, builder -> builder)) {
            assertFound(store, without(page));
            assertFoundByTime(store, page, without(page));
        }
        bad.recover();
        try (Loom store = open(bad, builder -> builder)) {
            assertFound(store, all);
            assertFoundByTime(store, page, all);
        }
        assertWhole();
    }

    @Test
    void shouldCountLossesBehindItOnce() throws IOException {
        openFirst();
        long bad = pushTo(loom, 10);
        StoreAccess.drop(loom, 1, 1000);
        pushTo(loom, 20);
        loom.close();
        deleteIndexes();
        disk.refusePages(page -> page == bad, FOREVER);
        loom = open(1L << 30);
        assertEquals(1000, lost(loom));
        kill();
        disk.allow();
        try (Loom store = open(1L << 30)) {
            assertEquals(1000, lost(store));
        }
    }

    private static long lost(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.statistics(1).lost();
        }
    }

    /** Totals are counted again with the indexes. */
    private void assertTotals(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            for (int source = 1; source <= SOURCES; source++) {
                int id = source;
                assertEquals(
                        all.stream().filter(each -> each.source() == id).count(),
                        snapshot.statistics(id).records());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAskAgainForWhatTheDiskDeliversLater(Bad which) throws IOException {
        fillAndClose();
        deleteIndexes();
        long late = page(which);
        disk.refusePages(page -> page == late, 4);
        try (Loom store = open(1L << 30)) {
            assertFound(store, all);
            assertTotals(store);
            try (Snapshot snapshot = store.snapshot()) {
                assertEquals(all.stream().filter(each -> each.source() == 1).count(), indexed(snapshot));
            }
        }
        assertWhole();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldPassOverManyInARow(int first) throws IOException {
        fillAndClose();
        deleteIndexes();
        disk.refusePages(page -> page / PAGE >= first && page / PAGE < first + 20, FOREVER);
        List<Pushed> expected = all.stream()
                .filter(each ->
                        pages(each).stream().noneMatch(page -> page / PAGE >= first && page / PAGE < first + 20))
                .toList();
        try (Loom store = open(1L << 30)) {
            assertFound(store, expected);
        }
        disk.allow();
        try (Loom store = open(1L << 30)) {
            assertFound(store, all);
        }
        assertWhole();
    }

    /** Of the killed writer's pages, which the disk may not have, those are written again that it delivers. */
    @Test
    void shouldRecoverAroundItWhatASyncMayHaveLost() {
        openFirst();
        push(300);
        loom.force();
        long bad = loom.info().records().durable();
        disk.refuseSyncs();
        push(1500);
        assertThrows(StoreIoException.class, loom::force);
        kill();
        disk.allow();
        disk.refusePages(page -> page == bad, FOREVER);
        open(1L << 30).close();
        assertWhole(pushed);
    }

    @Test
    void shouldNotOpenWhileTheDiskDeliversNothing() throws IOException {
        fillAndClose();
        deleteIndexes();
        disk.refusePages(page -> true, FOREVER);
        StoreIoException failure = assertThrows(StoreIoException.class, () -> open(1L << 30));
        assertTrue(failure.getMessage().contains("injected failure: file="), failure::getMessage);
        disk.allow();
        try (Loom store = open(1L << 30)) {
            assertFound(store, all);
            assertTotals(store);
        }
        assertWhole();
    }
}
