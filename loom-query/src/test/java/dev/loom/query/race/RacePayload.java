package dev.loom.query.race;

import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A payload that tells whether it is whole: sequence in its source (8), source (4), length (4), CRC32C of the rest (4), then
 * bytes that depend on the sequence. For one thread.
 */
final class RacePayload {
    static final int LENGTH_MIN = 20;

    private static final int SOURCE = 8;
    private static final int LENGTH = 12;
    private static final int CRC = 16;

    private final CRC32C crc = new CRC32C();
    private byte[] bytes = new byte[1 << 17];

    /** Fills {@code length} bytes from {@code offset}. */
    void put(MutableDirectBuffer buffer, int offset, int length, int source, long sequence) {
        buffer.putLong(offset, sequence);
        buffer.putInt(offset + SOURCE, source);
        buffer.putInt(offset + LENGTH, length);
        buffer.putInt(offset + CRC, 0);
        int at = LENGTH_MIN;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            buffer.putLong(offset + at, sequence * 0x9e37_79b9_7f4a_7c15L + at);
        }
        for (; at < length; at++) {
            buffer.putByte(offset + at, (byte) (sequence + at));
        }
        buffer.putInt(offset + CRC, checksum(buffer, offset, length));
    }

    /** The sequence of a payload, which is of the source and whole, or an error is thrown. */
    long check(DirectBuffer buffer, int offset, int length, int source) {
        if (length < LENGTH_MIN
                || buffer.getInt(offset + SOURCE) != source
                || buffer.getInt(offset + LENGTH) != length
                || buffer.getInt(offset + CRC) != checksum(buffer, offset, length)) {
            throw new AssertionError("torn record: source=" + source + ", length=" + length
                    + (length < LENGTH_MIN
                            ? ""
                            : ", payload's source=" + buffer.getInt(offset + SOURCE) + ", length="
                                    + buffer.getInt(offset + LENGTH) + ", sequence=" + buffer.getLong(offset)));
        }
        return buffer.getLong(offset);
    }

    /** The source that a payload claims. */
    static int source(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + SOURCE);
    }

    private int checksum(DirectBuffer buffer, int offset, int length) {
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        buffer.getBytes(offset, bytes, 0, length);
        crc.reset();
        crc.update(bytes, 0, CRC);
        crc.update(bytes, LENGTH_MIN, length - LENGTH_MIN);
        return (int) crc.getValue();
    }
}
