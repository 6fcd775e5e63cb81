package dev.loom.value;

import dev.loom.api.ValueType;

/**
 * Log-linear bins of integers, as in HdrHistogram: each power of two is divided into {@code 2^scale} bins. A signed
 * value is binned by its magnitude, which for a negative value is its complement, so that the two halves mirror each
 * other.
 */
final class LogLinearScale extends BinScale {
    private final int scale;
    private final long one;
    private final boolean signed;
    /** The bin of the value 0. */
    private final int zero;

    LogLinearScale(int scale, ValueType type) {
        super(type == ValueType.I64 ? 2 * magnitudes(scale, Long.SIZE - 1) : magnitudes(scale, Long.SIZE));
        this.scale = scale;
        this.one = 1L << scale;
        this.signed = type == ValueType.I64;
        this.zero = signed ? count() / 2 : 0;
    }

    /** The number of bins for magnitudes of this many bits. */
    private static int magnitudes(int scale, int bits) {
        return (bits - scale + 1) << scale;
    }

    @Override
    public int bin(long key) {
        return signed ? signedBin(key) : magnitudeBin(key ^ Long.MIN_VALUE);
    }

    @Override
    public void bins(long[] keys, int length, int[] into) {
        for (int i = 0; i < length; i++) {
            into[i] = bin(keys[i]);
        }
    }

    private int signedBin(long value) {
        int sign = (int) (value >> (Long.SIZE - 1));
        return zero + (magnitudeBin(value ^ sign) ^ sign); // the sign extends to a long of zeros or ones
    }

    private int magnitudeBin(long magnitude) {
        int shift = Long.SIZE - 1 - scale - Long.numberOfLeadingZeros(magnitude | one);
        return (shift << scale) + (int) (magnitude >>> shift);
    }

    @Override
    public long lowKey(int bin) {
        if (!signed) {
            return lowMagnitude(bin) ^ Long.MIN_VALUE;
        }
        return bin >= zero ? lowMagnitude(bin - zero) : ~highMagnitude(~(bin - zero));
    }

    @Override
    public long highKey(int bin) {
        if (!signed) {
            return highMagnitude(bin) ^ Long.MIN_VALUE;
        }
        return bin >= zero ? highMagnitude(bin - zero) : ~lowMagnitude(~(bin - zero));
    }

    private long lowMagnitude(int bin) {
        int shift = Math.max(0, (bin >>> scale) - 1);
        return (bin - ((long) shift << scale)) << shift;
    }

    private long highMagnitude(int bin) {
        int shift = Math.max(0, (bin >>> scale) - 1);
        return lowMagnitude(bin) + (1L << shift) - 1;
    }
}
