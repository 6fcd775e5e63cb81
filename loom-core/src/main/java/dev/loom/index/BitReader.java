package dev.loom.index;

import dev.loom.error.CorruptStoreException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads what {@link BitWriter} wrote. Stays within its bounds, and throws if they end early. Allocates nothing. For one thread. */
public final class BitReader {
    /** A length is off by 64 at most, which takes a code of 8 bits, behind 7 zeros. */
    private static final int ZEROS_MAX = 7;

    /** The bits that eight bytes have, whichever of the first byte's is the first. */
    private static final int WORD_BITS = Long.SIZE - Byte.SIZE + 1;

    private final Varints bytes = new Varints(new UnsafeBuffer(new byte[0]));
    private int begin;
    private long at;
    private long end;

    /** Moves before the first bit of the bytes at {@code [from, to)}. */
    public void wrap(DirectBuffer source, int from, int to) {
        bytes.wrap(source, from, to);
        begin = from;
        at = 0;
        end = (long) (to - from) * Byte.SIZE;
    }

    /** The number of bits before the next. */
    public long position() {
        return at;
    }

    /** Returns to a position within the bounds. */
    public void position(long newPosition) {
        at = newPosition;
    }

    /**
     * Reads bits.
     *
     * @param count 0 to 64
     */
    public long next(int count) {
        if (count == 0) {
            return 0;
        }
        skip(count);
        return bits(at - count, count);
    }

    /** Skips bits. */
    public void skip(long count) {
        if (count > end - at) {
            throw malformed("ends early");
        }
        at += count;
    }

    /**
     * Reads bits that were skipped.
     *
     * @param count 1 to 64
     */
    public long bits(long position, int count) {
        return bytes.bits(begin, position, count);
    }

    /**
     * Reads a number.
     *
     * @param expected the expected number of its bits, 0 to 64
     */
    public long nextNumber(int expected) {
        long word = at == end ? 0 : bits(at, (int) Math.min(WORD_BITS, end - at));
        int zeros = Long.numberOfTrailingZeros(word);
        if (zeros > ZEROS_MAX) {
            throw malformed("length");
        }
        int top = 1 << zeros;
        int code = top - 1 + ((int) (word >>> (zeros + 1)) & (top - 1));
        int length = expected + ((code >>> 1) ^ -(code & 1));
        if (length < 0 || length > Long.SIZE) {
            throw malformed("length");
        }
        int lengthBits = 2 * zeros + 1;
        int below = length - 1;
        if (below <= 0) {
            skip(lengthBits);
            return length;
        }
        skip(lengthBits + below);
        long bits = lengthBits + below <= WORD_BITS ? word >>> lengthBits : bits(at - below, below);
        return 1L << below | (bits & ((1L << below) - 1));
    }

    /** The number that {@link BitWriter#zigZag} made one without a sign. */
    public static long signed(long number) {
        return (number >>> 1) ^ -(number & 1);
    }

    /** An exception that says why the bits are impossible, and where. */
    public CorruptStoreException malformed(String reason) {
        return new CorruptStoreException("bins are malformed: reason=" + reason + ", bit=" + at + ", end=" + end);
    }
}
