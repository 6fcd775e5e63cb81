package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.StoreAccess;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where staging goes, with which rings, and what the owner is told of it. */
final class StagingPlacesTest {
    private static final Path TMPFS = Path.of("/dev/shm");
    private static final Rings WANTED = new Rings(4 << 20, 1 << 20, 1 << 20);
    private static final Rings LESS = new Rings(2 << 20, 1 << 20, 1 << 20);
    private static final Rings LEAST = new Rings(1 << 20, 1 << 20, 1 << 20);

    @TempDir
    Path temp;

    /** File systems as the test says. */
    private static final class Places extends HookedStorage {
        private final Map<Path, Long> usable = new HashMap<>();
        private final Map<Path, String> types = new HashMap<>();
        private @Nullable Path full;
        private String fullFrom = "";

        @Override
        public long usableSpace(Path directory) {
            return usable.getOrDefault(directory, Long.MAX_VALUE);
        }

        @Override
        public String fileSystemType(Path directory) {
            return types.getOrDefault(directory, "ext4");
        }

        @Override
        public LoomFile openToWrite(Path file, boolean direct) {
            if ((full != null && file.startsWith(full)) || file.endsWith(fullFrom)) {
                throw new StoreIoException("injected failure: file=" + file);
            }
            return super.openToWrite(file, direct);
        }
    }

    private final Places storage = new Places();

    private Path asked() {
        return temp.resolve("asked");
    }

    private Path beside() {
        return temp.resolve("beside");
    }

    /** Makes staging, and returns where, with which rings, and the note. */
    private List<@Nullable Object> create(@Nullable Path place) {
        Mark.Owner owner = new Mark.Owner(ProcessId.current(), Platform.bootId(), "host");
        Staging staging = new StagingPlaces(storage, place, beside())
                .create(
                        new Staging.Request(7, 9, 1, owner, StoreHome.of(new StoreFiles(temp))),
                        List.of(WANTED, LESS, LEAST));
        try {
            Rings rings = new Rings(
                    staging.rings().get(0).length(),
                    staging.rings().get(1).length(),
                    staging.rings().get(2).length());
            return Arrays.asList(staging.directory().getParent(), rings, staging.note());
        } finally {
            staging.unmap();
            staging.delete(storage);
        }
    }

    @Test
    void shouldBeWhereItWasAskedFor() {
        List<@Nullable Object> made = create(asked());
        assertEquals(asked(), made.get(0));
        assertEquals(WANTED, made.get(1));
        assertNull(made.get(2));
        assertFalse(Files.exists(beside()));
    }

    @Test
    void shouldHaveTheLargestRingsThatFit() {
        for (Rings fitting : List.of(WANTED, LESS, LEAST)) {
            storage.usable.put(asked(), Staging.length(fitting));
            List<@Nullable Object> made = create(asked());
            assertEquals(asked(), made.get(0));
            assertEquals(fitting, made.get(1));
            String note = String.valueOf(made.get(2));
            assertEquals(
                    fitting.equals(WANTED)
                            ? "null"
                            : "rings reduced for lack of room: directory=" + asked() + ", needed="
                                    + Staging.length(WANTED) + ", free=" + Staging.length(fitting) + ", record ring="
                                    + fitting.record() + " of " + WANTED.record() + ", chunk ring=1048576 of 1048576",
                    note);
        }
    }

    @Test
    void shouldSayWhatIsNeededWhenThereIsNoRoomWhereItWasAskedFor() {
        long free = Staging.length(LEAST) - 1;
        storage.usable.put(asked(), free);
        String message =
                assertThrows(StoreIoException.class, () -> create(asked())).getMessage();
        assertTrue(
                message.startsWith("no room for staging: directory=" + asked() + ", needed=" + Staging.length(WANTED)
                        + ", at least=" + Staging.length(LEAST) + ", free=" + free),
                message);
        assertFalse(message.contains("reason="), message);
        assertTrue(message.contains("stagingDirectory"), message);
    }

