package dev.loom.query.diff;

import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Divides numbers in bins: bin b holds those from edge b - 1 on and below edge b; the first and the last have no other end. Integers and
 * doubles are compared without loss. Immutable.
 */
final class NumberEdges {
    /** Fewer different numbers than this are values, not ranges. */
    static final int DISTINCT_MIN = 33;

    /** Of each set, so that bins are small where either has many numbers. */
    private static final int QUANTILES = 32;

    private static final int DIGITS_MAX = 17;
    private static final double TWO_53 = 0x1p53;
    private static final double TWO_24 = 0x1p24;
    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;

    private final double[] edges;
    /** Each edge rounded up to an integer: up to 2^63 signed, beyond that unsigned. */
    private final long[] integers;
    /** The number of edges below 2^63, and below 2^64. */
    private final int signed;

    private final int unsigned;

    private final boolean single;

    private NumberEdges(double[] edges, boolean single) {
        this.edges = edges;
        this.single = single;
        integers = new long[edges.length];
        int below63 = 0;
        int below64 = 0;
        for (int i = 0; i < edges.length; i++) {
            double up = Math.ceil(edges[i]);
            below63 += up < TWO_63 ? 1 : 0;
            below64 += up < TWO_64 ? 1 : 0;
            integers[i] = up < TWO_63 ? (long) up : (long) (up - TWO_63) ^ Long.MIN_VALUE;
        }
        signed = below63;
        unsigned = below64;
    }

    /**
     * Edges at the quantiles of two samples; between two neighbouring values an edge has as few digits as possible.
     *
     * @param left in order
     * @param right in order
     * @param single whether numbers are floats; then edges are floats too, as what they are compared with in conditions is
     */
    static NumberEdges of(double[] left, double[] right, boolean single) {
        double[] all = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, all, left.length, right.length);
        Arrays.sort(all);
        double[] found = new double[2 * QUANTILES];
        int count = 0;
        for (double[] sample : new double[][] {left, right}) {
            for (int q = 0; q < QUANTILES && sample.length > 0; q++) {
                double value = sample[(int) ((long) q * sample.length / QUANTILES)];
                int at = Arrays.binarySearch(all, value);
                while (at > 0 && all[at - 1] == value) {
                    at--;
                }
                if (at > 0 && !Double.isInfinite(value)) { // no condition can name an infinite end
                    found[count++] = between(all[at - 1], value, single);
                }
            }
        }
        return new NumberEdges(
                Arrays.stream(found, 0, count).sorted().distinct().toArray(), single);
    }

    /** The number with the fewest digits above the lower one, up to the upper one. */
    static double between(double lower, double upper, boolean single) {
        if (Double.isInfinite(upper) || upper == 0) {
            return upper;
        }
        BigDecimal exact = new BigDecimal(upper);
        for (int digits = 1; digits < DIGITS_MAX; digits++) {
            BigDecimal shorter = exact.round(new MathContext(digits, RoundingMode.FLOOR));
            double rounded = single ? shorter.floatValue() : shorter.doubleValue();
            if (rounded > lower && rounded <= upper) {
                return rounded;
            }
        }
        return upper;
    }

    /** The number of bins. */
    int bins() {
        return edges.length + 1;
    }

    /** The bin of a number, by its kind and bits in a key. */
    int bin(byte kind, long bits) {
        if (kind == KeyEncoder.DOUBLE) {
            double number = Double.longBitsToDouble(bits);
            int low = 0;
            int high = edges.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (edges[middle] <= number) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
        boolean beyond = kind == KeyEncoder.UNSIGNED;
        int low = beyond ? signed : 0;
        int high = beyond ? unsigned : signed;
        while (low < high) {
            int middle = (low + high) >>> 1;
            boolean reached = beyond ? Long.compareUnsigned(integers[middle], bits) <= 0 : integers[middle] <= bits;
            if (reached) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether a key is a number of some bins. */
    boolean holds(byte[] key, int fromBin, int toBin) {
        UnsafeBuffer buffer = new UnsafeBuffer(key);
        byte kind = buffer.getByte(0);
        if (kind != KeyEncoder.INTEGER && kind != KeyEncoder.UNSIGNED && kind != KeyEncoder.DOUBLE) {
            return false;
        }
        int bin = bin(kind, buffer.getLong(1));
        return bin >= fromBin && bin < toBin;
    }

    /** The least number of a bin; negative infinity for the first. */
    double low(int bin) {
        return bin == 0 ? Double.NEGATIVE_INFINITY : edges[bin - 1];
    }

    /** What the numbers of a bin are below; infinity for the last. */
    double high(int bin) {
        return bin == edges.length ? Double.POSITIVE_INFINITY : edges[bin];
    }

    /** An edge as a decimal number that is exactly as great, or below 2^53 (floats: 2^24) has the same double; null if it is infinite. */
    @Nullable
    BigDecimal decimal(double edge) {
        if (Double.isInfinite(edge)) {
            return null;
        } else if (Math.abs(edge) >= (single ? TWO_24 : TWO_53)) {
            return new BigDecimal(edge);
        }
        BigDecimal shortest =
                new BigDecimal(single ? Float.toString((float) edge) : Double.toString(edge)).stripTrailingZeros();
        return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
    }
}
