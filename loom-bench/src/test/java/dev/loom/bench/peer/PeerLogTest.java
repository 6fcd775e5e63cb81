package dev.loom.bench.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chronicle Queue needs flags that tests run without. */
final class PeerLogTest {
    private static final int RECORDS = 10_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "LMDB"})
    void shouldGiveBackWhatWasAppendedInItsOrder(PeerKind kind) {
        try (PeerLog log = kind.open(directory)) {
            append(log, 24);
            log.finish();

            assertEquals(RECORDS, log.count());
            final long[] next = {0};
            log.read((writer, sequence, source, payload, offset, length) -> {
                assertEquals(0, writer);
                assertEquals(next[0], sequence);
                assertEquals(next[0] % 3, source);
                assertEquals(8 + 8 * (next[0] % 3), length);
                assertEquals(next[0], payload.getLong(offset + length - 8, ByteOrder.LITTLE_ENDIAN));
                next[0]++;
            });
            assertEquals(RECORDS, next[0]);
        }
    }

    @Test
    void shouldTellWritersOfOneStoreApart() {
        try (PeerLog log = PeerKind.ROCKSDB.open(directory)) {
            append(log, 8);
            append(log, 8);
            log.finish();

            final List<Integer> seen = new ArrayList<>();
            log.read((writer, sequence, source, payload, offset, length) -> seen.add(writer));
            assertEquals(2 * RECORDS, seen.size());
            assertEquals(RECORDS, seen.stream().filter(writer -> writer == 1).count());
        }
    }

    @Test
    void shouldRefuseASecondWriterOfAStoreThatTakesOne() {
        try (PeerLog log = PeerKind.LMDB.open(directory);
                PeerLog.Writer first = log.newWriter()) {
            first.flush();

            assertThrows(IllegalStateException.class, log::newWriter);
        }
    }

    /** Records of three sources, of 8, 16 and 24 bytes, whose last word is their number. */
    private static void append(PeerLog log, int lengthMax) {
        final UnsafeBuffer payload = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(64));
        try (PeerLog.Writer writer = log.newWriter()) {
            for (int i = 0; i < RECORDS; i++) {
                final int length = Math.min(lengthMax, 8 + 8 * (i % 3));
                payload.putLong(16 + length - 8, i, ByteOrder.LITTLE_ENDIAN);
                writer.append(i % 3, payload, 16, length);
            }
        }
    }
}
