package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Completeness.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A store that is copied, reopened, closed and interrupted under its users. */
class LifeCycleTest {
    private static final long SEED = 17;
    private static final int SOURCES = 2;

    private final StoreOracle oracle = new StoreOracle(SEED, SOURCES);
    private final long[] counts = new long[SOURCES];

    @TempDir
    Path temp;

    private static Loom open(Path directory) {
        return Loom.open(PushingProcess.config(directory).build());
    }

    private void push(Loom loom, int records) {
        int[] ids = oracle.define(loom);
        for (int i = 0; i < records; i++) {
            int source = i % SOURCES;
            assertTrue(loom.push(ids[source], CheckedPayload.make(SEED, source, counts[source])) >= 0);
            counts[source]++;
        }
    }

    private Path copy(Path store, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(store.relativize(file).toString()));
            }
        }
        return target;
    }

    @Test
    void shouldRefuseACopyOfALiveStoreUntilItIsAdopted() throws IOException {
        Path store = temp.resolve("store");
        Path copied = temp.resolve("copied");
        long[] forced;
        try (Loom loom = open(store)) {
            push(loom, 500);
            loom.force();
            forced = counts.clone();
            push(loom, 20);
            copy(store, copied);
            assertRefusedUntilAdopted(copied, forced);
            assertArrayEquals(counts, oracle.count(loom), "the original");
            push(loom, 100);
        }
        assertArrayEquals(counts, oracle.count(store), "the original");
        assertArrayEquals(forced, oracle.count(copied), "the copy");
    }

    /** Two file systems that number their files alike. */
    @Test
    void shouldRefuseACopyOnAnotherFileSystemThoughItsInodesAreTheSame() throws IOException {
        Path first = Files.createDirectory(temp.resolve("first"));
        Path second = Files.createDirectory(temp.resolve("second"));
        try (Mount one = Mount.tmpfs(first, 64 << 20, 500);
                Mount other = Mount.tmpfs(second, 64 << 20, 500)) {
            Path store = one.target().resolve("store");
            try (Loom loom = open(store)) {
                push(loom, 500);
                loom.force();
                long[] forced = counts.clone();
                push(loom, 20);
                Path copied = sameInode(store, other.target());
                assertEquals(inode(store), inode(copied));
                assertRefusedUntilAdopted(copied, forced);
                push(loom, 100);
                assertArrayEquals(counts, oracle.count(loom), "the original");
            }
        }
    }

    private Path sameInode(Path store, Path target) throws IOException {
        Path copied = Files.createDirectory(target.resolve("store"));
        Path mark = copied.resolve("loom.mark");
        while (!Files.exists(mark)) {
            Path file = Files.createTempFile(target, "", "");
            if ((long) Files.getAttribute(file, "unix:ino") == inode(store)) {
                Files.move(file, mark);
            }
        }
        Files.write(mark, Files.readAllBytes(store.resolve("loom.mark")));
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.toList()) {
                Path to = copied.resolve(store.relativize(file).toString());
                if (!Files.exists(to)) {
                    Files.copy(file, to);
                }
            }
        }
        return copied;
    }

    private static long inode(Path store) throws IOException {
        return (long) Files.getAttribute(store.resolve("loom.mark"), "unix:ino");
    }

    private void assertRefusedUntilAdopted(Path copied, long[] forced) {
        assertThrows(CorruptStoreException.class, () -> open(copied));
        assertThrows(CorruptStoreException.class, () -> LoomReader.attach(copied));
        try (Loom adopted =
                Loom.open(PushingProcess.config(copied).adoptCopy(true).build())) {
            assertArrayEquals(forced, oracle.count(adopted), "the copy");
        }
    }

    @Test
    void shouldOpenACopyOfAClosedStore() throws IOException {
        Path store = temp.resolve("store");
        try (Loom loom = open(store)) {
            push(loom, 500);
        }
        Path copied = copy(store, temp.resolve("copied"));
        assertArrayEquals(counts, oracle.count(copied), "attached");
        try (Loom original = open(store);
                Loom copy = open(copied)) {
            assertArrayEquals(counts, oracle.count(copy), "opened");
            push(original, 30);
            assertArrayEquals(counts, oracle.count(original), "the original");
        }
    }

    @Test
    void shouldTellAReaderThatTheStoreWasReopened() {
        Path store = temp.resolve("store");
        Loom loom = open(store);
        push(loom, 400);
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot before = reader.snapshot()) {
            long[] then = counts.clone();
            push(loom, 400);
            assertArrayEquals(counts, oracle.count(reader), "live");
            loom.close();
            assertArrayEquals(counts, oracle.count(reader), "closed since");
            try (Loom again = open(store)) {
                assertThrows(StoreReopenedException.class, reader::snapshot);
                push(again, 400);
                assertArrayEquals(then, oracle.count(before), "a snapshot stays what it was");
                assertThrows(StoreReopenedException.class, reader::snapshot);
            }
            assertArrayEquals(then, oracle.count(before), "a snapshot stays what it was");
        }
        assertArrayEquals(counts, oracle.count(store));
    }

    @Test
    void shouldCloseUnderReaders() throws InterruptedException {
        Path store = temp.resolve("store");
        for (int round = 0; round < 4; round++) {
            Loom loom = open(store);
            push(loom, 300);
            LoomReader attached = LoomReader.attach(store);
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            AtomicBoolean closed = new AtomicBoolean();
            List<Thread> readers = new ArrayList<>();
            for (Store each : List.of(loom, attached, loom, attached)) {
                Thread reader = new Thread(() -> readUntilClosed(each, closed, failures));
                reader.start();
                readers.add(reader);
            }
            push(loom, 300);
            attached.close();
            loom.close();
            closed.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
            assertEquals(List.of(), List.copyOf(failures));
        }
        assertArrayEquals(counts, oracle.count(store));
    }

    private void readUntilClosed(Store store, AtomicBoolean closed, Queue<Throwable> failures) {
        try {
            while (!closed.get()) {
                oracle.count(store);
            }
        } catch (IllegalStateException e) {
            // the store is closed, or about to be
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    @Test
    void shouldReadAnOpenSnapshotAfterTheStoreWasClosed() {
        Path store = temp.resolve("store");
        Loom loom = open(store);
        push(loom, 400);
        try (Snapshot snapshot = loom.snapshot()) {
            loom.close();
            assertArrayEquals(counts, oracle.count(snapshot));
        }
    }

    @Test
    void shouldLoseNothingWhenTheWriterIsInterrupted() throws InterruptedException {
        Path store = temp.resolve("store");
        Thread writer = new Thread(() -> {
            try (Loom loom = open(store)) {
                push(loom, 4_000);
                loom.force();
                Thread.currentThread().interrupt();
                loom.force();
                loom.defineSource("interrupted", Formats.parse("bytes"));
                push(loom, 10);
                Thread.currentThread().interrupt();
            }
            assertTrue(Thread.interrupted(), "the interrupt is kept");
        });
        List<Throwable> failures = new ArrayList<>();
        writer.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
        writer.start();
        Path segment = store.resolve("record/00000000000000000000.seg");
        while (writer.isAlive()) {
            if (Files.exists(segment)) {
                writer.interrupt();
            }
        }
        writer.join();
        assertEquals(List.of(), failures);
        assertArrayEquals(counts, oracle.count(store));
        try (Loom loom = open(store)) {
            assertEquals(0L, loom.info().epoch(), "it was not closed");
            assertTrue(loom.source("interrupted").isPresent());
            assertArrayEquals(counts, oracle.count(loom));
        }
    }

    @Test
    void shouldDisturbNobodyElseWhenAReaderIsInterrupted() {
        Path store = temp.resolve("store");
        try (Loom loom = open(store)) {
            push(loom, 3_000);
            loom.force();
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot();
                    QueryCursor other = RawScan.of(snapshot, source(snapshot)).open()) {
                assertTrue(other.next());
                Thread.currentThread().interrupt();
                assertEquals(Limit.CANCELLED, limitOfReadingAll(snapshot));
                assertTrue(Thread.currentThread().isInterrupted(), "the interrupt is kept");
                try (Snapshot same = reader.snapshot()) {
                    assertEquals(snapshot.tailAddress(), same.tailAddress());
                }
                assertTrue(Thread.interrupted(), "the interrupt is kept");
                long rest = 1;
                while (other.next()) {
                    rest++;
                }
                assertEquals(counts[0], rest, "another cursor of the snapshot");
                assertArrayEquals(counts, oracle.count(reader));
                push(loom, 3_000);
                assertArrayEquals(counts, oracle.count(loom));
            }
        }
        assertArrayEquals(counts, oracle.count(store));
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            int id = source(snapshot).id();
            Thread.currentThread().interrupt();
            assertEquals(counts[0], snapshot.statistics(id).records(), "a file is read all the same");
            assertTrue(Thread.interrupted(), "the interrupt is kept");
            assertEquals(counts[0], snapshot.statistics(id).records());
        }
    }

    private static Source source(Snapshot snapshot) {
        return snapshot.source(StoreOracle.name(0)).orElseThrow();
    }

    private static Limit limitOfReadingAll(Snapshot snapshot) {
        try (QueryCursor cursor = RawScan.of(snapshot, source(snapshot)).open()) {
            while (cursor.next()) {
                assertTrue(cursor.length() > 0);
            }
            return cursor.completeness().limit();
        }
    }

    @Test
    void shouldOpenAndCloseWhenInterrupted() {
        Path store = temp.resolve("store");
        Path staging = temp.resolve("staging");
        Thread.currentThread().interrupt();
        Loom.open(PushingProcess.config(store).stagingDirectory(staging).build())
                .close();
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        assertArrayEquals(new String[0], staging.toFile().list());
        try (Loom loom = open(store)) {
            push(loom, 10);
            assertArrayEquals(counts, oracle.count(loom));
        }
    }

    @Test
    void shouldSayThatItIsClosedWhenUsedAfterwards() {
        Path store = temp.resolve("store");
        Loom loom = open(store);
        push(loom, 10);
        int id = loom.source(StoreOracle.name(0)).orElseThrow().id();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        Snapshot snapshot = loom.snapshot();
        QueryCursor cursor = RawScan.of(snapshot, id).open();
        LoomReader reader = LoomReader.attach(store);
        snapshot.close();
        snapshot.close();
        assertTrue(cursor.next(), "a cursor may outlive its snapshot");
        cursor.close();
        cursor.close();
        reader.close();
        reader.close();
        loom.close();
        loom.close();
        for (Executable use : List.<Executable>of(
                () -> loom.push(id, new byte[8]),
                () -> loom.offer(id, payload, 0, 8),
                () -> loom.pushBatch(id, payload, 0, new int[] {8}, 1),
                () -> loom.claim(id, 8),
                loom::force,
                () -> loom.defineSource("later", Formats.parse("bytes")),
                () -> loom.closeSource(id),
                loom::snapshot,
                loom::info,
                reader::snapshot,
                reader::info,
                () -> RawScan.of(snapshot, id).open(),
                () -> snapshot.statistics(id),
                snapshot::beginAddress,
                snapshot::lastTimeNs,
                cursor::next,
                cursor::completeness)) {
            IllegalStateException closed = assertThrows(IllegalStateException.class, use);
            assertTrue(String.valueOf(closed.getMessage()).contains("closed"), closed::getMessage);
        }
        assertFalse(loom.sources().isEmpty(), "what was defined is known");
        assertArrayEquals(counts, oracle.count(store));
    }

    @Test
    void shouldRefuseARecordThatWasClaimedBeforeTheStoreWasClosed() {
        Path store = temp.resolve("store");
        Loom loom = open(store);
        push(loom, 10);
        loom.claim(loom.source(StoreOracle.name(0)).orElseThrow().id(), 8);
        loom.close();
        assertThrows(IllegalStateException.class, () -> loom.claimed().commit());
        assertArrayEquals(counts, oracle.count(store));
        open(store).close();
        assertArrayEquals(counts, oracle.count(store));
    }
}
