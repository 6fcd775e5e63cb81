package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders: those that are made, and those whose entries can't be read, though they can be opened. And files that must exist. */
final class DiskStorageTest {
    @Test
    void shouldFailAsItDoesWhereAFolderCannotBeOpened() {
        IOException failure = new IOException("injected");
        Stream<Path> entries = Stream.of(Path.of("a"), Path.of("b")).peek(entry -> {
            if (entry.toString().equals("b")) {
                throw new UncheckedIOException(failure);
            }
        });
        assertSame(failure, assertThrows(IOException.class, () -> DiskStorage.sorted(entries)));
    }

    @Test
    void shouldCreateADirectoryOnlyWhereSomethingIs(@TempDir Path temp) throws IOException {
        Path directory = temp.resolve("store").resolve("text");
        StoreIoException failure = assertThrows(StoreIoException.class, () -> Storage.DISK.createDirectory(directory));
        assertTrue(String.valueOf(failure.getMessage()).contains("directory=" + directory), failure::getMessage);
        assertFalse(Files.exists(directory.getParent()), "a store that was moved away does not come back");
        Files.createDirectory(directory.getParent());
        Storage.DISK.createDirectory(directory);
        Storage.DISK.createDirectory(directory);
        assertTrue(Files.isDirectory(directory));
        Path file = Files.createFile(temp.resolve("file"));
        assertThrows(StoreIoException.class, () -> Storage.DISK.createDirectory(file));
    }

    @Test
    void shouldRewriteOnlyAFileThatExists(@TempDir Path temp) throws IOException {
        Path file = temp.resolve("mark");
        assertThrows(StoreIoException.class, () -> Storage.DISK.openToRewrite(file));
        assertFalse(Files.exists(file), "what was moved away does not come back empty");
        Files.writeString(file, "12345");
        try (LoomFile open = Storage.DISK.openToRewrite(file)) {
            open.write(ByteBuffer.wrap(new byte[] {'6'}), 1);
        }
        assertEquals("16345", Files.readString(file));
    }

    @Test
    void shouldListInOrder() throws IOException {
        assertEquals(List.of(Path.of("a"), Path.of("b")), DiskStorage.sorted(Stream.of(Path.of("b"), Path.of("a"))));
    }
}
