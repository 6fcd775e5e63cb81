package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that is really full, and then has room again. Left out where the user can't mount one. */
class FullDiskTest {
    private static final long SEED = 31;
    private static final int SOURCES = 2;
    private static final long DISK_BYTES = 12 << 20;
    private static final int DISK_FILES = 500;

    private final StoreOracle oracle = new StoreOracle(SEED, SOURCES);
    private final long[] counts = new long[SOURCES];
    private final long[] dropped = new long[SOURCES];

    @TempDir
    Path temp;

    private Mount disk;
    private Path store = Path.of("");

    @BeforeEach
    void mount() throws IOException {
        disk = Mount.tmpfs(Files.createDirectory(temp.resolve("disk")), DISK_BYTES, DISK_FILES);
        store = disk.target().resolve("store");
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
    }

    private Loom open(Pressure pressure) {
        return open(pressure, 0);
    }

    private Loom open(Pressure pressure, long minFreeBytes) {
        return Loom.open(PushingProcess.config(store)
                .pressure(pressure)
                .maxBytes(LoomConfig.UNLIMITED)
                .segmentBytes(256 << 10)
                .minFreeBytes(minFreeBytes)
                .build());
    }

    private Path filler() {
        return disk.target().resolve("filler");
    }

    /** Fills the disk to its last byte. */
    private void fill() throws IOException {
        try (FileChannel file = FileChannel.open(filler(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int length = 1 << 20; length > 0; length /= 2) {
                boolean room = true;
                while (room) {
                    try {
                        room = file.write(ByteBuffer.allocate(length), file.size()) == length;
                    } catch (IOException e) {
                        room = false;
                    }
                }
            }
        }
    }

    private void push(Loom loom, int records) {
        int[] ids = oracle.define(loom);
        for (int i = 0; i < records; i++) {
            int source = i % SOURCES;
            byte[] payload = CheckedPayload.make(SEED, source, counts[source]);
            long status = loom.push(ids[source], payload);
            assertTrue(status >= 0 || status == PushStatus.DROPPED);
            counts[source] += status >= 0 ? 1 : 0;
            dropped[source] += status >= 0 ? 0 : 1;
        }
    }

    private void offerUntilRefused(Loom loom) {
        int[] ids = oracle.define(loom);
        long status = 0;
        while (status >= 0) {
            byte[] payload = CheckedPayload.make(SEED, 0, counts[0]);
            status = loom.offer(ids[0], new UnsafeBuffer(payload), 0, payload.length);
            counts[0] += status >= 0 ? 1 : 0;
        }
        assertEquals(PushStatus.BACK_PRESSURED, status);
    }

    private void check(Store open) {
        try (Snapshot snapshot = open.snapshot()) {
            assertArrayEquals(counts, oracle.count(snapshot, dropped));
            for (int i = 0; i < SOURCES; i++) {
                int id = snapshot.source(StoreOracle.name(i)).orElseThrow().id();
                assertEquals(dropped[i], snapshot.statistics(id).lost(), "lost by statistics");
            }
        }
    }

    private void checkClosed() {
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
        }
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }

    @Test
    void shouldWaitForRoomAndGoOn() throws Exception {
        Loom loom = open(Pressure.WAIT);
        push(loom, 500);
        fill();
        offerUntilRefused(loom);
        StoreIoException full = assertThrows(StoreIoException.class, loom::force);
        assertTrue(String.valueOf(full.getMessage()).contains("No space"), full::getMessage);
        check(loom);
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
            assertTrue(reader.info().failure().orElseThrow().contains("No space"));
        }
        loom.releaseWriter();
        long before = LongStream.of(counts).sum();
        Thread pusher = new Thread(() -> push(loom, 2_000));
        pusher.start();
        while (pusher.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        Files.delete(filler());
        pusher.join();
        assertEquals(before + 2_000, LongStream.of(counts).sum(), "the pusher has ended early");
        loom.force();
        check(loom);
        loom.close();
        checkClosed();
    }

