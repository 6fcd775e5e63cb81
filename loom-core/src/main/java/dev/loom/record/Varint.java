package dev.loom.record;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Unsigned integers of 1 to 10 bytes, seven bits per byte, lowest first, the high bit set in all but the last. */
final class Varint {
    static final int LENGTH_MAX = 10;

    private Varint() {}

    /** Returns the offset after the value. */
    static int put(MutableDirectBuffer buffer, int offset, long value) {
        int at = offset;
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            buffer.putByte(at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(at++, (byte) rest);
        return at;
    }

    /** Reads consecutive values, never past a limit, where they are 0. */
    static final class Reader {
        private DirectBuffer buffer;
        private int offset;
        private int limit;

        Reader(DirectBuffer buffer) {
            this.buffer = buffer;
        }

        void wrap(DirectBuffer source, int from, int to) {
            buffer = source;
            offset = from;
            limit = to;
        }

        /** The offset of the next value. */
        int offset() {
            return offset;
        }

        void offset(int newOffset) {
            offset = newOffset;
        }

        int limit() {
            return limit;
        }

        long next() {
            // usually one byte; a branch, so that the processor can run ahead to the next value
            if (offset < limit) {
                byte b = buffer.getByte(offset);
                if (b >= 0) {
                    offset++;
                    return b;
                }
            }
            return nextByBytes();
        }

        private long nextByBytes() {
            long value = 0;
            for (int shift = 0; offset < limit && shift < Long.SIZE; shift += 7) {
                byte b = buffer.getByte(offset++);
                value |= (b & 0x7fL) << shift;
                if (b >= 0) {
                    break;
                }
            }
            return value;
        }
    }
}
