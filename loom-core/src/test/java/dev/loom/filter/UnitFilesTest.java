package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of files of units, and what is told by them alone. */
final class UnitFilesTest {
    /** The blocks of 4 KiB that a file may have beside its contents. */
    private static final long EXCESS = 2 * 4_096;

    @TempDir
    Path folder;

    private UnitFiles files = new UnitFiles(Storage.DISK, Path.of(""));

    @BeforeEach
    void open() {
        files = new UnitFiles(Storage.DISK, folder);
    }

    private Path write(int source, long start, long end, int units) throws IOException {
        return Files.write(files.path(source, start, end, units), new byte[(int) (end - start)]);
    }

    private List<Long> starts(int source) {
        return files.ofSource(source).stream().map(UnitFile::start).toList();
    }

    @Test
    void shouldLeaveOutWhatALargerFileHasReplaced() throws IOException {
        write(1, 0, 100, 1);
        write(1, 0, 300, 3);
        write(1, 100, 200, 1);
        write(1, 200, 300, 1);
        write(1, 400, 500, 1);
        write(1, 500, 600, 1);
        write(2, 0, 50, 1);
        Files.write(folder.resolve("00001-other.units3"), new byte[5]);
        assertEquals(List.of(0L, 400L, 500L), starts(1));
        assertEquals(3, files.ofSource(1).get(0).units());
        assertEquals(List.of(0L), starts(2));
        assertEquals(List.of(), starts(3));
    }

    /** As after a kill between the name of the larger file and the deletion of the others. */
    @Test
    void shouldDeleteWhatALargerFileHasReplaced() throws IOException {
        write(1, 0, 100, 1);
        write(1, 100, 200, 1);
        write(1, 0, 200, 2);
        write(2, 100, 200, 1);
        files.prepare(0, 1_000);
        assertEquals(2, files.all().size());
        assertEquals(List.of(0L), starts(1));
        assertEquals(2, files.ofSource(1).get(0).units());
        assertEquals(300 + 2 * EXCESS, files.bytes());
    }

    @Test
    void shouldKeepWhatLiesBetweenBeginAndTail() throws IOException {
        write(1, 0, 100, 1);
        write(1, 50, 150, 1);
        write(1, 900, 1_000, 1);
        write(1, 950, 1_001, 1);
        Files.write(UnitFiles.temporary(files.path(1, 150, 160, 1)), new byte[5]);
        files.prepare(100, 1_000);
        assertEquals(List.of(50L, 900L), starts(1));
        assertEquals(200 + 2 * EXCESS, files.bytes());
        files.deleteBelow(150);
        assertEquals(List.of(900L), starts(1));
        assertEquals(100 + 1 * EXCESS, files.bytes());
    }

    @Test
    void shouldRefuseOnlyUnitsOfLostRecordsThatItCanNotDelete() throws IOException {
        files = new UnitFiles(
                new HookedStorage() {
                    @Override
                    public void delete(Path file) {
                        throw new StoreIoException("injected failure: file=" + file);
                    }
                },
                folder);
        write(1, 0, 100, 1);
        write(1, 100, 200, 1);
        write(1, 100, 300, 2);
        Files.write(UnitFiles.temporary(files.path(1, 150, 160, 1)), new byte[5]);
        files.prepare(100, 300);
        assertThrows(StoreIoException.class, () -> files.prepare(100, 299));
    }

    @Test
    void shouldDeleteAllOthersWhereOneCanNotBeDeleted() throws IOException {
        files = new UnitFiles(
                new HookedStorage() {
                    @Override
                    public void delete(Path file) {
                        if (UnitFiles.UnitFile.of(file).orElseThrow().start() == 0) {
                            throw new StoreIoException("injected failure: file=" + file);
                        }
                        super.delete(file);
                    }
                },
                folder);
        write(1, 0, 100, 1);
        write(1, 100, 200, 1);
        write(1, 200, 300, 1);
        assertThrows(StoreIoException.class, () -> files.deleteBelow(200));
        assertEquals(List.of(0L, 200L), starts(1));
    }

    @Test
    void shouldDeleteFilesOfOtherVersions() throws IOException {
        Path first =
                Files.write(folder.resolve("00001-00000000000000000000-00000000000000000100-001.units"), new byte[5]);
        Path later =
                Files.write(folder.resolve("00001-00000000000000000000-00000000000000000100-001.units99"), new byte[5]);
        Path strange = Files.write(folder.resolve("notes.units"), new byte[5]);
        write(1, 0, 100, 1);
        assertEquals(List.of(0L), starts(1));
        files.prepare(0, 1_000);
        assertFalse(Files.exists(first));
        assertFalse(Files.exists(later));
        assertTrue(Files.exists(strange));
        assertEquals(List.of(0L), starts(1));
        assertEquals(100 + EXCESS, files.bytes());
    }

    @Test
    void shouldCountFilesThatOthersDeleted() throws IOException {
        Path first = write(1, 0, 100, 1);
        write(1, 100, 250, 1);
        files.prepare(0, 1_000);
        assertEquals(250 + 2 * EXCESS, files.bytes());
        Files.delete(first);
        files.recount();
        assertEquals(150 + 1 * EXCESS, files.bytes());
    }

    @Test
    void shouldKeepItsCountWhileFilesCannotBeLookedAt() throws IOException {
        AtomicBoolean refusing = new AtomicBoolean();
        files = new UnitFiles(
                new HookedStorage() {
                    @Override
                    public LoomFile openToRead(Path file) {
                        if (refusing.get()) {
                            throw new StoreIoException("injected: too many open files");
                        }
                        return super.openToRead(file);
                    }
                },
                folder);
        write(1, 0, 100, 1);
        Path second = write(1, 100, 250, 1);
        files.prepare(0, 1_000);
        refusing.set(true);
        Files.delete(second);
        files.recount();
        assertEquals(250 + 2 * EXCESS, files.bytes());
        refusing.set(false);
        files.recount();
        assertEquals(100 + 1 * EXCESS, files.bytes());
    }

    @Test
    void shouldNameFilesAlikeInEveryLocale() throws IOException {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            write(1, 0, 100, 1);
        } finally {
            Locale.setDefault(before);
        }
        String name = Storage.DISK.list(folder).get(0).getFileName().toString();
        assertEquals("00001-00000000000000000000-00000000000000000100-001.units3", name);
        assertEquals(List.of(0L), starts(1));
    }
}
