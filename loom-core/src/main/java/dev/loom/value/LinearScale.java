package dev.loom.value;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

/**
 * Bins of equal width and the outlier bins. The stored edges decide; a division only gives the first guess, which is
 * off by at most one.
 */
final class LinearScale extends EdgeScale {
    private static final MathContext DIGITS = new MathContext(60);

    private final ValueType type;
    private final long minKey;
    private final double min;
    private final double binsPerUnit;

    private LinearScale(long[] edges, ValueType type, double min, double binsPerUnit) {
        super(edges, type);
        this.type = type;
        this.minKey = edges[0];
        this.min = min;
        this.binsPerUnit = binsPerUnit;
    }

    static LinearScale between(Bins bins, ValueType type) {
        BigDecimal min = bins.edges().get(0);
        BigDecimal width = bins.edges().get(1).subtract(min);
        double binsPerUnit = BigDecimal.valueOf(bins.count())
                .divide(width, MathContext.DECIMAL128)
                .doubleValue();
        if (Double.isInfinite(width.doubleValue())
                || Double.isInfinite(binsPerUnit)
                || binsPerUnit < Double.MIN_NORMAL) {
            throw new IllegalArgumentException("bins are too wide or too narrow: min=" + min + ", max="
                    + bins.edges().get(1) + ", count=" + bins.count());
        }
        return new LinearScale(edges(bins, min, width, type), type, min.doubleValue(), binsPerUnit);
    }

    private static long[] edges(Bins bins, BigDecimal min, BigDecimal width, ValueType type) {
        long[] edges = new long[bins.count() + 1];
        Division division = new Division(min, width, bins.count());
        for (int i = 0; i < edges.length; i++) {
            edges[i] = type == ValueType.F64
                    ? EdgeKeys.edge(division.nearest(i), type)
                    : EdgeKeys.edge(new BigDecimal(division.ceiling(i)), type);
            if (i > 0) {
                EdgeKeys.checkAscending(edges[i - 1], edges[i], type);
            }
        }
        return edges;
    }

    /** The numbers {@code min + width * i / count}, computed in integers with a common power of ten. */
    private static final class Division {
        private final BigInteger start;
        private final BigInteger step;
        private final BigInteger divisor;
        private final BigDecimal count;
        private final int scale;

        Division(BigDecimal min, BigDecimal width, int count) {
            scale = Math.max(0, Math.max(min.scale(), width.scale()));
            start = min.setScale(scale).unscaledValue().multiply(BigInteger.valueOf(count));
            step = width.setScale(scale).unscaledValue();
            this.count = BigDecimal.valueOf(count);
            divisor = BigInteger.TEN.pow(scale).multiply(BigInteger.valueOf(count));
        }

        private BigInteger numerator(int i) {
            return start.add(step.multiply(BigInteger.valueOf(i)));
        }

        BigInteger ceiling(int i) {
            BigInteger[] parts = numerator(i).divideAndRemainder(divisor);
            return parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
        }

        /** Has far more digits than a double. */
        BigDecimal nearest(int i) {
            return new BigDecimal(numerator(i), scale).divide(count, DIGITS);
        }
    }

    @Override
    public int bin(long key) {
        if (key < minKey) {
            return 0;
        }
        double distance = type == ValueType.F64 ? ValueType.doubleOf(key) - min : unsignedDouble(key - minKey);
        return near((int) (distance * binsPerUnit), key);
    }

    @Override
    public void bins(long[] keys, int length, int[] into) {
        for (int i = 0; i < length; i++) {
            into[i] = bin(keys[i]);
        }
    }

    private static double unsignedDouble(long difference) {
        return difference >= 0 ? difference : (difference >>> 1) * 2.0;
    }
}
