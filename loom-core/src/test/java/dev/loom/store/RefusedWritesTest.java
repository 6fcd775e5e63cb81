package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file system that has bytes free, and refuses to write. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class RefusedWritesTest {
    private static final long SEGMENT = 256 << 10;
    private static final int LENGTH = 1_000;

    /** With as many inodes or bytes left as the test says. */
    private static final class Disk extends HookedStorage {
        private final AtomicLong inodes = new AtomicLong(Long.MAX_VALUE);
        private volatile boolean frees = true;
        private volatile String refusal = "";

        @Override
        public LoomFile openToWrite(Path file, boolean direct) {
            if (file.toString().endsWith(".seg") && !Files.exists(file)) {
                if (inodes.get() == 0) {
                    FileSystemException cause =
                            new FileSystemException(file.toString(), null, "No space left on device");
                    throw new StoreIoException("file operation failed: operation=open, reason=" + cause, cause);
                }
                inodes.decrementAndGet();
            }
            return super.openToWrite(file, direct);
        }

        @Override
        public void delete(Path file) {
            super.delete(file);
            if (file.toString().endsWith(".seg")) {
                inodes.addAndGet(frees ? 1 : 0);
                refusal = frees ? "" : refusal;
            }
        }

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            if (file.toString().endsWith(".seg") && !refusal.isEmpty()) {
                IOException cause = new IOException(refusal);
                throw new StoreIoException("file operation failed: operation=write, reason=" + cause, cause);
            }
        }

        @Override
        public long usableSpace(Path directory) {
            return 1L << 40;
        }
    }

    @TempDir
    Path temp;

    private final Disk disk = new Disk();
    private Loom loom;
    private int source;

    /** A store of some segments. */
    @BeforeEach
    void open() {
        loom = open(1);
        source = loom.defineSource("source", Formats.bytes());
        fill(10);
    }

    @AfterEach
    void close() {
        disk.inodes.set(Long.MAX_VALUE);
        disk.refusal = "";
        loom.close();
    }

    private Path store() {
        return temp.resolve("store");
    }

    private Loom open(long minFree) {
        return StoreAccess.open(
                store(),
                disk,
                builder -> builder.segmentBytes(SEGMENT).minFreeBytes(minFree).rollupShare(0));
    }

    private void fill(int segments) {
        long end = loom.info().records().tail() + segments * SEGMENT;
        while (loom.info().records().tail() < end) {
            assertTrue(loom.push(source, new byte[LENGTH]) >= 0);
        }
        loom.force();
    }

    private long begin() {
        return loom.info().records().begin() / SEGMENT;
    }

    private void assertWhole() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store(), (file, offset, message) -> problems.add(file + "@" + offset + " " + message));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldDeleteTheOldestWhereThereAreNoInodes() {
        disk.inodes.set(0);
        fill(6);
        long begin = begin();
        assertTrue(begin >= 4 && begin <= 10, () -> "begin=" + begin);
        try (Snapshot snapshot = loom.snapshot()) {
            assertFalse(snapshot.statistics(source).records() == 0);
        }
        assertWhole();
    }

    @Test
    void shouldDeleteTheOldestAtTheLimitOfAQuota() {
        disk.refusal = "Disk quota exceeded";
        fill(1);
        assertEquals(1, begin());
        disk.refusal = "Disk quota exceeded";
        fill(1);
        assertEquals(2, begin());
        assertWhole();
    }

    /** As where others take what was freed. */
    @Test
    void shouldDeleteNoMoreWhereThatDoesNotHelp() {
        disk.frees = false;
        disk.refusal = "No space left on device";
        for (int i = 0; i < 5; i++) {
            loom.push(source, new byte[LENGTH]);
            assertThrows(StoreIoException.class, loom::force);
        }
        assertEquals(1, begin());
        disk.refusal = "";
        fill(1);
        disk.refusal = "No space left on device";
        loom.push(source, new byte[LENGTH]);
        assertThrows(StoreIoException.class, loom::force);
        assertEquals(2, begin(), "another write");
    }

    @Test
    void shouldDeleteNothingForADiskThatFails() {
        disk.refusal = "Input/output error";
        loom.push(source, new byte[LENGTH]);
        assertThrows(StoreIoException.class, loom::force);
        assertEquals(0, begin());
    }

    @Test
    void shouldDeleteNothingWhereTheStoreIsToStayWhole() {
        loom.close();
        loom = open(0);
        disk.refusal = "No space left on device";
        loom.push(source, new byte[LENGTH]);
        assertThrows(StoreIoException.class, loom::force);
        assertEquals(0, begin());
    }
}
