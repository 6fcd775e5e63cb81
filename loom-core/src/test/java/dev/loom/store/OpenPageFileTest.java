package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo.LogInfo;
import dev.loom.error.StoreIoException;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What survives a power cut of pages that are far from full. The oracle is the list of what was pushed. */
final class OpenPageFileTest extends StoreFixture {
    private static final int SLOT_USED_OFFSET = 32;

    private void openFirst(Storage storage) {
        loom = open(storage, builder -> builder.durabilityInterval(Duration.ofMillis(1)));
        loom.defineSource("first", FORMAT);
        loom.defineSource("second", FORMAT);
        loom.defineIndex(1, "value", IndexFunction.field(FORMAT, "v"), Bins.linear(0, 100, 10));
    }

    private void openSlow() {
        openFirst(disk);
    }

    /** Waits until all that was pushed survives a power cut. */
    private void awaitDurable() {
        LogInfo log = loom.info().records();
        while (log.durable() < log.tail()) {
            Thread.onSpinWait();
            log = loom.info().records();
        }
    }

    private void cutPower(StoreImage image) {
        image.cutPower();
        markEarlierBoot();
    }

    private Path file() {
        return store().resolve("open.page");
    }

    private byte[] content() {
        try {
            return Files.readAllBytes(file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void put(byte[] content) {
        try {
            Files.write(file(), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertAttaches(List<Pushed> expected) {
        assertEquals(expected, found());
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            assertCounts(snapshot, expected);
        }
    }

    private void assertRecovers(List<Pushed> expected) {
        assertAttaches(expected);
        clockNs = FIRST_TIME;
        try (Loom reopened = open();
                Snapshot snapshot = reopened.snapshot()) {
            assertTrue(
                    snapshot.lastTimeNs() >= expected.get(expected.size() - 1).timeNs(), "no time goes back");
            assertCounts(snapshot, expected);
        }
        assertWhole(expected);
        assertFalse(Files.exists(file()), "a closed store has no open page");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 20, 300})
    void shouldKeepWhatWasPushedLastWhenThePowerIsCut(int count) {
        openSlow();
        push(count);
        awaitDurable();
        cutPower(kill());
        assertRecovers(pushed);
    }

    @Test
    void shouldEndNoPageOfASlowSource() {
        openSlow();
        long sealed = loom.info().records().sealed();
        for (int i = 0; i < 40; i++) {
            push(1);
            awaitDurable();
        }
        assertEquals(sealed, loom.info().records().sealed());
        assertEquals(2 * PAGE, content().length);
        cutPower(kill());
        assertRecovers(pushed);
    }

    /** The slot with the copy of the later state. */
    private static int later(byte[] content) {
        ByteBuffer slots = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        return slots.getInt(SLOT_USED_OFFSET) > slots.getInt(PAGE + SLOT_USED_OFFSET) ? 0 : 1;
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6})
    void shouldKeepTheEarlierCopyWhenTheLaterOneIsTorn(int copies) {
        openSlow();
        List<Pushed> earlier = List.of();
        for (int i = 0; i < copies; i++) {
            earlier = List.copyOf(pushed);
            push(1);
            awaitDurable();
        }
        cutPower(kill());
        byte[] torn = content();
        int slot = later(torn) * PAGE;
        for (int i = slot + 100; i < slot + 200; i++) {
            torn[i] ^= 1;
        }
        put(torn);
        assertRecovers(earlier);
    }

    @Test
    void shouldEndAtTheLastWholePageWhenBothCopiesAreDamaged() {
        openSlow();
        push(300);
        loom.force();
        List<Pushed> forced = List.copyOf(pushed);
        push(1);
        awaitDurable();
        push(1);
        awaitDurable();
        cutPower(kill());
        byte[] damaged = content();
        damaged[70] ^= 1;
        put(damaged);
        assertEquals(List.of(), problems(), "a power cut may have torn one");
        damaged[PAGE + 70] ^= 1;
        put(damaged);
        assertEquals(List.of("open.page@0 neither copy of the last page is whole"), problems());
        assertRecovers(forced);
    }

    /** They may have been durable, and are nowhere else. */
    @Test
    void shouldSetAsideCopiesThatNobodyCanRead() throws IOException {
        openSlow();
        push(1);
        awaitDurable();
        push(1);
        awaitDurable();
        cutPower(kill());
        byte[] damaged = content();
        damaged[100] ^= 1;
        damaged[PAGE + 100] ^= 1;
        put(damaged);
        List<Path> copies = new ArrayList<>();
        StoreVerifier.repair(store(), (file, offset, reason, copy) -> copies.add(copy), (done, total) -> true);
        assertEquals(1, copies.size());
        assertArrayEquals(damaged, Files.readAllBytes(copies.get(0)));
        assertEquals(List.of(), problems());
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store(), (file, offset, message) -> problems.add(file.getFileName() + "@" + offset + " " + message));
        return problems;
    }

    @Test
    void shouldEndWithTheCopyWhenPagesBehindItReachedTheDisk() throws IOException {
        openSlow();
        push(300);
        loom.force();
        long pageAddress = loom.info().records().durable();
        push(5);
        awaitDurable();
        List<Pushed> kept = List.copyOf(pushed);
        byte[] copies = content();
        byte[] mark = Files.readAllBytes(store().resolve("loom.mark"));
        push(400);
        loom.force();
        cutPower(kill());
        Files.write(store().resolve("loom.mark"), mark);
        markEarlierBoot();
        put(copies);
        damage(LogKind.RECORD, pageAddress);
        assertAttaches(kept);

        SwitchedDisk recovering = new SwitchedDisk();
        open(recovering, builder -> builder).close();
        assertWhole(kept);
        String segment = "record/"
                + new StoreFiles(store())
                        .segments(LogKind.RECORD, SEGMENT)
                        .file(pageAddress)
                        .getFileName();
        int cut = recovering.changes.indexOf("sync record");
        int restored = recovering.changes.indexOf("write " + segment);
        assertTrue(cut >= 0 && cut < restored, recovering.changes::toString);
        assertTrue(
                recovering.changes.subList(restored, recovering.changes.size()).indexOf("sync " + segment)
                        < recovering
                                .changes
                                .subList(restored, recovering.changes.size())
                                .indexOf("write store/loom.mark"),
                recovering.changes::toString);
    }

    @Test
    void shouldUseNoCopyOfAnEarlierSession() {
        openSlow();
        push(300);
        loom.force();
        push(5);
        awaitDurable();
        byte[] copies = content();
        pushed.subList(300, pushed.size()).clear();
        cutPower(kill());
        put(new byte[0]);
        // the next session's page has the same address; its copies never reach the disk
        clockNs = FIRST_TIME + 1_000_000;
        disk = new SwitchedDisk();
        loom = open(disk, builder -> builder);
        push(5);
        StoreImage image = kill();
        pushed.subList(300, pushed.size()).clear();
        cutPower(image);
        put(copies);
        assertRecovers(pushed);
    }

    @Test
    void shouldMakeTheFileAgainWhenItIsDeleted() throws IOException {
        openSlow();
        push(1);
        awaitDurable();
        Files.delete(file());
        push(1);
        awaitDurable();
        cutPower(kill());
        assertRecovers(pushed);
    }

    @Test
    void shouldCallNothingDurableThatTheDiskRefusesAndTryAgain() {
        boolean[] refusing = {true};
        openFirst(new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (refusing[0] && file.endsWith("open.page")) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
            }
        });
        long durable = loom.info().records().durable();
        push(3);
        while (!loom.info().failure().orElse("").contains("open.page")) {
            Thread.onSpinWait();
        }
        assertEquals(durable, loom.info().records().durable());
        assertTrue(loom.info().session().orElseThrow().durabilityFailed());
        refusing[0] = false;
        awaitDurable();
        while (loom.info().session().orElseThrow().durabilityFailed()) {
            Thread.onSpinWait();
        }
        loom.close();
        assertWhole(pushed);
    }

