package dev.loom.index;

import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes bits, into each byte from its lowest on. What it writes, {@link BitReader} reads. For one thread. */
public final class BitWriter {
    private MutableDirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int at;
    private long word;
    private int filled;

    /** Moves to a place. */
    public void wrap(MutableDirectBuffer into, int offset) {
        buffer = into;
        at = offset;
        word = 0;
        filled = 0;
    }

    /**
     * Writes the lowest bits of a value.
     *
     * @param count 0 to 64
     */
    public void put(long value, int count) {
        if (count == 0) {
            return;
        }
        long bits = value & -1L >>> (Long.SIZE - count);
        word |= bits << filled;
        filled += count;
        if (filled >= Long.SIZE) {
            buffer.putLong(at, word, ByteOrder.LITTLE_ENDIAN);
            at += Long.BYTES;
            filled -= Long.SIZE;
            word = filled == 0 ? 0 : bits >>> (count - filled);
        }
    }

    /**
     * Writes a number in few bits if its length is about what a reader expects: how far the length is off, by Elias' gamma code, then the
     * bits below the highest.
     *
     * @param number unsigned
     * @param expected the expected number of its bits, 0 to 64
     */
    public void putNumber(long number, int expected) {
        int length = length(number);
        int off = length - expected;
        int code = ((off << 1) ^ (off >> (Integer.SIZE - 1))) + 1;
        int zeros = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(code);
        put(1L << zeros, zeros + 1);
        put(code, zeros);
        put(number, Math.max(0, length - 1));
    }

    /** Numbers with a sign as numbers without: positive ones are even. */
    public static long zigZag(long number) {
        return (number << 1) ^ (number >> (Long.SIZE - 1));
    }

    /** The bits of a number without its leading zeros. */
    public static int length(long number) {
        return Long.SIZE - Long.numberOfLeadingZeros(number);
    }

    /** Fills the last byte with zeros. Returns the offset after it. */
    public int finish() {
        for (; filled > 0; filled -= Byte.SIZE, word >>>= Byte.SIZE) {
            buffer.putByte(at++, (byte) word);
        }
        filled = 0;
        return at;
    }
}
