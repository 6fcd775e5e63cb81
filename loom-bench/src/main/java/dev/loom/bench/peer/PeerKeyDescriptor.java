package dev.loom.bench.peer;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The key of a record. Big-endian, so that engines that compare bytes keep records in the order of their times.
 *
 * <pre>
 *   0               8                     13         14       16
 *   +---------------+---------------------+----------+--------+
 *   | time, ns      | sequence, 40 bits   | writer   | source |
 *   +---------------+---------------------+----------+--------+
 * </pre>
 *
 * <p>Sequences count the records of a writer, so that two of the same nanosecond stay apart, and those of one writer in order.
 */
final class PeerKeyDescriptor {
    static final int TIME_OFFSET = 0;
    static final int TAG_OFFSET = TIME_OFFSET + Long.BYTES;
    static final int KEY_LENGTH = TAG_OFFSET + Long.BYTES;

    private static final int WRITER_SHIFT = 16;
    private static final int SEQUENCE_SHIFT = 24;
    private static final long WRITER_MASK = 0xFF;
    private static final long SOURCE_MASK = 0xFFFF;

    private PeerKeyDescriptor() {}

    static void put(MutableDirectBuffer key, long timeNs, long tag) {
        key.putLong(TIME_OFFSET, timeNs, ByteOrder.BIG_ENDIAN);
        key.putLong(TAG_OFFSET, tag, ByteOrder.BIG_ENDIAN);
    }

    /** The key before all records of a time. */
    static void putFirst(MutableDirectBuffer key, long timeNs) {
        put(key, timeNs, 0);
    }

    static long timeNs(DirectBuffer key) {
        return key.getLong(TIME_OFFSET, ByteOrder.BIG_ENDIAN);
    }

    static long tag(DirectBuffer key, int offset) {
        return key.getLong(offset + TAG_OFFSET, ByteOrder.BIG_ENDIAN);
    }

    static long tag(long sequence, int writer, int source) {
        return sequence << SEQUENCE_SHIFT | (long) writer << WRITER_SHIFT | source;
    }

    static long sequence(long tag) {
        return tag >>> SEQUENCE_SHIFT;
    }

    static int writer(long tag) {
        return (int) (tag >>> WRITER_SHIFT & WRITER_MASK);
    }

    static int source(long tag) {
        return (int) (tag & SOURCE_MASK);
    }
}
