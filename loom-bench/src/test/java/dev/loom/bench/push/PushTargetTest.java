package dev.loom.bench.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PushTargetTest {
    private static final int RING_BYTES = 1 << 20;
    private static final long SEGMENT_BYTES = 1 << 21;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatWasPushedAndDeleteItAtTheEnd(PushKind kind) throws IOException {
        final PushSettings settings = settings(64);

        final PushRun run = PushRun.of(kind, settings, new PayloadPool(64), 50_000);

        assertTrue(run.records() >= 50_000, run::toString);
        assertEquals(0, run.records() % PushRun.BATCH);
        assertEquals(List.of(), files(directory));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 72, 1024})
    void shouldCopyPayloadsOfEverySizeToTheLimitsRing(int payloadLength) {
        final PushSettings settings = settings(payloadLength);
        try (PushTarget target = PushKind.LIMIT_PUBLISH_64.open(settings, new PayloadPool(payloadLength))) {
            target.push(PushRun.BATCH);
            target.finish();
            target.verify();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIMIT", "RAW_FILE"})
    void shouldNoticeADamagedByte(PushKind kind) throws IOException {
        try (PushTarget target = kind.open(settings(64), new PayloadPool(64))) {
            target.push(PushRun.BATCH);
            target.finish();
            final Path file = files(directory).stream()
                    .filter(path -> path.toString().endsWith(kind == PushKind.LIMIT ? ".seg" : ".raw"))
                    .findFirst()
                    .orElseThrow();
            flipByte(file, 100_003);

            assertThrows(IllegalStateException.class, target::verify);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIMIT", "RAW_FILE"})
    void shouldNoticeALostEnd(PushKind kind) throws IOException {
        try (PushTarget target = kind.open(settings(64), new PayloadPool(64))) {
            target.push(PushRun.BATCH);
            target.finish();
            for (final Path file : files(directory)) {
                if (!file.toString().contains("limit.")) {
                    truncateByTenth(file);
                }
            }

            assertThrows(IllegalStateException.class, target::verify);
        }
    }

    @Test
    void shouldTellPayloadsOfOnePoolApart() {
        final PayloadPool pool = new PayloadPool(16);

        assertTrue(pool.matches(PayloadPool.COUNT + 3, pool.buffer(), pool.offset(3), 16));
        for (int other = 0; other < PayloadPool.COUNT; other++) {
            assertEquals(other == 3, pool.matches(other, pool.buffer(), pool.offset(3), 16));
        }
    }

    @Test
    void shouldRefuseADiskInMemoryUnlessAllowed() throws IOException {
        final Path memory = Path.of("/dev/shm");
        if (Files.isDirectory(memory)
                && "tmpfs".equals(Files.getFileStore(memory).type())) {
            assertThrows(IllegalArgumentException.class, () -> ScratchDirectory.onDisk(memory, false));
            ScratchDirectory.onDisk(memory, true).close();
        }
    }

    private PushSettings settings(int payloadLength) {
        return new PushSettings(directory, directory, payloadLength, RING_BYTES, SEGMENT_BYTES, false);
    }

    private static List<Path> files(Path root) throws IOException {
        try (var paths = Files.walk(root)) {
            return paths.filter(path -> !path.equals(root) && Files.isRegularFile(path))
                    .toList();
        }
    }

    private static void flipByte(Path file, long position) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(position);
            final int value = access.read();
            access.seek(position);
            access.write(value ^ 1);
        }
    }

    private static void truncateByTenth(Path file) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(access.length() / 10 * 9);
        }
    }
}
