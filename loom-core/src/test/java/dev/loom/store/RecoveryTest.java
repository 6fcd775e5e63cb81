package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StoreAccess;
import dev.loom.api.LossReason;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a store has after its writer was killed: with its staging, everything; without it, what the disk has up to the first damaged
 * page. The writer is a session of this process whose disk takes nothing any more.
 */
final class RecoveryTest extends StoreFixture {
    /** A page of records pushed in the first session alone ends when its last one came. */
    private void assertPageTimes(List<Pushed> expected) {
        long last = expected.get(expected.size() - 1).address() / PAGE * PAGE;
        try (AttachedStore attached = AttachedStore.attach(store(), Storage.DISK);
                PageReader pages = new PageReader(attached.logs().records())) {
            for (long pageAddress = 0; pageAddress < last; pageAddress += PAGE) {
                long begin = pageAddress;
                long timeNs = expected.stream()
                        .filter(each -> each.address() / PAGE * PAGE == begin)
                        .mapToLong(Pushed::timeNs)
                        .max()
                        .orElseThrow();
                assertEquals(PageState.PRESENT, pages.read(pageAddress, Long.MAX_VALUE));
                assertEquals(
                        timeNs, PageDescriptor.lastTimeNs(pages.buffer(), pages.pageOffset()), "page=" + pageAddress);
            }
        }
    }

    /** Opens and closes the store, which then has the records and no others, and takes more. */
    private void assertRecovers(List<Pushed> expected, UnaryOperator<LoomConfig.Builder> more) {
        clockNs = FIRST_TIME; // behind the records
        try (Loom reopened = open(new SwitchedDisk(), more);
                Snapshot snapshot = reopened.snapshot()) {
            assertTrue(
                    snapshot.lastTimeNs() >= expected.get(expected.size() - 1).timeNs(), "no time goes back");
            assertCounts(snapshot, expected);
            long ofFirst = expected.stream().filter(each -> each.source() == 1).count();
            assertEquals(ofFirst, indexed(snapshot), "Loom's own first record has ended the chunk");
        }
        assertWhole(expected);
        assertPageTimes(expected);
        clockNs = FIRST_TIME;
        try (Loom reopened = open()) {
            assertTrue(reopened.push(1, new byte[Long.BYTES])
                    > expected.get(expected.size() - 1).address());
            try (Snapshot snapshot = reopened.snapshot()) {
                Source.Statistics statistics = snapshot.statistics(1);
                assertEquals(
                        expected.stream().filter(each -> each.source() == 1).count() + 1, statistics.records());
                assertTrue(
                        statistics.lastTimeNs()
                                >= expected.get(expected.size() - 1).timeNs(),
                        "no time goes back");
            }
        }
    }

    private void assertRecovers(List<Pushed> expected) {
        assertRecovers(expected, builder -> builder);
    }

    @Test
    void shouldKeepEveryRecordWhenTheWriterIsKilled() {
        openFirst();
        push(300);
        loom.force();
        push(300);
        kill();
        assertRecovers(pushed);
    }

    /** As without permission, which does not stop root. */
    @Test
    void shouldNotTakeStagingThatCanNotBeLookedAtForGone() throws IOException {
        openFirst();
        push(300);
        loom.force();
        push(300);
        Path staging = kill().staging();
        Path away = staging.resolveSibling(staging.getFileName() + "-away");
        Files.move(staging, away);
        Files.createSymbolicLink(staging, staging.getFileName());
        for (Executable looking :
                List.<Executable>of(() -> open(), () -> AttachedStore.attach(store(), Storage.DISK))) {
            StoreIoException e = assertThrows(StoreIoException.class, looking);
            assertTrue(
                    String.valueOf(e.getMessage()).startsWith("file can't be looked at: file=" + staging), e::toString);
        }
        Files.delete(staging);
        Files.move(away, staging);
        assertRecovers(pushed);
    }

    @Test
    void shouldKeepEveryRecordWhenTheDiskRefusesTheEnd() {
        openFirst();
        push(400);
        disk.refuseChanges();
        assertThrows(StoreIoException.class, loom::close);
        assertRecovers(pushed);
    }

    @Test
    void shouldKeepEveryRecordWhenTheRingWasWrittenManyTimes() {
        openFirst();
        push(3000);
        kill();
        assertRecovers(pushed);
    }

