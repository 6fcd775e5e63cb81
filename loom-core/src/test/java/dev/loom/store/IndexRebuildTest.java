package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.format.Formats;
import dev.loom.log.LogKind;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes that are lost or damaged are rewritten from the records, at opening or beside the writer, and answer as before. */
final class IndexRebuildTest extends StoreFixture {
    private static final long LOST = 7;
    private static final int RECORDS = 2000;

    private void fillAndClose() {
        openFirst();
        push(RECORDS / 2);
        StoreAccess.drop(loom, 2, LOST);
        push(RECORDS / 2);
        loom.close();
    }

    private Loom openBackground(long bytes) {
        return open(disk, builder -> builder.backgroundRebuildBytes(bytes));
    }

    private static StoreInfo await(Loom store, Predicate<StoreInfo> what) {
        StoreInfo info = store.info();
        while (!what.test(info)) {
            Thread.onSpinWait();
            info = store.info();
        }
        return info;
    }

    private static boolean rebuilt(StoreInfo info) {
        return info.rebuild().isEmpty()
                || info.rebuild().get().done() == info.rebuild().get().to();
    }

    private void deleteIndexes() throws IOException {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            try (Stream<Path> files = Files.list(new StoreFiles(store()).folder(kind))) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private void assertTells(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            assertCounts(snapshot, pushed);
            assertEquals(0, snapshot.statistics(1).lost());
            assertEquals(LOST, snapshot.statistics(2).lost());
            assertWalks((StoreSnapshot) snapshot);
        }
    }

