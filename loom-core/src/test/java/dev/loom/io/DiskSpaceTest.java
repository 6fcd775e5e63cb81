package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskSpaceTest {
    /** A file system without any room, wherever Linux runs. */
    private static final Path FULL = Path.of("/proc");

    @TempDir
    private Path directory;

    @Test
    void shouldKnowTheRoomOfEachDirectoryInTurns() {
        for (int i = 0; i < 3; i++) {
            assertTrue(Storage.DISK.usableSpace(directory) > 0);
            assertEquals(0, Storage.DISK.usableSpace(FULL));
        }
    }

    @Test
    void shouldKnowTheRoomOfAnotherFileSystemInTheSamePlace() throws IOException {
        Path place = Files.createSymbolicLink(directory.resolve("place"), directory);
        assertTrue(Storage.DISK.usableSpace(place) > 0);
        Files.delete(place);
        Files.createSymbolicLink(place, FULL);

        assertEquals(0, Storage.DISK.usableSpace(place));
    }

    @Test
    void shouldSayThatADirectoryThatItKnewIsGone() throws IOException {
        Path gone = Files.createDirectory(directory.resolve("gone"));
        assertTrue(Storage.DISK.usableSpace(gone) > 0);
        Files.delete(gone);

        assertThrows(StoreIoException.class, () -> Storage.DISK.usableSpace(gone));
        assertTrue(Storage.DISK.usableSpace(directory) > 0);
    }
}
