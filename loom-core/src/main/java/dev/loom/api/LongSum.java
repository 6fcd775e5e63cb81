package dev.loom.api;

import java.math.BigInteger;

/**
 * A sum of 64-bit integers, in 128 bits: exact for up to 2^63 values. Not thread-safe; adding allocates nothing.
 */
public final class LongSum {
    private long high;
    private long low;

    /** Makes a sum that is 0. */
    public LongSum() {}

    /** The upper 64 bits of the sum in two's complement. */
    public long high() {
        return high;
    }

    /** The lower 64 bits of the sum in two's complement. */
    public long low() {
        return low;
    }

    public void clear() {
        high = 0;
        low = 0;
    }

    public void add(long value) {
        add(value >> (Long.SIZE - 1), value);
    }

    /** Adds an unsigned value. */
    public void addUnsigned(long value) {
        add(0, value);
    }

    public void add(LongSum other) {
        add(other.high, other.low);
    }

    /** Adds 128 bits in two's complement. */
    public void add(long addedHigh, long addedLow) {
        low += addedLow;
        high += addedHigh + (Long.compareUnsigned(low, addedLow) < 0 ? 1 : 0);
    }

    /** Subtracts 128 bits in two's complement. */
    public void subtract(long subtractedHigh, long subtractedLow) {
        high -= subtractedHigh + (Long.compareUnsigned(low, subtractedLow) < 0 ? 1 : 0);
        low -= subtractedLow;
    }

    /** Adds {@code value * times}, both signed. */
    public void addProduct(long value, long times) {
        add(Math.multiplyHigh(value, times), value * times);
    }

    /** Whether {@link #low()} alone, as a signed long, is the sum. */
    public boolean isLong() {
        return high == low >> (Long.SIZE - 1);
    }

    /** The double nearest to the sum. */
    public double doubleValue() {
        if (isLong()) {
            return (double) low;
        }
        boolean negative = high < 0;
        long upper = negative ? ~high + (low == 0 ? 1 : 0) : high;
        long lower = negative ? -low : low;
        // keeps the 64 bits from the highest one set; of those below only whether any is set matters
        int shift = Long.SIZE - Long.numberOfLeadingZeros(upper);
        long bits = shift == 0 ? lower : lower >>> shift;
        bits |= shift == 0 ? 0 : upper << (Long.SIZE - shift);
        long rest = shift == 0 ? 0 : lower << (Long.SIZE - shift);
        double magnitude = (double) ((bits >>> 1) | (bits & 1) | (rest == 0 ? 0 : 1));
        return Math.scalb(negative ? -magnitude : magnitude, shift + 1);
    }

    /** The sum as a new object. */
    public BigInteger toBigInteger() {
        BigInteger lower = BigInteger.valueOf(low);
        return BigInteger.valueOf(high)
                .shiftLeft(Long.SIZE)
                .add(low < 0 ? lower.add(BigInteger.ONE.shiftLeft(Long.SIZE)) : lower);
    }

    /** The sum in decimal digits. */
    @Override
    public String toString() {
        return isLong() ? Long.toString(low) : toBigInteger().toString();
    }
}
