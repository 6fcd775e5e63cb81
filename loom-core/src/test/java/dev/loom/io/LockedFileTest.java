package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class LockedFileTest {
    private static final int COLLECTIONS = 20;

    @TempDir
    Path directory;

    @Test
    void shouldBeHeldUntilItIsClosed() {
        Path path = directory.resolve("lock");
        LockedFile file = LockedFile.take(path);
        assertNotNull(file);
        assertTrue(LockedFile.isHeldHere(path));
        assertNull(LockedFile.take(path));
        file.close();
        file.close();
        assertFalse(LockedFile.isHeldHere(path));
        LockedFile again = LockedFile.take(path);
        assertNotNull(again);
        again.close();
    }

    /** Its inode would become that of another file, which then seemed to be locked. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldStayOpenWhenNobodyKnowsItAnyMore() throws IOException {
        Path path = directory.toRealPath().resolve("forgotten");
        assertNotNull(LockedFile.take(path));
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            assertTrue(isOpen(path), "collected");
        }
        assertTrue(LockedFile.isHeldHere(path));
    }

    private static boolean isOpen(Path path) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.anyMatch(descriptor -> {
                try {
                    return Files.readSymbolicLink(descriptor).equals(path);
                } catch (IOException e) {
                    return false; // closed meanwhile
                }
            });
        }
    }
}
