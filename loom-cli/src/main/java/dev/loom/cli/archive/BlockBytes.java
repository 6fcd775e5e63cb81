package dev.loom.cli.archive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The plain bytes of a block while it is read. No length in them is trusted. */
final class BlockBytes {
    /** The bytes are not what a writer writes. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String problem) {
            super(problem, null, false, false);
        }
    }

    private byte[] bytes = {};
    private int at;
    private int end;

    void wrap(byte[] array, int offset, int length) {
        bytes = array;
        at = offset;
        end = offset + length;
    }

    byte[] array() {
        return bytes;
    }

    boolean hasMore() {
        return at < end;
    }

    int getByte() throws Malformed {
        require(1);
        return bytes[at++] & 0xff;
    }

    long getLong() throws Malformed {
        require(Long.BYTES);
        at += Long.BYTES;
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(at - Long.BYTES);
    }

    /** A varint that is not negative. */
    long getVarint() throws Malformed {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
            int next = getByte();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new Malformed("number is too large");
    }

    /** A varint from 0 to a maximum. */
    int getNumber(String what, int max) throws Malformed {
        long value = getVarint();
        if (value > max) {
            throw new Malformed(what + " out of range: value=" + value + ", max=" + max);
        }
        return (int) value;
    }

    String getText() throws Malformed {
        int length = getNumber("length of a text", end - at);
        int begin = skip(length);
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, begin, length));
            return text.toString();
        } catch (CharacterCodingException e) {
            throw new Malformed("text is not UTF-8");
        }
    }

    /** Passes over bytes that the block has; returns the offset where they begin. */
    int skip(int count) throws Malformed {
        require(count);
        at += count;
        return at - count;
    }

    private void require(int count) throws Malformed {
        if (count > end - at) {
            throw new Malformed("block ends too early: bytes=" + (end - at) + ", wanted=" + count);
        }
    }
}
