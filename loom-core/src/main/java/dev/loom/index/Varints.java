package dev.loom.index;

import dev.loom.error.CorruptStoreException;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Unsigned integers of 64 or 128 bits: seven bits per byte, lowest first, the high bit set in all but the last. A
 * reader stays within its bounds; it throws if a value does not end there or has too many bits.
 */
public final class Varints {
    static final int LENGTH_MAX = 10;
    static final int WIDE_LENGTH_MAX = 19;

    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;
    private static final int MASK = MORE - 1;

    /** The highest bit of each byte, which is clear in a value's last byte. */
    private static final long LAST_BYTES = 0x8080_8080_8080_8080L;

    private DirectBuffer buffer;
    private int position;
    private int limit;
    private long high;

    public Varints(DirectBuffer buffer) {
        this.buffer = buffer;
    }

    static int put(MutableDirectBuffer buffer, int offset, long value) {
        int at = offset;
        long rest = value;
        while ((rest & ~(long) MASK) != 0) {
            buffer.putByte(at++, (byte) (rest | MORE));
            rest >>>= BITS;
        }
        buffer.putByte(at++, (byte) rest);
        return at;
    }

    static int putWide(MutableDirectBuffer buffer, int offset, long valueHigh, long valueLow) {
        int at = offset;
        long upper = valueHigh;
        long lower = valueLow;
        while (upper != 0) {
            buffer.putByte(at++, (byte) (lower | MORE));
            lower = (lower >>> BITS) | (upper << (Long.SIZE - BITS));
            upper >>>= BITS;
        }
        return put(buffer, at, lower);
    }

    public void wrap(DirectBuffer source, int from, int to) {
        source.boundsCheck(from, to - from);
        buffer = source;
        position = from;
        limit = to;
    }

    public boolean isAtEnd() {
        return position == limit;
    }

    public int position() {
        return position;
    }

    /** Returns to a position within the bounds. */
    public void position(int newPosition) {
        position = newPosition;
    }

    public void toEnd() {
        position = limit;
    }

    /** Skips values, at most 8. */
    public void skip(int values) {
        if (limit - position >= Long.BYTES) {
            long ends = ~buffer.getLong(position, ByteOrder.LITTLE_ENDIAN) & LAST_BYTES;
            for (int i = 1; i < values; i++) {
                ends &= ends - 1;
            }
            if (ends != 0) {
                position += Long.numberOfTrailingZeros(ends) / Byte.SIZE + 1;
                return;
            }
        }
        for (int i = 0; i < values; i++) {
            while (nextByte() < 0) {}
        }
    }

    public void skipBytes(int length) {
        if (length > limit - position) {
            throw malformed("ends early");
        }
        position += length;
    }

    public byte nextByte() {
        if (position == limit) {
            throw malformed("ends early");
        }
        return buffer.getByte(position++);
    }

    public long next() {
        if (limit - position >= Long.BYTES) {
            long word = buffer.getLong(position, ByteOrder.LITTLE_ENDIAN);
            int length = length(word);
            if (length > 0) {
                position += length;
                return value(word);
            }
        }
        return nextByBytes();
    }

    /** The length of the value that begins at the lowest of eight bytes; 0 if it does not end within them. */
    private static int length(long bytes) {
        long ends = ~bytes & LAST_BYTES;
        return ends == 0 ? 0 : Long.numberOfTrailingZeros(ends) / Byte.SIZE + 1;
    }

    /** The value that begins at the lowest of eight bytes, and ends within them. */
    private static long value(long bytes) {
        long ends = ~bytes & LAST_BYTES;
        long word = bytes & (ends ^ (ends - 1));
        // joins the lower seven bits of each byte, then pairs, then fours
        long pairs = (word & 0x007f_007f_007f_007fL) | (word & 0x7f00_7f00_7f00_7f00L) >>> 1;
        long fours = (pairs & 0x0000_3fff_0000_3fffL) | (pairs & 0x3fff_0000_3fff_0000L) >>> 2;
        return (fours & 0x0fff_ffffL) | (fours & 0x0fff_ffff_0000_0000L) >>> 4;
    }

    private long nextByBytes() {
        long value = 0;
        for (int shift = 0; ; shift += BITS) {
            byte b = nextByte();
            value |= (b & (long) MASK) << shift;
            if (b >= 0) {
                if (shift > Long.SIZE - BITS && b > 1) {
                    throw malformed("number is too large");
                }
                return value;
            }
            if (shift > Long.SIZE - BITS) {
                throw malformed("number is too long");
            }
        }
    }

    /** Reads a value of up to 128 bits. Returns the lower 64; {@link #high()} has the others. */
    public long nextWide() {
        long lower = 0;
        high = 0;
        for (int shift = 0; shift < 2 * Long.SIZE; shift += BITS) {
            byte b = nextByte();
            long bits = b & MASK;
            if (shift < Long.SIZE) {
                lower |= bits << shift;
            }
            if (shift > Long.SIZE - BITS) {
                high |= shift < Long.SIZE ? bits >>> (Long.SIZE - shift) : bits << (shift - Long.SIZE);
            }
            if (b >= 0) {
                if (shift > 2 * Long.SIZE - BITS && b > 3) {
                    throw malformed("number is too large");
                }
                return lower;
            }
        }
        throw malformed("number is too long");
    }

    public long high() {
        return high;
    }

    /** Reads up to 8 bytes, lowest first. */
    public long nextBytes(int length) {
        if (length > limit - position) {
            throw malformed("ends early");
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            value |= (buffer.getByte(position + i) & 0xFFL) << (i * Byte.SIZE);
        }
        position += length;
        return value;
    }

    /**
     * Reads bits within the bounds, which must have been checked.
     *
     * @param from the position of the first byte
     * @param bit counted from the lowest of that byte
     * @param count 1 to 64
     */
    public long bits(int from, long bit, int count) {
        int at = from + (int) (bit >>> 3);
        int shift = (int) bit & (Byte.SIZE - 1);
        long mask = -1L >>> (Long.SIZE - count);
        if (limit - at >= Long.BYTES) {
            long low = buffer.getLong(at, ByteOrder.LITTLE_ENDIAN) >>> shift;
            boolean more = shift + count > Long.SIZE;
            return (more ? low | (buffer.getByte(at + Long.BYTES) & 0xFFL) << (Long.SIZE - shift) : low) & mask;
        }
        long bits = 0;
        for (int i = 0; at + i < limit && i < Long.BYTES; i++) {
            bits |= (buffer.getByte(at + i) & 0xFFL) << (i * Byte.SIZE);
        }
        return (bits >>> shift) & mask;
    }

    public CorruptStoreException malformed(String reason) {
        return new CorruptStoreException(
                "index entry is malformed: reason=" + reason + ", offset=" + position + ", end=" + limit);
    }
}
