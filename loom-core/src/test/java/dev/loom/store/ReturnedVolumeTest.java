package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.JavaProcess;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.WriterProcess;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.error.CorruptStoreException;
import dev.loom.io.FileId;
import dev.loom.io.MountPoint;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Watermarks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A killed store whose file system comes back, in the same boot, under another device number. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReturnedVolumeTest {
    private static final int RECORDS = 1_000;
    private static final int LATER = 700;
    /** Less than the eight pages that the ring has. */
    private static final int PAGES_FULL = 7_000;

    @TempDir
    Path temp;

    @TempDir
    Path staging;

    /** A file system in a file, which is attached as another device each time. */
    private final class Volume implements AutoCloseable {
        private final String uuid;
        private final Path image;
        private final Path point;
        private final List<String> devices = new ArrayList<>();

        Volume(String name, String uuid) throws IOException {
            this.uuid = uuid;
            this.image = temp.resolve(name + ".img");
            this.point = Files.createDirectory(temp.toRealPath().resolve(name));
        }

        void format() {
            assumeTrue(run("truncate", "-s", "64M", image.toString()) != null);
            assumed("mkfs.ext4", "-q", "-U", uuid, image.toString());
        }

        void mount(Path at) {
            String device = assumed("losetup", "-f", "--show", image.toString());
            devices.add(device);
            // as udev does, which no container has
            assumed("mkdir", "-p", "/dev/disk/by-uuid");
            assumed("ln", "-sf", device, link());
            assumed("mount", device, at.toString());
        }

        void mount() {
            mount(point);
        }

        /** Detaches it, and lets something else have its device. */
        void detach(Path from) throws IOException {
            assertTrue(run("umount", from.toString()) != null);
            String device = devices.get(devices.size() - 1);
            assertTrue(run("losetup", "-d", device) != null);
            Path other = Files.createTempFile(temp, "other", ".img");
            assumed("truncate", "-s", "1M", other.toString());
            assumed("losetup", device, other.toString());
        }

        void detach() throws IOException {
            detach(point);
        }

        private String link() {
            return "/dev/disk/by-uuid/" + uuid;
        }

        Path store() {
            return point.resolve("store");
        }

        @Override
        public void close() {
            run("umount", "--lazy", point.toString());
            for (String device : devices) {
                run("losetup", "-d", device);
            }
            run("rm", "-f", link());
            run("rmdir", "/dev/disk/by-uuid", "/dev/disk"); // unless others are in there
        }
    }

    /** The output; null if it fails. */
    private static @Nullable String run(String... command) {
        try {
            Process process = new ProcessBuilder(command).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            return process.onExit().join().exitValue() == 0 ? output : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String assumed(String... command) {
        String output = run(command);
        assumeTrue(output != null, () -> "left out, as this user can't run it: " + Arrays.toString(command));
        return String.valueOf(output);
    }

    private void killedWriter(Path store, String... starter) throws IOException {
        try (JavaProcess writer = JavaProcess.startBy(List.of(starter), WriterProcess.class, store, staging)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push " + RECORDS));
            assertEquals("ok", writer.ask("force"));
            assertEquals("ok", writer.ask("push " + LATER));
            writer.kill();
        }
    }

    private Loom open(Path store) {
        return Loom.open(WriterProcess.config(store).stagingDirectory(staging).build());
    }

    private static long records(Path store) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.statistics(snapshot.source("written").orElseThrow().id())
                    .records();
        }
    }

    private static long readable(Path store) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot();
                RecordCursor records = snapshot.oldestFirst(
                        snapshot.source("written").orElseThrow().id(), Long.MIN_VALUE, Long.MAX_VALUE)) {
            long read = 0;
            while (records.next()) {
                read++;
            }
            return read;
        }
    }

    private void assertRefused(Path store) {
        assertThrows(CorruptStoreException.class, () -> open(store));
        assertThrows(CorruptStoreException.class, () -> LoomReader.attach(store));
    }

    @Test
    void shouldRecoverAStoreWhoseVolumeWasAttachedAgain() throws IOException {
        try (Volume volume = new Volume("volume", UUID.randomUUID().toString())) {
            volume.format();
            volume.mount();
            killedWriter(volume.store());
            FileId before = FileId.of(new StoreFiles(volume.store()).mark());
            volume.detach();
            volume.mount();
            FileId after = FileId.of(new StoreFiles(volume.store()).mark());
            assertNotEquals(before.device(), after.device());
            assertEquals(before.inode(), after.inode());
            assertEquals(RECORDS + LATER, records(volume.store()));
            open(volume.store()).close();
            assertEquals(RECORDS + LATER, records(volume.store()));
        }
    }

    /** A volume that is detached by force has lost what was written last, of which the rings still have copies. */
    @Test
    void shouldWriteAgainWhatTheVolumeMayHaveLost() throws IOException {
        try (Volume volume = new Volume("volume", UUID.randomUUID().toString())) {
            volume.format();
            volume.mount();
            Path kept = temp.resolve("kept.img");
            try (JavaProcess writer = JavaProcess.start(WriterProcess.class, volume.store(), staging)) {
                assertEquals("ok", writer.ask("open"));
                assertEquals("ok", writer.ask("push " + RECORDS));
                assertEquals("ok", writer.ask("force"));
                assumed("sync", "-f", volume.store().toString());
                Files.copy(volume.image, kept);
                Staging live = staging(volume.store());
                Watermarks records = live.live().watermarks(LogKind.RECORD);
                long durable = records.durableAcquire();
                assertEquals("ok", writer.ask("push " + PAGES_FULL));
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                while (records.evictedAcquire() == durable && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                writer.kill();
                boolean unsynced = records.evictedAcquire() > durable && records.durableAcquire() == durable;
                live.unmap();
                assumeTrue(unsynced, "left out, as the writer had synced already");
            }
            volume.detach();
            Files.copy(kept, volume.image, StandardCopyOption.REPLACE_EXISTING);
            volume.mount();
            open(volume.store()).close();
            assertEquals(RECORDS + PAGES_FULL, readable(volume.store()));
        }
    }

    private static Staging staging(Path store) {
        Mark mark = new MarkFile(Storage.DISK, new StoreFiles(store).mark()).read();
        return Objects.requireNonNull(Staging.openTrusted(Storage.DISK, mark, Platform.bootId()));
    }

    /** As a snapshot of the volume is: the same UUID, and the same inodes. */
    @Test
    void shouldRefuseACopyOfTheVolume() throws IOException {
        String uuid = UUID.randomUUID().toString();
        try (Volume volume = new Volume("volume", uuid);
                Volume copy = new Volume("copy", uuid)) {
            volume.format();
            volume.mount();
            try (JavaProcess writer = JavaProcess.start(WriterProcess.class, volume.store(), staging)) {
                assertEquals("ok", writer.ask("open"));
                assertEquals("ok", writer.ask("push " + RECORDS));
                assertEquals("ok", writer.ask("force"));
                assumed("sync", "-f", volume.store().toString());
                Files.copy(volume.image, copy.image);
                copy.mount();
                assertRefused(copy.store());
                copy.detach();
                pause(writer); // it would find another store at its place, and write no more
                copy.mount(volume.point);
                assertRefused(volume.store());
                copy.detach(volume.point);
                writer.signal("CONT");
                assertEquals("ok", writer.ask("push " + LATER));
                writer.kill();
            }
            copy.mount();
            assertRefused(copy.store());
            open(volume.store()).close();
            assertEquals(RECORDS + LATER, records(volume.store()));
        }
    }

    private static void pause(JavaProcess process) throws IOException {
        process.signal("STOP");
        while (!Files.readString(Path.of("/proc/" + process.pid() + "/stat")).contains(") T ")) {
            Thread.onSpinWait();
        }
    }

    /** Lets the mark say that its file was on another device. */
    private static void moveToAnotherDevice(Path store) {
        MarkFile file = new MarkFile(Storage.DISK, new StoreFiles(store).mark());
        Mark mark = file.read();
        FileId moved = new FileId(mark.file().device() + 1, mark.file().inode());
        file.write(MarkForgery.inFile(mark, moved));
    }

    @Test
    void shouldRefuseWhatCanNotBeToldFromACopyUntilItsRingsAreGone() throws IOException {
        Path store = temp.toRealPath().resolve("store");
        killedWriter(store);
        moveToAnotherDevice(store);
        assertRefused(store);
        deleteRings();
        assertEquals(RECORDS, records(store));
        open(store).close();
        assertEquals(RECORDS, records(store));
    }

    private void deleteRings() throws IOException {
        try (Stream<Path> files = Files.walk(staging)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!each.equals(staging)) {
                    Files.delete(each);
                }
            }
        }
    }

    /** As a pod's volume does, which comes back to another one: nothing is known of the process, and its rings are gone with it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldOpenWhatAnotherContainerLeft(boolean repair) throws IOException {
        try (Volume volume = new Volume("volume", UUID.randomUUID().toString())) {
            volume.format();
            volume.mount();
            assumed("unshare", "--pid", "--fork", "true");
            killedWriter(volume.store(), "unshare", "--pid", "--fork");
            deleteRings();
            volume.detach();
            volume.mount();
            if (repair) {
                StoreVerifier.repair(volume.store(), (file, offset, reason, copy) -> {}, (done, total) -> true);
            } else {
                open(volume.store()).close();
            }
            assertEquals(RECORDS, records(volume.store()));
        }
    }

    private static StoreHome home(String directory, long device, long inode, String fileSystem, long rootInode) {
        return new StoreHome(
                Path.of(directory),
                new FileId(device, inode),
                new MountPoint(Path.of("/data"), fileSystem),
                new FileId(device, rootInode));
    }

    @Test
    void shouldKnowAFileSystemByItsUuidAndItsPlace() {
        StoreHome then = home("/data/store", 7, 12, "0000-1111", 2);
        assertTrue(then.cameBackAs(home("/data/store", 8, 12, "0000-1111", 2)));
        assertFalse(then.cameBackAs(home("/data/moved", 8, 12, "0000-1111", 2)));
        assertFalse(then.cameBackAs(home("/data/store", 8, 13, "0000-1111", 2)));
        assertFalse(then.cameBackAs(home("/data/store", 8, 12, "0000-2222", 2)));
        assertFalse(then.cameBackAs(home("/data/store", 8, 12, "0000-1111", 3)));
        for (String unknown : List.of("", "root", "tmpfs", "ramfs")) {
            StoreHome there = home("/data/store", 7, 12, unknown, 2);
            assertFalse(there.cameBackAs(home("/data/store", 8, 12, unknown, 2)), unknown);
        }
        StoreHome mounted =
                new StoreHome(then.directory(), then.mark(), new MountPoint(Path.of("/"), "0000-1111"), then.mountId());
        assertFalse(then.cameBackAs(mounted));
        StoreHome unknown = new StoreHome(then.directory(), then.mark(), null, FileId.NONE);
        assertFalse(unknown.cameBackAs(unknown));
    }
}