    /** All records of a source are in its chunks, in either direction. */
    private void assertWalks(StoreSnapshot snapshot) {
        for (int source = 1; source <= 2; source++) {
            try (Chunks down = new DescendingChunks(snapshot.view(), source, Long.MAX_VALUE);
                    Chunks up = new AscendingChunks(snapshot.view(), source, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
                List<Long> newestFirst = starts(down);
                List<Long> oldestFirst = starts(up);
                assertEquals(newestFirst.stream().sorted().toList(), oldestFirst);
                long chunks = pushed.stream()
                        .map(each -> each.address() / PAGE)
                        .distinct()
                        .count();
                assertTrue(oldestFirst.size() >= chunks, () -> oldestFirst + " of " + chunks);
            }
        }
    }

    private static List<Long> starts(Chunks chunks) {
        List<Long> starts = new ArrayList<>();
        while (chunks.next()) {
            for (long pageAddress = chunks.start(); pageAddress < chunks.end(); pageAddress += PAGE) {
                starts.add(pageAddress);
            }
        }
        return starts;
    }

    private void assertTellsAndIsIndexed(Store store) {
        assertTells(store);
        try (Snapshot snapshot = store.snapshot()) {
            assertEquals(RECORDS / 2, indexed(snapshot));
        }
    }

    private void assertGoesOn() {
        try (LoomReader reader = LoomReader.attach(store())) {
            assertTellsAndIsIndexed(reader);
            assertSame(StoreInfo.IndexState.WHOLE, reader.info().indexState());
        }
        try (Loom reopened = open()) {
            assertTellsAndIsIndexed(reopened);
        }
        assertWhole(pushed);
    }

    @Test
    void shouldRewriteLostIndexesWhenOpening() throws IOException {
        fillAndClose();
        deleteIndexes();
        try (Loom reopened = open()) {
            assertTrue(reopened.info().rebuild().isEmpty());
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 5 * PAGE})
    void shouldRewriteLostIndexesBesideTheWriter(long background) throws IOException {
        fillAndClose();
        deleteIndexes();
        try (Loom reopened = openBackground(background)) {
            assertTells(reopened);
            StoreInfo info = await(reopened, IndexRebuildTest::rebuilt);
            assertTrue(info.writer().orElseThrow().rebuildFailure().isEmpty());
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @Test
    void shouldGoOnWithARebuildThatAnotherSessionBegan() throws IOException {
        fillAndClose();
        deleteIndexes();
        int sessions = 0;
        for (boolean done = false; !done; sessions++) {
            try (Loom reopened = openBackground(0)) {
                assertTells(reopened);
                await(reopened, info -> rebuilt(info) || info.rebuild().get().done() > 0);
                done = rebuilt(reopened.info());
            }
            try (LoomReader reader = LoomReader.attach(store())) {
                assertTells(reader);
            }
        }
        assertTrue(sessions > 0);
        assertGoesOn();
    }

    @Test
    void shouldFinishASmallRestWhenOpening() throws IOException {
        fillAndClose();
        deleteIndexes();
        openBackground(0).close();
        try (Loom reopened = openBackground(1L << 30)) {
            assertTrue(rebuilt(reopened.info()));
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @Test
    void shouldRewriteWhatIsBeforeAndBehindAGap() throws IOException {
        fillAndClose();
        deleteIndexes();
        try (Loom reopened = openBackground(0)) {
            await(reopened, IndexRebuildTest::rebuilt);
        }
        deleteIndexes();
        try (Loom reopened = open()) {
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @Test
    void shouldTryAgainWhenTheDiskRefusesTheRebuild() throws IOException {
        fillAndClose();
        deleteIndexes();
        disk.refuseWrites("chunk");
        try (Loom reopened = openBackground(0)) {
            StoreInfo info = await(
                    reopened,
                    each -> each.writer().orElseThrow().rebuildFailure().isPresent());
            assertTrue(info.writer().orElseThrow().rebuildFailure().get().contains("injected"));
            disk.refuseWrites("");
            await(reopened, IndexRebuildTest::rebuilt);
            await(reopened, each -> each.writer().orElseThrow().rebuildFailure().isEmpty());
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    /** The text index is built of what the others lead to. */
    @Test
    void shouldNotKeepThoseWaitingWhoAskForTheTextIndex() throws IOException {
        fillAndClose();
        deleteIndexes();
        disk.refuseWrites("chunk");
        try (Loom reopened =
                open(disk, builder -> builder.backgroundRebuildBytes(0).textIndexShare(1))) {
            await(reopened, each -> each.writer().orElseThrow().rebuildFailure().isPresent());
            int text = reopened.defineSource("text", Formats.text());
            reopened.push(text, new byte[] {'a'});
            assertFalse(reopened.finishTextIndex((done, total) -> true));
            disk.refuseWrites("");
            await(reopened, IndexRebuildTest::rebuilt);
        }
    }

    private Loom openUnchecked() {
        return open(disk, StoreAccess::checkIndexesLater);
    }

    private void killWithIndexes() {
        openFirst();
        push(RECORDS / 2);
        StoreAccess.drop(loom, 2, LOST);
        push(RECORDS / 2);
        loom.force();
        kill();
        disk.allow();
    }

    @Test
    void shouldFindIndexesWholeBesideTheWriter() {
        killWithIndexes();
        try (Loom reopened = openUnchecked()) {
            await(reopened, info -> info.indexState() == StoreInfo.IndexState.WHOLE);
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRewriteAtTheNextOpeningWhatItFindsDamagedBesideTheWriter(int chunk) {
        killWithIndexes();
        damage(chunk == 1 ? LogKind.CHUNK : LogKind.TIME, 0);
        try (Loom reopened = openUnchecked()) {
            await(reopened, info -> info.indexState() == StoreInfo.IndexState.DAMAGED);
            assertTells(reopened);
        }
        try (LoomReader reader = LoomReader.attach(store())) {
            assertSame(StoreInfo.IndexState.DAMAGED, reader.info().indexState());
            assertTells(reader);
        }
        try (Loom reopened = open()) {
            assertSame(StoreInfo.IndexState.WHOLE, reopened.info().indexState());
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRewriteWhenOpeningFindsDamageAfterAKill(int chunk) {
        killWithIndexes();
        damage(chunk == 1 ? LogKind.CHUNK : LogKind.TIME, 0);
        try (Loom reopened = open()) {
            assertTellsAndIsIndexed(reopened);
        }
        assertGoesOn();
    }
}
