package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sector that the disk does not deliver stays in its segment, and those behind it are compressed. */
@Timeout(60)
final class UnreadableSegmentTest {
    private static final long SEGMENT = 4 << 16;

    @TempDir
    Path temp;

    private File segment(int number) {
        return temp.resolve("store")
                .resolve("record")
                .resolve(String.format("%020d.seg", number * SEGMENT))
                .toFile();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldCompressWhatLiesBehindIt() {
        AtomicInteger copies = new AtomicInteger();
        HookedStorage storage = new HookedStorage() {
            @Override
            protected void onRead(Path file) {
                if (file.endsWith(Path.of("record", segment(0).getName()))) {
                    throw new StoreIoException("injected: file=" + file);
                }
            }

            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                String name = file.getFileName().toString();
                if (name.endsWith(".tmp") && name.startsWith("0".repeat(20))) {
                    copies.incrementAndGet();
                }
                return super.openToWrite(file, direct);
            }
        };
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"),
                storage,
                config -> config.segmentBytes(SEGMENT)
                        .minFreeBytes(0)
                        .compressAfter(Duration.ZERO)
                        .compressionShare(1))) {
            int source = loom.defineSource("lines", Formats.text());
            while (loom.info().records().tail() < 5 * SEGMENT) {
                loom.push(source, new byte[10_000]);
            }
            loom.force();
            await(() -> segment(2).length() < SEGMENT || copies.get() > 2);
            assertEquals(1, copies.get());
            assertEquals(SEGMENT, segment(0).length());
            assertTrue(segment(1).length() < SEGMENT);
            assertEquals(Optional.empty(), loom.info().writer().orElseThrow().compressionFailure());
        }
    }
}
