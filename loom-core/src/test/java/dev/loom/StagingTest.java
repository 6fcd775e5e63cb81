package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where staging goes, what does not fit or is no place for it, and what killed openings leave. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StagingTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path staging = Path.of("");

    @BeforeEach
    void place() {
        store = temp.resolve("store");
        staging = temp.resolve("staging");
    }

    /** The disk, of which some directories say that they are of another type, or have less room. */
    private static final class Place extends HookedStorage {
        private final Map<Path, String> types;
        private final Map<Path, Long> rooms;

        Place(Map<Path, String> types, Map<Path, Long> rooms) {
            this.types = types;
            this.rooms = rooms;
        }

        @Override
        public String fileSystemType(Path directory) {
            String type = types.get(directory);
            return type == null ? DISK.fileSystemType(directory) : type;
        }

        @Override
        public long usableSpace(Path directory) {
            Long room = rooms.get(directory);
            return room == null ? DISK.usableSpace(directory) : room;
        }
    }

    private LoomConfig.Builder in(Map<Path, String> types, Map<Path, Long> rooms) {
        return LoomConfig.at(store).stagingDirectory(staging).storage(new Place(types, rooms));
    }

    private LoomConfig.Builder withRoom(long bytes) {
        return in(Map.of(), Map.of(staging, bytes));
    }

    @Test
    void shouldTakeSmallerRingsWhenThereIsNoRoomAndTheWantedOnesOnceThereIs() {
        try (Loom loom = Loom.open(withRoom(64 * MIB).build())) {
            WriterProcess.push(loom, 20_000);
            assertEquals(32 * MIB, loom.info().records().ringBytes());
            String note = loom.info().session().orElseThrow().stagingFallback().orElseThrow();
            assertTrue(note.contains("directory=" + staging) && note.contains("free=" + 64 * MIB), note);
        }
        try (Loom loom = Loom.open(withRoom(24 * MIB).build())) {
            WriterProcess.push(loom, 20_000);
            assertEquals(8 * MIB, loom.info().records().ringBytes());
        }
        try (Loom loom = Loom.open(withRoom(1 << 30).build())) {
            WriterProcess.push(loom, 20_000);
            assertEquals(128 * MIB, loom.info().records().ringBytes());
            assertEquals(8 * MIB, loom.info().chunks().ringBytes());
            assertFalse(loom.info().session().orElseThrow().stagingFallback().isPresent());
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(
                    60_000,
                    reader.snapshot()
                            .statistics(reader.source("written").orElseThrow().id())
                            .records());
        }
    }

    @Test
    void shouldTellReadersThatTheWriterHasClosed() {
        LoomReader attached;
        try (Loom loom = Loom.open(withRoom(24 * MIB).build())) {
            attached = LoomReader.attach(store);
            assertEquals(loom.info().storeId(), attached.info().storeId());
            assertEquals(StoreInfo.State.LIVE, attached.info().state());
        }
        try (LoomReader reader = attached) {
            assertEquals(StoreInfo.State.CLOSED, reader.info().state());
            assertTrue(reader.info().owner().isEmpty());
        }
    }

    @Test
    void shouldSayWhereHowMuchAndWhichSettingWhenItDoesNotFit() {
        for (LoomConfig config : List.of(
                withRoom(64 * MIB).recordRingBytes(128 << 20).build(),
                withRoom(10 * MIB).build())) {
            StoreIoException refused = assertThrows(StoreIoException.class, () -> Loom.open(config));
            String message = String.valueOf(refused.getMessage());
            for (String part : List.of(
                    "directory=" + staging,
                    "needed=1",
                    "free=",
                    "stagingDirectory",
                    "recordRingBytes",
                    "staging_directory")) {
                assertTrue(message.contains(part), message);
            }
        }
        assertEquals(0, count(staging), "something is left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"btrfs", "zfs", "bcachefs", "nilfs2", "nfs4", "fuse.sshfs", "9p"})
    void shouldRefuseStagingWhereItCanNotBeMappedSafely(String type) {
        UnsupportedStoreException refused = assertThrows(
                UnsupportedStoreException.class,
                () -> Loom.open(in(Map.of(staging, type), Map.of()).build()));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(staging.toString()) && message.contains("type=" + type), message);
        assertEquals(0, count(staging), "something is left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "9p", "virtiofs", "cifs", "smb3", "afs", "ceph", "lustre", "fuse.sshfs"})
    void shouldRefuseAStoreWhereOthersMaySeeOtherFiles(String type) throws IOException {
        store = temp.toRealPath().resolve("store");
        UnsupportedStoreException refused = assertThrows(
                UnsupportedStoreException.class,
                () -> Loom.open(in(Map.of(store, type), Map.of()).build()));
        assertTrue(String.valueOf(refused.getMessage()).contains("type=" + type), refused::getMessage);
        assertEquals(0, count(store), "something is left");
    }

    @Test
    void shouldRefuseStagingBesideTheStoreOnACopyOnWriteFileSystem() {
        Path memory = Path.of("/dev/shm");
        Path beside = store.resolve("staging");
        Storage storage = new Place(Map.of(beside, "btrfs", memory, "overlay"), Map.of());
        LoomConfig config = LoomConfig.at(store).storage(storage).build();
        assertThrows(UnsupportedStoreException.class, () -> Loom.open(config));
        assertEquals(0, count(beside), "something is left");
    }

    private static long count(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void shouldDeleteWhatKilledOpeningsHaveLeft() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("StagingTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        int left = 0;
        for (int i = 0; i < 8; i++) {
            Path place = i % 2 == 0 ? staging : store.resolve("staging");
            try (JavaProcess process = JavaProcess.start(WriterProcess.class, store, place)) {
                process.tell("open");
                long before = count(place);
                long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
                while (count(place) == before && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                LockSupport.parkNanos(random.nextInt(20_000_000));
                process.kill();
            }
            left = Math.max(left, (int) (count(staging) + count(store.resolve("staging"))));
        }
        assertTrue(left > 0, "no kill has left anything");
        Loom.open(WriterProcess.config(store).stagingDirectory(staging).build()).close();
        assertEquals(0, count(staging), "where it was asked for");
        assertEquals(0, count(store.resolve("staging")), "beside the store");
        assertEquals(0, count(store.resolve("owner")), "claims");
    }

    @Test
    void shouldLeaveTheStagingOfTheOriginalWhenACopyIsAdopted() throws IOException {
        Path copy = temp.resolve("copy");
        try (JavaProcess other = JavaProcess.start(WriterProcess.class, store, staging)) {
            assertEquals("ok", other.ask("open"));
            assertEquals("ok", other.ask("push 100"));
            try (Stream<Path> files = Files.walk(store)) {
                for (Path file : files.toList()) {
                    Files.copy(file, copy.resolve(store.relativize(file).toString()));
                }
            }
            Loom.open(WriterProcess.config(copy)
                            .stagingDirectory(staging)
                            .adoptCopy(true)
                            .build())
                    .close();
            assertEquals(1, count(staging));
            other.kill();
        }
        Loom.open(WriterProcess.config(copy).stagingDirectory(staging).build()).close();
        Loom.open(WriterProcess.config(store).stagingDirectory(staging).build()).close();
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(
                    100,
                    reader.snapshot()
                            .statistics(reader.source("written").orElseThrow().id())
                            .records());
        }
    }

    /** A copy of a closed store has its name, but is another's to write. */
    @Test
    void shouldLeaveTheStagingOfACopyThatIsWritten() throws IOException {
        Loom.open(WriterProcess.config(store).stagingDirectory(staging).build()).close();
        Path copy = temp.resolve("copy");
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(store.relativize(file).toString()));
            }
        }
        try (JavaProcess other = JavaProcess.start(WriterProcess.class, copy, staging)) {
            assertEquals("ok", other.ask("open"));
            assertEquals("ok", other.ask("push 100"));
            Loom.open(WriterProcess.config(store).stagingDirectory(staging).build())
                    .close();
            assertEquals(1, count(staging));
            try (LoomReader reader = LoomReader.attach(copy)) {
                assertNotNull(reader.snapshot());
                assertEquals(StoreInfo.State.LIVE, reader.info().state());
            }
            other.kill();
        }
        Loom.open(WriterProcess.config(store).stagingDirectory(staging).build()).close();
        assertEquals(1, count(staging), "what a killed writer has pushed is its store's to take");
    }
}
