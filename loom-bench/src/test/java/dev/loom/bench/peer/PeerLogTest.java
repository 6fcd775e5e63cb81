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

    /** Every time twice, and none of the odd ones. */
    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "LMDB"})
    void shouldReadTheRecordsOfARange(PeerKind kind) {
        try (PeerLog log = kind.open(directory)) {
            final UnsafeBuffer payload = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(8));
            try (PeerLog.Writer writer = log.newWriter()) {
                for (int i = 0; i < RECORDS; i++) {
                    payload.putLong(0, i, ByteOrder.LITTLE_ENDIAN);
                    writer.append(2L * (i / 2), 0, payload, 0, 8);
                }
            }
            log.finish();

            assertEquals(List.of(), numbers(log, RECORDS, RECORDS + 10));
            assertEquals(List.of(), numbers(log, 101, 102));
            assertEquals(List.of(100L, 101L), numbers(log, 100, 101));
            assertEquals(List.of(102L, 103L), numbers(log, 101, 103));
            assertEquals(RECORDS, numbers(log, 0, Long.MAX_VALUE).size());
            assertEquals(List.of(9_998L, 9_999L), numbers(log, RECORDS - 2, Long.MAX_VALUE));
        }
    }

    private static List<Long> numbers(PeerLog log, long fromNs, long toNs) {
        final List<Long> numbers = new ArrayList<>();
        log.read(
                fromNs,
                toNs,
                (writer, sequence, source, payload, offset, length) ->
                        numbers.add(payload.getLong(offset, ByteOrder.LITTLE_ENDIAN)));
        return numbers;
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCKSDB", "LMDB"})
    void shouldPutALateRecordWhereItBelongs(PeerKind kind) {
        try (PeerLog log = kind.open(directory)) {
            final UnsafeBuffer payload = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(8));
            try (PeerLog.Writer writer = log.newWriter()) {
                for (final long time : new long[] {10, 30, 20, 40}) {
                    payload.putLong(0, time, ByteOrder.LITTLE_ENDIAN);
                    writer.append(time, 0, payload, 0, 8);
                }
            }
            log.finish();

            assertEquals(List.of(20L, 30L), numbers(log, 11, 40));
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
                writer.append(System.nanoTime(), i % 3, payload, 16, length);
            }
        }
    }
}
