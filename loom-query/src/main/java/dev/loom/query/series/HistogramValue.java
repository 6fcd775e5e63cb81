package dev.loom.query.series;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a histogram's buckets. Explicit ones lie between bounds: up to the first, between two, above the last. Those of an
 * exponential histogram are powers of a base, which is 2 to the power of 2 to the power of the negative scale: bucket n is above the
 * base to the power of n, up to the next power.
 *
 * @param bounds of explicit buckets, ascending; null for an exponential histogram
 * @param positive the counts of explicit buckets, one more than bounds; or of exponential ones above zero
 * @param scale of an exponential histogram, as what follows
 * @param zeroCount how many values are zero, or not farther from it than the threshold
 * @param negative the counts of the absolute values below zero
 */
record HistogramValue(
        @Nullable List<Double> bounds,
        BucketCounts positive,
        int scale,
        long zeroCount,
        double zeroThreshold,
        BucketCounts negative) {
    private static final int SCALE_MAX = 64;
    private static final int OFFSET_MAX = 1 << 30;
    private static final int SHIFT_MAX = Integer.SIZE - 1;
    private static final long BOUND_BYTES = 24;

    static HistogramValue explicit(List<Double> bounds, BucketCounts counts) {
        return new HistogramValue(bounds, counts, 0, 0, 0, BucketCounts.NONE);
    }

    /** Reads buckets as records have them; null if they are none. */
    static @Nullable HistogramValue parse(String json) {
        Map<String, Object> members = BucketText.read(json);
        try {
            return members == null ? null : members.containsKey("scale") ? exponential(members) : explicit(members);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }

    private static @Nullable HistogramValue explicit(Map<String, Object> members) {
        List<Double> bounds = new ArrayList<>();
        for (Object bound : numbers(members.get("bounds"))) {
            double number = number(bound);
            if (Double.isNaN(number) || (!bounds.isEmpty() && number <= bounds.get(bounds.size() - 1))) {
                return null;
            }
            bounds.add(number);
        }
        BucketCounts counts = counts(0, members.get("counts"));
        return counts.size() == bounds.size() + 1 ? explicit(List.copyOf(bounds), counts) : null;
    }

    private static @Nullable HistogramValue exponential(Map<String, Object> members) {
        int scale = integer(members.get("scale"));
        long zeroCount = members.containsKey("zero_count") ? count(members.get("zero_count")) : 0;
        double threshold = members.containsKey("zero_threshold") ? number(members.get("zero_threshold")) : 0;
        BucketCounts positive = side(members.get("positive"));
        BucketCounts negative = side(members.get("negative"));
        return Math.abs(scale) > SCALE_MAX || !(threshold >= 0)
                ? null
                : new HistogramValue(null, positive, scale, zeroCount, threshold, negative);
    }

    private static BucketCounts side(@Nullable Object value) {
        if (value == null) {
            return BucketCounts.NONE;
        } else if (!(value instanceof Map<?, ?> side)) {
            throw new IllegalArgumentException("not an object");
        } else {
            int offset = side.containsKey("offset") ? integer(side.get("offset")) : 0;
            if (Math.abs(offset) > OFFSET_MAX) {
                throw new IllegalArgumentException("offset is too large");
            }
            return counts(offset, side.get("counts"));
        }
    }

    private static BucketCounts counts(int first, @Nullable Object value) {
        return new BucketCounts(
                first, numbers(value).stream().mapToLong(HistogramValue::count).toArray());
    }

    private static List<?> numbers(@Nullable Object value) {
        if (value == null) {
            return List.of();
        } else if (value instanceof List<?> numbers) {
            return numbers;
        }
        throw new IllegalArgumentException("not an array");
    }

    private static long count(@Nullable Object text) {
        long count = new BigDecimal(String.valueOf(text)).longValueExact();
        if (count < 0) {
            throw new IllegalArgumentException("negative count");
        }
        return count;
    }

    private static int integer(@Nullable Object text) {
        return new BigDecimal(String.valueOf(text)).intValueExact();
    }

    private static double number(@Nullable Object text) {
        return Double.parseDouble(String.valueOf(text));
    }

    /** The number of values. */
    long count() {
        return BucketCounts.plus(zeroCount, BucketCounts.plus(positive.sum(), negative.sum()));
    }

    /** The memory of its counts and bounds, in bytes. */
    long bytes() {
        return (long) (positive.size() + negative.size()) * Long.BYTES
                + (bounds == null ? 0 : BOUND_BYTES * bounds.size());
    }

    /** Whether one has the same buckets as the other, or may be given the same. */
    boolean isComparable(HistogramValue other) {
        return bounds != null
                ? bounds.equals(other.bounds)
                : other.bounds == null && zeroThreshold == other.zeroThreshold;
    }

    /** What was counted since an earlier value with comparable buckets; null if a bucket has fewer now. */
    @Nullable
    HistogramValue since(HistogramValue earlier) {
        int least = Math.min(scale, earlier.scale);
        HistogramValue now = atScale(least);
        HistogramValue before = earlier.atScale(least);
        BucketCounts above = now.positive.minus(before.positive);
        BucketCounts below = now.negative.minus(before.negative);
        long zero = zeroCount - earlier.zeroCount;
        return above == null || below == null || zero < 0
                ? null
                : new HistogramValue(bounds, above, least, zero, zeroThreshold, below);
    }

    /** The same values in exponential buckets of a scale that is not greater. */
    HistogramValue atScale(int lower) {
        int shift = shift(lower);
        return shift == 0
                ? this
                : new HistogramValue(
                        null, positive.merged(shift), lower, zeroCount, zeroThreshold, negative.merged(shift));
    }

    private int shift(int lower) {
        return Math.min(scale - lower, SHIFT_MAX);
    }

    /** Exponential buckets that hold the counts of both, which have the same scale. */
    HistogramValue plus(HistogramValue other) {
        return new HistogramValue(
                null,
                positive.plus(other.positive),
                scale,
                BucketCounts.plus(zeroCount, other.zeroCount),
                Math.max(zeroThreshold, other.zeroThreshold),
                negative.plus(other.negative));
    }

    /** How many exponential buckets both would have on the longer side of zero at a scale. */
    static long width(HistogramValue a, HistogramValue b, int scale) {
        int shiftA = a.shift(scale);
        int shiftB = b.shift(scale);
        return Math.max(
                BucketCounts.width(a.positive, shiftA, b.positive, shiftB),
                BucketCounts.width(a.negative, shiftA, b.negative, shiftB));
    }

    private double power(long exponent) {
        // the exponent is exact, except for very small ones
        return Math.pow(2, Math.scalb((double) exponent, -scale));
    }

    /** Takes buckets that have values. */
    interface Intervals {
        /** Values from a low to a high end, which may be infinite. */
        void add(double low, double high, long count);
    }

    /** Hands over all buckets. */
    void addTo(Intervals intervals) {
        if (bounds != null) {
            for (int i = 0; i < positive.size(); i++) {
                intervals.add(
                        i == 0 ? Double.NEGATIVE_INFINITY : bounds.get(i - 1),
                        i == bounds.size() ? Double.POSITIVE_INFINITY : bounds.get(i),
                        positive.count(i));
            }
            return;
        }
        intervals.add(-zeroThreshold, zeroThreshold, zeroCount);
        for (int i = 0; i < positive.size(); i++) {
            long exponent = positive.number(i);
            intervals.add(power(exponent), power(exponent + 1), positive.count(i));
        }
        for (int i = 0; i < negative.size(); i++) {
            long exponent = negative.number(i);
            intervals.add(-power(exponent + 1), -power(exponent), negative.count(i));
        }
    }
}
