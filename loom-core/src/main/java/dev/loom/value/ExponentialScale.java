package dev.loom.value;

import dev.loom.api.ValueType;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Log-linear bins of doubles: the buckets of OpenTelemetry's base-2 exponential histogram, {@code (base^i, base^(i+1)]}
 * with {@code base = 2^(2^-scale)}, exactly. Their order is negative infinity, negative, zero, positive, infinity. A
 * bucket of subnormal values may be too narrow to hold any.
 *
 * <p>The fraction's leading bits narrow the choice to a bucket of its power of two or the one before. A comparison with
 * the boundary between them, rounded down to a double's fraction, decides.
 */
final class ExponentialScale extends BinScale {
    private static final int FRACTION_BITS = 52;
    private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
    /** 64 more than a double's: the errors of a product of roots, rounded down, don't reach the double's bits. */
    private static final int ROOT_BITS = FRACTION_BITS + 64;

    private static final int EXPONENT_MIN = Double.MIN_EXPONENT - FRACTION_BITS;
    private static final long INFINITY = ValueType.F64.highestKey();

    private final int scale;
    private final int guessShift;
    /** By the fraction's leading bits, the bucket of the least fraction with those bits. */
    private final int[] guesses;
    /** {@code 2^(i / 2^scale) - 1} for each bucket of a power of two and the next one, rounded down, as a fraction. */
    private final long[] boundaries;
    /** The bin of bucket 0 of the positive values. */
    private final int one;
    /** The bin of the value 0. */
    private final int zero;

    ExponentialScale(int scale) {
        super(2 * buckets(scale) + 3);
        this.scale = scale;
        zero = buckets(scale) + 1;
        one = zero + 1 - firstBucket(scale);
        boundaries = boundaries(scale);
        guessShift = FRACTION_BITS - scale - 1;
        guesses = new int[2 << scale];
        for (int i = 0; i < guesses.length; i++) {
            guesses[i] = bucketIn(boundaries, (long) i << guessShift);
        }
    }

    private static int firstBucket(int scale) {
        return (EXPONENT_MIN << scale) - 1;
    }

    private static int buckets(int scale) {
        return ((Double.MAX_EXPONENT + 1) << scale) - firstBucket(scale);
    }

    private static long[] boundaries(int scale) {
        // roots[k] = 2^(2^-k), as a fixed-point number
        BigInteger[] roots = new BigInteger[scale + 1];
        roots[0] = BigInteger.TWO.shiftLeft(ROOT_BITS);
        for (int k = 1; k <= scale; k++) {
            roots[k] = roots[k - 1].shiftLeft(ROOT_BITS).sqrt();
        }
        int count = 1 << scale;
        long[] boundaries = new long[count + 1];
        for (int i = 0; i <= count; i++) {
            BigInteger product = BigInteger.ONE.shiftLeft(ROOT_BITS);
            for (int k = 0; k <= scale; k++) {
                if ((i & count >> k) != 0) {
                    product = product.multiply(roots[k]).shiftRight(ROOT_BITS);
                }
            }
            boundaries[i] = product.shiftRight(ROOT_BITS - FRACTION_BITS).longValueExact() - (1L << FRACTION_BITS);
        }
        return boundaries;
    }

    /** The bucket within its power of two; -1 for the fraction 0, which belongs to the end of the previous power. */
    private static int bucketIn(long[] boundaries, long fraction) {
        int found = Arrays.binarySearch(boundaries, fraction);
        return found >= 0 ? found - 1 : -found - 2;
    }

    @Override
    public int bin(long key) {
        if (key > 0) {
            return key == INFINITY ? count() - 1 : one + bucket(key);
        }
        return key == 0 ? zero : negativeBin(-key); // a negative value's key is its magnitude's key, negated
    }

    @Override
    public void bins(long[] keys, int length, int[] into) {
        for (int i = 0; i < length; i++) {
            into[i] = bin(keys[i]);
        }
    }

    private int negativeBin(long magnitude) {
        return magnitude == INFINITY ? 0 : 2 * zero - one - bucket(magnitude);
    }

    /** The bucket of a positive finite double given by its bits. */
    private int bucket(long bits) {
        int exponent = (int) (bits >>> FRACTION_BITS) - Double.MAX_EXPONENT;
        long fraction = bits & FRACTION_MASK;
        if (exponent < Double.MIN_EXPONENT) {
            int shift = Long.numberOfLeadingZeros(fraction) - (Long.SIZE - 1 - FRACTION_BITS);
            fraction = fraction << shift & FRACTION_MASK;
            exponent = Double.MIN_EXPONENT - shift;
        }
        int guess = guesses[(int) (fraction >>> guessShift)];
        return (exponent << scale) + guess + (fraction > boundaries[guess + 1] ? 1 : 0);
    }

    @Override
    public long lowKey(int bin) {
        return bin >= zero ? lowMagnitude(bin) : -highMagnitude(2 * zero - bin);
    }

    @Override
    public long highKey(int bin) {
        return bin >= zero ? highMagnitude(bin) : -lowMagnitude(2 * zero - bin);
    }

    private long lowMagnitude(int bin) {
        return bin == count() - 1 ? INFINITY : bin == zero ? 0 : boundaryBits(bin - one) + 1;
    }

    private long highMagnitude(int bin) {
        return bin == count() - 1 ? INFINITY : bin == zero ? 0 : Math.min(INFINITY - 1, boundaryBits(bin - one + 1));
    }

    /** The bits of the greatest double not above {@code base^bucket}. */
    private long boundaryBits(int bucket) {
        int exponent = bucket >> scale;
        long fraction = boundaries[bucket & ((1 << scale) - 1)];
        if (exponent >= Double.MIN_EXPONENT) {
            return ((long) (exponent + Double.MAX_EXPONENT) << FRACTION_BITS) + fraction;
        }
        int shift = Double.MIN_EXPONENT - exponent;
        return shift > FRACTION_BITS ? 0 : ((1L << FRACTION_BITS) + fraction) >>> shift;
    }
}
