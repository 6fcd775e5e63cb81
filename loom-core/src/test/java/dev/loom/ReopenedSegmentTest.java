package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reader whose segment is opened again, as an interrupt has closed it, finds the compressed one in its place. */
@Timeout(60)
final class ReopenedSegmentTest {
    private static final long SEGMENT = 4 << 16;
    private static final String NAME = "0".repeat(20) + ".seg";

    private final AtomicBoolean mayReplace = new AtomicBoolean();
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @TempDir
    Path temp;

    private final class Disk extends HookedStorage {
        @Override
        public void rename(Path file, Path name) {
            if (!mayReplace.get() && name.endsWith(NAME)) {
                throw new StoreIoException("injected: file=" + file);
            }
            super.rename(file, name);
        }

        @Override
        public LoomFile openToRead(Path file) {
            return file.endsWith(Path.of("record", NAME)) ? new ReopenedFile(file) : super.openToRead(file);
        }
    }

    /** One that each read opens again by its path, once interrupted. */
    private final class ReopenedFile implements LoomFile {
        private final Path path;
        private LoomFile file;

        ReopenedFile(Path path) {
            this.path = path;
            this.file = Storage.DISK.openToRead(path);
        }

        @Override
        public Path path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            if (interrupted.get()) {
                file.close();
                file = Storage.DISK.openToRead(path);
            }
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            file.write(source, position);
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
        }

        @Override
        public void force() {
            file.force();
        }

        @Override
        public MappedByteBuffer map(boolean writable, long position, long length) {
            return file.map(writable, position, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldReadTheRest() {
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"),
                new Disk(),
                config -> config.segmentBytes(SEGMENT)
                        .minFreeBytes(0)
                        .compressAfter(Duration.ZERO)
                        .compressionShare(1))) {
            int source = loom.defineSource("lines", Formats.text());
            int pushed = 0;
            while (loom.info().records().tail() < 5 * SEGMENT) {
                loom.push(source, new byte[10_000]);
                pushed++;
            }
            loom.force();
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor cursor = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertTrue(cursor.next());
                mayReplace.set(true);
                File segment =
                        temp.resolve("store").resolve("record").resolve(NAME).toFile();
                await(() -> segment.length() < SEGMENT);
                interrupted.set(true);
                int read = 1;
                while (cursor.next()) {
                    read++;
                }
                assertEquals(pushed, read);
            }
        }
    }
}
