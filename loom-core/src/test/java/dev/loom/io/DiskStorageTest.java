package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Folders whose entries can't be read, though they can be opened. */
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
    void shouldListInOrder() throws IOException {
        assertEquals(List.of(Path.of("a"), Path.of("b")), DiskStorage.sorted(Stream.of(Path.of("b"), Path.of("a"))));
    }
}