    @Test
    void shouldWriteToTheFileThatHasTheName() throws IOException {
        openSlow();
        push(2);
        awaitDurable();
        Path other = Files.write(temp.resolve("other"), new byte[10]);
        Files.move(other, file(), StandardCopyOption.REPLACE_EXISTING);
        push(1);
        awaitDurable();
        cutPower(kill());
        assertRecovers(pushed);
    }

    /** A file whose name is not durable may be gone after a power cut, whatever it holds. */
    @Test
    void shouldCallNothingDurableUntilTheNewFilesNameIs() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        AtomicBoolean named = new AtomicBoolean();
        openFirst(new HookedStorage() {
            @Override
            public void syncDirectory(Path directory) {
                if (Files.exists(file()) && file().startsWith(directory)) {
                    if (refusing.get()) {
                        throw new StoreIoException("injected failure: directory=" + directory);
                    }
                    named.set(true);
                }
                super.syncDirectory(directory);
            }
        });
        long durable = loom.info().records().durable();
        push(3);
        while (!loom.info().session().orElseThrow().durabilityFailed()) {
            Thread.onSpinWait();
        }
        assertEquals(durable, loom.info().records().durable());
        refusing.set(false);
        awaitDurable();
        assertTrue(named.get(), "the directory was synced before anything was called durable");
        loom.close();
        assertWhole(pushed);
    }

    /** Waits until the last record of the first page survives a power cut. Returns the durable end. */
    private long awaitFirstPage() {
        long last = pushed.stream()
                .mapToLong(Pushed::address)
                .filter(address -> address < PAGE)
                .max()
                .orElseThrow();
        long durable = loom.info().records().durable();
        while (durable <= last) {
            Thread.onSpinWait();
            durable = loom.info().records().durable();
        }
        return durable;
    }

    private void assertEndsAt(long address) {
        try (LoomReader reader = LoomReader.attach(store())) {
            assertEquals(address, reader.info().records().tail());
        }
    }

    /** Without its segment, as where it was filled while those before it were synced. */
    @Test
    void shouldKeepAPageThatIsFull() {
        openSlow();
        disk.refuseWrites("record");
        while (loom.info().records().sealed() == 0) {
            push(1);
        }
        long durable = awaitFirstPage();
        cutPower(kill());
        assertEndsAt(durable);
        assertRecovers(pushed.stream().filter(record -> record.address() < PAGE).toList());
    }

    @Test
    void shouldKeepWhatComesBeforeARecordOfSeveralPages() {
        openSlow();
        push(5);
        disk.refuseWrites("record");
        loom.push(1, new byte[2 * PAGE]);
        while (loom.info().records().durable() < PAGE) { // which the first part of that record fills
            Thread.onSpinWait();
        }
        cutPower(kill());
        assertEndsAt(PAGE);
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            assertCounts(snapshot, pushed);
        }
        assertEquals(List.of(), problems());
        try (Loom reopened = open();
                Snapshot snapshot = reopened.snapshot()) {
            assertCounts(snapshot, pushed);
        }
        assertEquals(List.of(), problems());
    }
}
