package dev.loom.record;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Unsigned integers of 1 to 10 bytes, seven bits each, the lowest first, the high bit set on all but the last. */
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

    /** Reads values one after the other, never past a limit: there they are 0. */
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

        /** Where the next value is. */
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
            // mostly one byte; as a branch, so that a processor goes on to the next value ahead
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
