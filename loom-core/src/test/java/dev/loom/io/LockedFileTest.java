package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
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

    @Test
    void shouldStayLockedWhenAnInterruptedThreadWritesOrLooks() throws IOException {
        Path path = directory.resolve("lock");
        Path other = Files.writeString(directory.resolve("other"), "its text");
        LockedFile file = Objects.requireNonNull(LockedFile.take(path));
        Thread.currentThread().interrupt();
        file.write("text".getBytes(StandardCharsets.US_ASCII));
        LockedFile.Look own = Objects.requireNonNull(LockedFile.look(path));
        LockedFile.Look others = Objects.requireNonNull(LockedFile.look(other));
        assertNull(LockedFile.look(directory.resolve("none")));
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        assertTrue(file.isOpen());
        assertTrue(own.here() && own.held());
        assertEquals(0, own.contents().length);
        assertFalse(others.here() || others.held());
        assertEquals("its text", new String(others.contents(), StandardCharsets.US_ASCII));
        file.close();
        assertFalse(file.isOpen());
        assertEquals("text", Files.readString(path));
    }

    /** Whoever looks must not open what is just being locked: closing it would drop the lock. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldKeepTheLockWhileOthersLook() throws Exception {
        Path path = directory.resolve("lock");
        AtomicBoolean ended = new AtomicBoolean();
        Thread looking = new Thread(() -> {
            while (!ended.get()) {
                LockedFile.look(path);
            }
        });
        looking.start();
        try {
            for (int i = 0; i < 2_000; i++) {
                LockedFile file = Objects.requireNonNull(LockedFile.take(path));
                // nobody in this process can tell whether the kernel has the lock but by what the kernel lists
                Set<String> locks = locks(path);
                for (int again = 0; again < 100 && locks.size() != 1; again++) {
                    locks = locks(path); // the list is not read at once, and others' locks move it meanwhile
                }
                assertEquals(1, locks.size(), "round " + i + ": " + locks); // of both bytes
                file.close();
            }
        } finally {
            ended.set(true);
            looking.join();
        }
    }

    /** The locks of this process that the kernel lists for a file, without their numbers. */
    private static Set<String> locks(Path path) throws IOException {
        String inode = ":" + Files.getAttribute(path, "unix:ino") + " ";
        String process = " " + Platform.pid() + " ";
        return Files.readAllLines(Path.of("/proc/locks")).stream()
                .filter(line -> line.contains(inode) && line.contains(process) && line.contains("WRITE"))
                .map(line -> line.substring(line.indexOf(':')))
                .collect(Collectors.toSet());
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