    /** On tmpfs, what is mapped keeps its room though it was deleted. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldLeaveTheRoomToSmallerRingsWhenOthersTakeItMeanwhile() throws IOException {
        storage.fullFrom = "time.ring"; // behind the first ring, the largest
        assertThrows(StoreIoException.class, () -> create(asked()));
        assertEquals(List.of(), storage.list(asked()), "nothing is left");
        String mapped = Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
        assertFalse(mapped.contains(asked().toRealPath().toString()), "no ring is mapped");
    }

    @Test
    void shouldSayWhyWhenTheRoomIsTakenMeanwhile() {
        storage.full = asked();
        StoreIoException failure = assertThrows(StoreIoException.class, () -> create(asked()));
        assertTrue(String.valueOf(failure.getMessage()).contains("reason=injected failure"), failure::getMessage);
        assertEquals(List.of(), storage.list(asked()), "nothing is left");
    }

    @Test
    void shouldRefuseAPlaceWhoseFilesCanNotBeMapped() {
        storage.types.put(asked(), "btrfs");
        assertThrows(UnsupportedStoreException.class, () -> create(asked()));
        storage.types.put(asked(), "nfs");
        assertThrows(UnsupportedStoreException.class, () -> create(asked()));
    }

    @Test
    void shouldBeBesideTheStoreWithoutTmpfs() {
        List<@Nullable Object> made = create(null);
        assertEquals(beside(), made.get(0));
        assertEquals(WANTED, made.get(1));
        String note = String.valueOf(made.get(2));
        assertTrue(note.startsWith("no tmpfs: directory=" + TMPFS), note);
        assertTrue(note.endsWith("; a disk that stalls can stop the writer"), note);
        storage.types.put(beside(), "btrfs");
        assertThrows(UnsupportedStoreException.class, () -> create(null));
    }

    @Test
    void shouldBeBesideTheStoreWhenTmpfsHasNoRoom() {
        storage.types.put(TMPFS, "tmpfs");
        storage.usable.put(TMPFS, 0L);
        List<@Nullable Object> made = create(null);
        assertEquals(beside(), made.get(0));
        storage.full = beside();
        String message =
                assertThrows(StoreIoException.class, () -> create(null)).getMessage();
        assertTrue(message.contains("; no room elsewhere either: no "), message);
    }

    private Path make(Path parent, String name) throws IOException {
        Path directory = parent.resolve(name);
        Files.createDirectories(directory);
        Files.createFile(directory.resolve("live"));
        return directory;
    }

    @Test
    void shouldDeleteWhatKilledSessionsLeftAndNothingElse() throws IOException {
        Path store = temp.resolve("store");
        StoreAccess.open(store, new SwitchedDisk(), builder -> builder.stagingDirectory(temp.resolve("last")))
                .close();
        Mark closed = new MarkFile(Storage.DISK, store.resolve("loom.mark")).read();
        String prefix = Staging.prefix(closed.storeId());
        Path killedPlace = temp.resolve("killed");
        Mark.Owner dead = new Mark.Owner(new ProcessId(1, 2, 3), "boot", "host");
        List<Claim.Other> killed = List.of(
                new Claim.Other(Path.of("abc"), ProcessId.Life.DEAD, false, killedPlace.toString(), dead),
                new Claim.Other(Path.of("abd"), ProcessId.Life.DEAD, false, "", dead));
        List<Path> stale = List.of(
                make(beside(), prefix + "1"),
                make(asked(), prefix + "abc"),
                make(asked(), prefix + "abd"),
                make(killedPlace, prefix + "abc"));
        List<Path> others = List.of(
                make(beside(), "other-1"),
                make(asked(), prefix + "1"),
                make(killedPlace, prefix + "1"),
                make(killedPlace, Staging.prefix(closed.storeId() + 1) + "abc"),
                make(temp.resolve("elsewhere"), prefix + "abc"));
        new StagingPlaces(Storage.DISK, asked(), beside()).deleteStale(closed, killed);
        stale.forEach(each -> assertFalse(Files.exists(each), each::toString));
        others.forEach(each -> assertTrue(Files.exists(each), each::toString));
    }
}
