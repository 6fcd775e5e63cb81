package dev.loom.server.prometheus.promql;

import org.jspecify.annotations.Nullable;

/**
 * Where the buckets of a native histogram lie, by their numbers. Equal layouts have the same buckets.
 *
 * @see Exponential
 */
public interface BucketLayout {
    /** The lower end of a bucket; of one below zero, of the absolute values. */
    double low(int bucket);

    /** The upper end of a bucket; of one below zero, of the absolute values. */
    double high(int bucket);

    /** Which ends belong to a bucket; of one below zero, of the absolute values. */
    Ends ends(int bucket);

    /** The ends that belong to a bucket. */
    enum Ends {
        HIGH(0),
        LOW(1),
        BOTH(3);

        private final int number;

        Ends(int number) {
            this.number = number;
        }

        /** The number that stands for them in answers. */
        public int number() {
            return number;
        }
    }

    /** Whether values within a bucket are taken to be spread as evenly on a logarithmic scale as the buckets are. */
    boolean logarithmic();

    /**
     * The layout that both can be brought to.
     *
     * @return null if there is none
     */
    default @Nullable BucketLayout common(BucketLayout other) {
        return equals(other) ? this : null;
    }

    /** The bucket of a {@link #common} layout that holds a bucket of this one. */
    default int bucketIn(BucketLayout coarser, int bucket) {
        return bucket;
    }

    /**
     * Buckets between powers of a base, which is 2 to the power of 2 to the power of the negative schema: bucket n is above the base to
     * the power of n - 1, up to the next power.
     *
     * @param schema from -4 to 8, or less
     */
    record Exponential(int schema) implements BucketLayout {
        private static final int SHIFT_MAX = 31;

        @Override
        public double low(int bucket) {
            return high(bucket - 1);
        }

        @Override
        public double high(int bucket) {
            if (schema <= 0) {
                // 2 to the power of a whole number
                long exponent = (long) bucket << Math.min(-schema, SHIFT_MAX);
                return exponent > Double.MAX_EXPONENT
                        ? infinite(exponent)
                        : Math.scalb(1.0, (int) Math.max(exponent, -2_000));
            }
            int fractions = 1 << schema;
            int whole = Math.floorDiv(bucket, fractions);
            int part = Math.floorMod(bucket, fractions);
            return whole > Double.MAX_EXPONENT
                    ? infinite(whole + (long) part)
                    : Math.scalb(Math.pow(2, part / (double) fractions), whole);
        }

        /** What lies beyond the greatest number has it as its bound, so that no bucket ends at infinity. */
        private static double infinite(long exponent) {
            return exponent == Double.MAX_EXPONENT + 1L ? Double.MAX_VALUE : Double.POSITIVE_INFINITY;
        }

        @Override
        public Ends ends(int bucket) {
            return Ends.HIGH;
        }

        @Override
        public boolean logarithmic() {
            return true;
        }

        @Override
        public @Nullable BucketLayout common(BucketLayout other) {
            return other instanceof Exponential that ? new Exponential(Math.min(schema, that.schema)) : null;
        }

        @Override
        public int bucketIn(BucketLayout coarser, int bucket) {
            int shift = schema - ((Exponential) coarser).schema;
            return ((bucket - 1) >> Math.min(shift, SHIFT_MAX)) + 1;
        }
    }
}