    /** Makes files until the file system has no inode left. Returns their folder. */
    private Path fillWithFiles() throws IOException {
        Path folder = Files.createDirectory(disk.target().resolve("files"));
        for (int i = 0; i < DISK_FILES; i++) {
            try {
                Files.createFile(folder.resolve("f" + i));
            } catch (IOException e) {
                return folder;
            }
        }
        throw new AssertionError("inodes without end");
    }

    @Test
    void shouldWaitForAFileAndGoOn() throws Exception {
        Loom loom = open(Pressure.WAIT);
        push(loom, 500);
        loom.force();
        Path files = fillWithFiles();
        offerUntilRefused(loom);
        StoreIoException full = assertThrows(StoreIoException.class, loom::force);
        assertTrue(String.valueOf(full.getMessage()).contains(".seg"), full::getMessage);
        check(loom);
        for (int i = 0; i < 20; i++) {
            Files.delete(files.resolve("f" + i));
        }
        loom.force();
        push(loom, 500);
        check(loom);
        loom.close();
        checkClosed();
    }

    @Test
    void shouldDeleteTheOldestSegmentsAndGoOnWhenOthersFillTheDisk() throws IOException {
        try (Loom loom = open(Pressure.WAIT, 1 << 20)) {
            push(loom, 4_000);
            loom.force();
            assertEquals(0, loom.info().records().begin());
            fill();
            push(loom, 4_000);
            loom.force();
            assertTrue(loom.info().records().begin() > 0, () -> loom.info().toString());
            Files.delete(filler());
            try (Snapshot snapshot = loom.snapshot()) {
                for (int source = 0; source < SOURCES; source++) {
                    checkNewest(snapshot, source);
                }
            }
        }
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }

    @Test
    void shouldDeleteTheOldestSegmentsWhenItOpensAStoreThatAFullDiskKeptFromClosing() throws IOException {
        Loom loom = open(Pressure.WAIT);
        push(loom, 4_000);
        loom.force();
        fill();
        offerUntilRefused(loom);
        assertThrows(StoreIoException.class, loom::close);
        assertThrows(StoreIoException.class, () -> open(Pressure.WAIT));
        try (Loom again = open(Pressure.WAIT, 1 << 20);
                Snapshot snapshot = again.snapshot()) {
            for (int source = 0; source < SOURCES; source++) {
                checkNewest(snapshot, source);
            }
        }
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }

    /** What is there are the source's newest records, one after the other. */
    private void checkNewest(Snapshot snapshot, int source) {
        int id = snapshot.source(StoreOracle.name(source)).orElseThrow().id();
        long next = counts[source];
        try (RecordCursor cursor = snapshot.newestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE)) {
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                assertArrayEquals(CheckedPayload.make(SEED, source, --next), payload);
            }
            assertEquals(0, cursor.damaged());
        }
        assertTrue(next > 0 && next < counts[source] - 10, "first=" + next);
        assertEquals(counts[source] - next, snapshot.statistics(id).records());
    }

    @Test
    void shouldDropTheNewestTellExactlyHowManyAndGoOn() throws IOException {
        Loom loom = open(Pressure.DROP_NEWEST);
        push(loom, 500);
        for (int round = 0; round < 3; round++) {
            fill();
            long before = dropped[0];
            push(loom, 4_000);
            assertTrue(dropped[0] > before);
            check(loom);
            Files.delete(filler());
            loom.force();
            push(loom, 300);
            check(loom);
        }
        loom.close();
        checkClosed();
    }

    @Test
    void shouldKeepAllWhenTheDiskIsFullAtClosingAndOpening() throws IOException {
        Loom loom = open(Pressure.WAIT);
        push(loom, 500);
        fill();
        offerUntilRefused(loom);
        assertThrows(StoreIoException.class, loom::close);
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
        }
        assertThrows(StoreIoException.class, () -> open(Pressure.WAIT));
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
        }
        Files.delete(filler());
        try (Loom again = open(Pressure.WAIT)) {
            check(again);
            push(again, 300);
        }
        checkClosed();
    }

    @Test
    void shouldMakeTheStoreOnceThereIsRoom() throws IOException {
        fill();
        assertThrows(StoreIoException.class, () -> open(Pressure.WAIT));
        Files.delete(filler());
        try (Loom loom = open(Pressure.WAIT)) {
            push(loom, 300);
        }
        checkClosed();
    }
}
