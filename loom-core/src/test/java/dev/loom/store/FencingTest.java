package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.JavaProcess;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.WriterProcess;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.Formats;
import dev.loom.io.LockedFile;
import dev.loom.io.ProcessId;
import dev.loom.io.Storage;
import dev.loom.io.WriterLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A second writer that finds the lock free, by whatever has taken it from the first. {@code -Dloom.rounds=N} sets the number of
 * races.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FencingTest {
    private static final long OWN_PID = ProcessHandle.current().pid();
    private static final int PAGES = 20_000;

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private StoreFiles files = new StoreFiles(store);

    @BeforeEach
    void place() throws IOException {
        store = temp.toRealPath().resolve("store");
        files = new StoreFiles(store);
    }

    private Loom open() {
        return Loom.open(WriterProcess.config(store).build());
    }

    private void assertLocked(long pid) {
        StoreLockedException refused = assertThrows(StoreLockedException.class, this::open);
        assertEquals(pid, refused.ownerPid(), refused::getMessage);
        assertTrue(String.valueOf(refused.getMessage()).contains("pid=" + pid), refused::getMessage);
    }

    private void assertLockedElsewhere(long pid) {
        StoreLockedException refused = assertThrows(StoreLockedException.class, this::open);
        assertEquals(-1, refused.ownerPid(), refused::getMessage);
        String named = "pid=" + pid + " in another PID namespace";
        assertTrue(String.valueOf(refused.getMessage()).contains(named), refused::getMessage);
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void delete(Path path) {
        try {
            if (Files.isDirectory(path)) {
                try (Stream<Path> files = Files.list(path)) {
                    files.forEach(FencingTest::delete);
                }
            }
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private long records() {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.statistics(snapshot.source("written").orElseThrow().id())
                    .records();
        }
    }

    @Test
    void shouldRefuseASecondWriterWhenTheLockIsDeleted() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            delete(files.lock());
            assertLocked(owner.pid());
            assertEquals("ok", owner.ask("push 100"));
            delete(files.lock());
            assertLocked(owner.pid());
            assertEquals("ok", owner.ask("close"));
        }
        assertEquals(100, records());
        open().close();
    }

    @Test
    void shouldRefuseASecondWriterWhenABackupHasDroppedTheLock() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            for (int i = 0; i < 3; i++) {
                assertEquals("ok", owner.ask("backup"));
                assertLocked(owner.pid());
                assertEquals("ok", owner.ask("push " + PAGES));
            }
            assertEquals("ok", owner.ask("close"));
        }
        assertEquals(3 * PAGES, records());
        try (Loom loom = open()) {
            assertEquals(0L, loom.info().epoch(), "a second writer has recovered it");
        }
    }

    @Test
    void shouldRefuseASecondWriterWhenTheOwnerIsStopped() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            assertEquals("ok", owner.ask("push 100"));
            owner.signal("STOP");
            delete(files.lock());
            assertLocked(owner.pid());
            delete(files.claims());
            assertLocked(owner.pid());
            owner.signal("CONT");
            assertEquals("ok", owner.ask("push 100"));
            assertEquals("ok", owner.ask("close"));
        }
        assertEquals(200, records());
    }

    @Test
    void shouldRefuseASecondWriterInTheSameProcessWhenTheLockIsDeleted() throws IOException {
        try (Loom loom = open()) {
            WriterProcess.push(loom, 100);
            delete(files.lock());
            assertLocked(OWN_PID);
            WriterProcess.readAll(store);
            delete(files.lock());
            assertLocked(OWN_PID);
        }
        assertEquals(100, records());
        open().close();
    }

    /** Of a process in another container nothing is known but its locks. */
    @Test
    void shouldRefuseASecondWriterWhenTheOwnerIsOfAnotherPidNamespace() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            assertEquals("ok", owner.ask("push 100"));
            owner.signal("STOP");
            moveToAnotherNamespace(owner.pid());
            delete(files.lock());
            assertLockedElsewhere(owner.pid());
            owner.kill();
        }
        try (Loom loom = open()) {
            assertEquals(1L, loom.info().epoch());
        }
        assertEquals(100, records());
    }

    @Test
    void shouldSeeThatAWriterOfAnotherPidNamespaceLivesWhenAllItsSignsWereDeleted() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            moveToAnotherNamespace(owner.pid());
            delete(files.lock());
            delete(files.claims());
            assertLockedElsewhere(owner.pid());
        }
    }

    /** As if its owner's namespace were another one than this process's. */
    private void moveToAnotherNamespace(long pid) throws IOException {
        MarkFile file = new MarkFile(Storage.DISK, files.mark());
        Mark mark = file.read();
        ProcessId process = mark.owner().process();
        Mark.Owner moved = new Mark.Owner(
                new ProcessId(pid, process.start(), process.namespace() + 1),
                mark.owner().bootId(),
                mark.owner().host());
        file.write(MarkForgery.ownedBy(mark, moved));
        Path claim = files.claims().resolve(Long.toHexString(mark.sessionNonce()));
        Files.writeString(
                claim,
                Files.readString(claim)
                        .replace(" " + process.namespace() + " ", " " + (process.namespace() + 1) + " "));
    }

    @Test
    void shouldRecoverAtOnceWhenThePidIsOfALaterProcess() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            assertEquals("ok", owner.ask("push 100"));
            owner.kill();
        }
        ProcessId self = ProcessId.current();
        MarkFile file = new MarkFile(Storage.DISK, files.mark());
        Mark mark = file.read();
        file.write(MarkForgery.ownedBy(
                mark,
                new Mark.Owner(
                        new ProcessId(self.pid(), self.start() - 1, self.namespace()),
                        mark.owner().bootId(),
                        "")));
        open().close();
        assertEquals(100, records());
    }

    @Test
    void shouldOpenAgainWhenTheSessionHasEndedAndItsProcessLives() throws IOException {
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store)) {
            assertEquals("ok", owner.ask("open"));
            assertEquals("ok", owner.ask("push 100"));
            // its staging can't be deleted, so closing fails
            Mark mark = new MarkFile(Storage.DISK, files.mark()).read();
            Files.createDirectories(mark.staging().resolve("in the way"));
            assertEquals("StoreIoException", owner.ask("close"));
            delete(mark.staging().resolve("in the way"));
            open().close();
            assertEquals(100, records());
        }
    }

    /** What a writer finds that another has taken the store from, which the signs above should have kept from it. */
    @Test
    void shouldStopWithATypedErrorWhenAnotherWriterHasTakenTheStoreOver() throws IOException {
        Loom loom = open();
        WriterProcess.push(loom, PAGES);
        loom.force();
        MarkFile file = new MarkFile(Storage.DISK, files.mark());
        Mark own = file.read();
        Mark others = MarkForgery.ofSession(own, 4711);
        file.write(others);
        Path segment =
                files.segments(dev.loom.log.LogKind.RECORD, own.segmentLength()).file(0);
        byte[] before = Files.readAllBytes(segment);
        assertThrows(StoreReopenedException.class, () -> {
            while (true) {
                WriterProcess.push(loom, 1);
            }
        });
        assertThrows(StoreReopenedException.class, loom::force);
        assertThrows(StoreReopenedException.class, () -> loom.defineSource("later", Formats.parse("bytes")));
        assertThrows(StoreReopenedException.class, loom::close);
        assertEquals(others, file.read(), "the mark");
        assertArrayEquals(before, Files.readAllBytes(segment), "the segment");
        assertTrue(Files.exists(files.lock()));
        assertTrue(Files.exists(own.staging()), "staging, which may be the other's to read");
        delete(own.staging());
    }

    @Test
    void shouldStopWhenItsLiveStateWasTaken() {
        Loom loom = open();
        WriterProcess.push(loom, PAGES);
        Mark own = new MarkFile(Storage.DISK, files.mark()).read();
        Staging staging = Staging.openTrusted(Storage.DISK, own, own.owner().bootId());
        if (staging == null) {
            throw new AssertionError("no staging");
        }
        staging.fence(Storage.DISK);
        assertThrows(StoreReopenedException.class, () -> {
            while (true) {
                WriterProcess.push(loom, 1);
            }
        });
        assertThrows(StoreReopenedException.class, loom::close);
        staging.unmap();
        try (Loom next = open()) {
            assertEquals(1L, next.info().epoch());
        }
    }

    /** One that fills no page, and has nothing to write to a file. */
    @Test
    void shouldRefuseTheNextRecordOfASlowWriterWhenItWasFenced() {
        Loom loom = open();
        WriterProcess.push(loom, 1);
        Mark own = new MarkFile(Storage.DISK, files.mark()).read();
        new MarkFile(Storage.DISK, files.mark()).write(MarkForgery.ofSession(own, 4711));
        await("it has not noticed", () -> loom.info().writer().orElseThrow().fenced());
        assertThrows(StoreReopenedException.class, () -> WriterProcess.push(loom, 1));
        assertThrows(StoreReopenedException.class, () -> loom.claim(1, 8));
        assertThrows(StoreReopenedException.class, loom::close);
        delete(own.staging());
    }

    /** None keeps a turn that it did not get from the others, though its thread lives. */
    @Test
    void shouldTellAllThreadsThatTakeTurnsThatItWasFenced() throws Exception {
        Loom loom = open();
        SharedWriter writer = new SharedWriter(loom);
        Mark own = new MarkFile(Storage.DISK, files.mark()).read();
        new MarkFile(Storage.DISK, files.mark()).write(MarkForgery.ofSession(own, 4711));
        await("it has not noticed", () -> loom.info().writer().orElseThrow().fenced());
        Duration minute = Duration.ofMinutes(1);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            other.submit(() -> assertThrows(StoreReopenedException.class, () -> writer.acquire(minute)))
                    .get();
            assertThrows(StoreReopenedException.class, () -> writer.acquire(minute));
            assertThrows(StoreReopenedException.class, writer::close);
        } finally {
            other.shutdownNow();
        }
        delete(own.staging());
    }

    /** Or a record would be taken after it was said that none is. */
    @Test
    void shouldSayThatItIsFencedOnlyOnceTheWriterIsStopped() throws IOException {
        Files.createDirectories(temp.resolve("claims"));
        open().close();
        Mark own = new MarkFile(Storage.DISK, files.mark()).read();
        List<Boolean> said = new ArrayList<>();
        Mark.Owner owner = own.owner();
        LiveFile live = LiveFile.create(Storage.DISK, temp.resolve("live"), 1, 1, 1);
        try (Tenure tenure = new Tenure(
                files,
                Storage.DISK,
                WriterLock.take(temp.resolve("lock"), () -> WriterLock.Holder.UNKNOWN),
                Claim.announce(temp.resolve("claims"), 1, owner, null))) {
            tenure.begin(own, live);
            tenure.onFenced(() -> said.add(tenure.fenced()));
            new MarkFile(Storage.DISK, files.mark()).write(MarkForgery.ofSession(own, 4711));
            assertThrows(StoreReopenedException.class, tenure.guard()::check);
            assertEquals(List.of(false), said);
            assertTrue(tenure.fenced());
        }
        live.file().unmap();
    }

    @Test
    void shouldRestoreWhatIsDeletedOfItsSigns() {
        try (Loom loom = open()) {
            delete(files.claims());
            delete(files.lock());
            await(
                    "lock and claim are not restored",
                    () -> Files.exists(files.lock())
                            && Files.exists(files.claims())
                            && loom.info().writer().orElseThrow().lockRestored() > 0);
            assertFalse(loom.info().writer().orElseThrow().lockLost());
            assertLocked(OWN_PID);
        }
        assertEquals(List.of(), Storage.DISK.list(files.claims()), "claims are left");
    }

    /** As by somebody who puts a backup there while the store is written. Nothing of it may be changed, or locked. */
    @Test
    void shouldStopWhenAnotherStoreIsPutInItsPlace() throws IOException {
        try (Loom loom = open()) {
            WriterProcess.push(loom, 100);
        }
        Path backup = temp.resolve("backup");
        copy(store, backup);
        Map<Path, ByteBuffer> copied = contents(backup);
        Loom loom = open();
        long[] records = {100 + PAGES};
        WriterProcess.push(loom, PAGES);
        loom.force();
        Path away = temp.resolve("away");
        Files.move(store, away);
        Files.move(backup, store);
        assertThrows(StoreReopenedException.class, () -> {
            while (true) {
                WriterProcess.push(loom, 1);
                records[0]++;
            }
        });
        StoreReopenedException stopped = assertThrows(StoreReopenedException.class, loom::force);
        assertTrue(
                String.valueOf(stopped.getMessage()).contains("another store has taken the place"),
                stopped::getMessage);
        assertFalse(LockedFile.isHeldHere(files.lock()));
        assertThrows(StoreReopenedException.class, loom::close);
        assertEquals(copied, contents(store));
        store = away;
        open().close();
        assertEquals(records[0], records(), "in the store that was moved away");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    /** All files below a directory. */
    private static Map<Path, ByteBuffer> contents(Path directory) throws IOException {
        Map<Path, ByteBuffer> contents = new HashMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(directory.relativize(file), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    /** A directory that was renamed, or whose mount is gone, may come back. */
    @Test
    void shouldMakeNothingWhereItsStoreWasAndGoOnOnceItIsBack() throws IOException {
        Path away = temp.resolve("away");
        try (Loom loom = open()) {
            WriterProcess.push(loom, 100);
            Files.move(store, away);
            Files.createDirectory(store);
            assertThrows(StoreIoException.class, loom::force); // not before the evictor has looked after its signs
            assertEquals(List.of(), Storage.DISK.list(store));
            Files.delete(store);
            Files.move(away, store);
            loom.force();
            assertEquals(Optional.empty(), loom.info().failure());
        }
        assertEquals(100, records());
    }

    /** Two openers at a time, in two processes, while a third deletes the lock again and again. */
    @Test
    void shouldNeverHaveTwoOwnersWhenTheLockIsDeletedInBetween() throws Exception {
        open().close();
        int rounds = Integer.getInteger("loom.rounds", 100);
        Path owned = temp.resolve("owned");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger opened = new AtomicInteger();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Runnable opener = () -> {
            for (int i = 0; i < rounds && failures.isEmpty(); i++) {
                try (Loom loom = open()) {
                    Files.createFile(owned);
                    WriterProcess.push(loom, 1);
                    opened.incrementAndGet();
                    Files.delete(owned);
                } catch (StoreLockedException e) {
                    Thread.onSpinWait();
                } catch (FileAlreadyExistsException e) {
                    failures.add(new AssertionError("two owners", e));
                } catch (Throwable e) {
                    failures.add(e);
                }
            }
        };
        Thread deleter = new Thread(() -> {
            while (!done.get()) {
                delete(files.lock());
                LockSupport.parkNanos(50_000);
            }
        });
        deleter.start();
        try (JavaProcess other = JavaProcess.start(RacingProcess.class, store, owned, rounds)) {
            List<Thread> threads = new ArrayList<>(List.of(new Thread(opener), new Thread(opener)));
            threads.forEach(Thread::start);
            String answer = other.ask("go");
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), List.copyOf(failures));
            assertTrue(answer.matches("[0-9]+"), "the other process failed: " + answer);
            opened.addAndGet(Integer.parseInt(answer));
        } finally {
            done.set(true);
            deleter.join();
        }
        assertTrue(opened.get() > 0);
        assertEquals(opened.get(), records());
    }
}
