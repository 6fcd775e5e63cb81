package dev.loom.cli.archive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** The plain bytes of a block while it is written. Grows. */
final class BlockBuffer {
    private static final int VARINT_LENGTH_MAX = 10;

    private byte[] bytes = new byte[ArchiveDescriptor.BLOCK_LENGTH * 2];
    private int length;

    byte[] array() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    void putByte(int value) {
        ensure(1);
        bytes[length++] = (byte) value;
    }

    void putLong(long value) {
        ensure(Long.BYTES);
        length += Long.BYTES;
        setLong(length - Long.BYTES, value);
    }

    void setLong(int offset, long value) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(offset, value);
    }

    /** Seven bits a byte, lowest first; the high bit set in all but the last. The value counts as unsigned. */
    void putVarint(long value) {
        ensure(VARINT_LENGTH_MAX);
        long rest = value;
        while ((rest & -0x80) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }

    /** A length and as many bytes of UTF-8. */
    void putText(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        putVarint(encoded.length);
        ensure(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
    }

    /** Appends bytes; returns the offset where they begin. */
    int putBytes(DirectBuffer source, int offset, int count) {
        ensure(count);
        int begin = length;
        source.getBytes(offset, bytes, begin, count);
        length += count;
        return begin;
    }

    private void ensure(int count) {
        if (count > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
    }
}