    private static long mappings(Path folder) throws IOException {
        String name = folder.getFileName().toString();
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
            return maps.filter(line -> line.contains(name)).count();
        }
    }

    /** On tmpfs, what is mapped keeps its room though it was deleted. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldLeaveNoRingMappedWhenTheDiskRefusesTheRecovery() throws IOException {
        openFirst();
        push(300);
        Path staging = kill().staging();
        long before = mappings(staging);
        SwitchedDisk full = new SwitchedDisk();
        full.refuseWrites("record");
        assertThrows(StoreIoException.class, () -> open(full, builder -> builder));
        assertTrue(mappings(staging) <= before, "rings are mapped");
        assertRecovers(pushed);
    }

    /** Else it would keep the killed session's rings. */
    @Test
    void shouldTellAReaderThatTheStoreWasRecoveredThoughNoSessionBegins() throws IOException {
        openFirst();
        push(300);
        kill();
        Path place = Files.createFile(temp.resolve("obstacle")).resolve("rings");
        try (AttachedStore attached = AttachedStore.attach(store(), Storage.DISK)) {
            attached.snapshot().close();
            assertThrows(
                    StoreIoException.class, () -> open(new SwitchedDisk(), builder -> builder.stagingDirectory(place)));
            assertThrows(StoreReopenedException.class, attached::snapshot);
        }
        try (AttachedStore again = AttachedStore.attach(store(), Storage.DISK);
                Snapshot snapshot = again.snapshot()) {
            assertCounts(snapshot, pushed);
        }
    }

    @Test
    void shouldKeepRecordsWhenNothingWasMadeDurable() {
        openFirst();
        push(1);
        kill();
        try (Loom reopened = open();
                Snapshot snapshot = reopened.snapshot()) {
            assertEquals(1, snapshot.statistics(1).records());
            assertEquals(0, snapshot.statistics(2).records());
            assertEquals(pushed.get(0).timeNs(), snapshot.statistics(1).lastTimeNs());
        }
        assertWhole(pushed);
    }

    @Test
    void shouldTellLossesWhenTheWriterIsKilled() {
        openFirst();
        push(300);
        loom.force();
        StoreAccess.drop(loom, 1, 7);
        loom.force();
        clockNs += 1000;
        long lastLossNs = clockNs;
        StoreAccess.session(loom).log().noteLoss(2, LossReason.STORE_FULL, 9, lastLossNs - 5, lastLossNs);
        kill();
        for (int opening = 0; opening < 2; opening++) {
            clockNs = FIRST_TIME;
            try (Loom reopened = open();
                    Snapshot snapshot = reopened.snapshot()) {
                assertEquals(7, snapshot.statistics(1).lost());
                assertEquals(9, snapshot.statistics(2).lost());
                assertTrue(snapshot.lastTimeNs() >= lastLossNs, "no record is before the loss");
            }
        }
        assertWhole(pushed);
    }

    /** A failed sync is reported once, so what it was to make durable is written again. */
    @Test
    void shouldWriteAgainWhatASyncMayHaveLost() {
        openFirst();
        push(300);
        loom.force();
        long durable = loom.info().records().durable();
        disk.refuseSyncs();
        push(300);
        assertThrows(StoreIoException.class, loom::force);
        long evicted = loom.info().records().evicted();
        assertTrue(evicted >= durable + 2 * PAGE, "evicted=" + evicted + ", durable=" + durable);
        kill();
        SwitchedDisk recovering = new SwitchedDisk();
        open(recovering, builder -> builder).close();
        assertWhole(pushed);
        for (long pageAddress = durable; pageAddress < evicted; pageAddress += PAGE) {
            Path file =
                    new StoreFiles(store()).segments(LogKind.RECORD, SEGMENT).file(pageAddress);
            String write = "record/" + file.getFileName() + "@" + pageAddress % SEGMENT;
            assertTrue(recovering.writes.contains(write), () -> write + " in " + recovering.writes);
        }
    }

    @Test
    void shouldWriteNothingAgainThatTheDiskHas() {
        openFirst();
        push(3000);
        loom.force();
        kill();
        SwitchedDisk recovering = new SwitchedDisk();
        open(recovering, builder -> builder).close();
        Path file = new StoreFiles(store()).segments(LogKind.RECORD, SEGMENT).file(0);
        String first = "record/" + file.getFileName();
        assertFalse(
                recovering.writes.stream().anyMatch(each -> each.startsWith(first)),
                () -> recovering.writes.toString());
        assertWhole(pushed);
    }

    private List<Pushed> below(long end) {
        return pushed.stream().filter(each -> each.address() < end).toList();
    }

    private byte[] mark() {
        try {
            return Files.readAllBytes(store().resolve("loom.mark"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As if the power had been cut before the mark was written that names what the disk has. */
    private void cutPower(StoreImage image, byte[] mark) {
        image.cutPower();
        try {
            Files.write(store().resolve("loom.mark"), mark);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldKeepWhatTheDiskHasWhenThePowerIsCut() {
        openFirst();
        push(300);
        loom.force();
        byte[] mark = mark();
        push(1500);
        loom.force();
        List<Pushed> written = List.copyOf(pushed);
        push(20);
        cutPower(kill(), mark);
        assertRecovers(written);
    }

    @Test
    void shouldKeepTheDurableWhenThePowerIsCutAndTheDiskHasNoMore() {
        openFirst();
        push(300);
        loom.force();
        List<Pushed> forced = List.copyOf(pushed);
        push(20);
        kill().cutPower();
        assertRecovers(forced);
    }

    private String segment(LogKind kind, long address) {
        Path file = new StoreFiles(store()).segments(kind, SEGMENT).file(address);
        return file.getParent().getFileName() + "/" + file.getFileName();
    }

    /** What a recovery changes until it writes the mark of the closed store, which is the second that it writes. */
    private List<String> changesOfRecovery() {
        SwitchedDisk recovering = new SwitchedDisk();
        open(recovering, builder -> builder).close();
        List<String> changes = recovering.changes;
        int fence = changes.indexOf("write store/loom.mark");
        int closed = fence + 1 + changes.subList(fence + 1, changes.size()).indexOf("write store/loom.mark");
        assertTrue(fence >= 0 && closed > fence, changes::toString);
        return changes.subList(fence, closed);
    }

    @Test
    void shouldSyncAllThatIsNewBeforeTheMarkTellsOfIt() {
        openFirst();
        push(1500);
        loom.force();
        long durable = loom.info().records().durable();
        push(300);
        StoreImage image = kill();
        List<String> changes = changesOfRecovery();
        long end = pushed.get(pushed.size() - 1).address();
        assertTrue(durable >= 2 * SEGMENT && end / SEGMENT > durable / SEGMENT, "some files are older, some are new");
        for (long address = 0; address <= end; address += SEGMENT) {
            String file = segment(LogKind.RECORD, address);
            boolean isNew = address + SEGMENT > durable;
            assertEquals(isNew, changes.contains("sync " + file), () -> file + " in " + changes);
            assertTrue(changes.lastIndexOf("write " + file) <= changes.lastIndexOf("sync " + file), changes::toString);
        }
        for (String folder : List.of("record", "time", "chunk")) {
            assertTrue(changes.contains("sync " + folder), () -> folder + " in " + changes);
        }
        assertFalse(Files.exists(image.staging()), "nobody needs it any more");
    }

    @Test
    void shouldCutAndSyncAllLogsBeforeTheMarkTellsOfIt() {
        openFirst();
        push(300);
        loom.force();
        long pageAddress = loom.info().records().durable();
        byte[] mark = mark();
        push(1500);
        loom.force();
        cutPower(kill(), mark);
        damage(LogKind.RECORD, pageAddress);
        List<String> changes = changesOfRecovery();
        assertTrue(changes.contains("cut " + segment(LogKind.TIME, 0)), changes::toString);
        assertEquals(
                pageAddress % SEGMENT != 0,
                changes.contains("cut " + segment(LogKind.RECORD, pageAddress)),
                changes::toString);
        for (LogKind kind : LogKind.values()) {
            int file = changes.lastIndexOf("sync " + segment(kind, 0));
            assertTrue(file >= 0, () -> kind + " in " + changes);
            assertTrue(changes.lastIndexOf("sync " + kind.folder()) > file, () -> kind + " in " + changes);
            assertTrue(changes.lastIndexOf("cut " + segment(kind, 0)) < file, () -> kind + " in " + changes);
        }
    }

    private long segments(LogKind kind) throws IOException {
        try (Stream<Path> files = Files.list(new StoreFiles(store()).folder(kind))) {
            return files.count();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void shouldEndAtTheFirstDamagedPageWhenThePowerIsCut(int pagesWhole) throws IOException {
        openFirst();
        push(300);
        loom.force();
        long forced = loom.info().records().durable();
        byte[] mark = mark();
        push(1500);
        loom.force();
        long written = loom.info().records().durable();
        cutPower(kill(), mark);
        long pageAddress = forced + (long) pagesWhole * PAGE;
        damage(LogKind.RECORD, pageAddress);
        assertTrue(
                segments(LogKind.RECORD) > pageAddress / SEGMENT + 1 && pageAddress + PAGE < written,
                "more is behind the damage");
        assertRecovers(below(pageAddress));
    }

    @Test
    void shouldTakeACopyOnlyWhenAskedTo() {
        openFirst();
        push(300);
        loom.force();
        List<Pushed> forced = List.copyOf(pushed);
        push(10);
        StoreImage image = kill();
        copy(image);
        assertThrows(CorruptStoreException.class, this::open);
        assertRecovers(forced, builder -> builder.adoptCopy(true));
    }

    /** Puts each file in the place of one with another identity. */
    private static void copy(StoreImage image) {
        for (Path file : image.files("loom.mark")) {
            try {
                Path other = file.resolveSibling("copy");
                Files.copy(file, other);
                Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
