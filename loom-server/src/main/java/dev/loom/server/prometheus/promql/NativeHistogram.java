package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A histogram as one value. Immutable. */
public final class NativeHistogram {
    private final BucketLayout layout;
    private final double count;
    private final double sum;
    private final double zeroThreshold;
    private final double zeroCount;
    private final BucketSide positive;
    private final BucketSide negative;

    private NativeHistogram(
            BucketLayout layout,
            double count,
            double sum,
            double zeroThreshold,
            double zeroCount,
            BucketSide positive,
            BucketSide negative) {
        this.layout = layout;
        this.count = count;
        this.sum = sum;
        this.zeroThreshold = zeroThreshold;
        this.zeroCount = zeroCount;
        this.positive = positive;
        this.negative = negative;
    }

    /**
     * A bucket with its ends.
     *
     * @param ends which of them belong to it
     */
    public record Bucket(BucketLayout.Ends ends, double low, double high, double count) {}

    /** Collects the buckets of a histogram that are not empty. For one thread. */
    public static final class Builder {
        private final BucketLayout layout;
        private final Side positive = new Side();
        private final Side negative = new Side();
        private double zeroThreshold;
        private double zeroCount;

        /** @param layout of the buckets on both sides of zero */
        public Builder(BucketLayout layout) {
            this.layout = layout;
        }

        /** Numbers and counts as they come. */
        private static final class Side {
            private final List<Integer> numbers = new ArrayList<>();
            private final List<Double> counts = new ArrayList<>();

            void add(int number, double count) {
                if (count != 0) {
                    numbers.add(number);
                    counts.add(count);
                }
            }

            BucketSide build() {
                return new BucketSide(
                        numbers.stream().mapToInt(Integer::intValue).toArray(),
                        counts.stream().mapToDouble(Double::doubleValue).toArray());
            }
        }

        /** Sets what is counted as zero: absolute values up to the threshold, which is 0 if it is given as none. */
        public Builder zero(double threshold, double values) {
            zeroThreshold = threshold > 0 && Double.isFinite(threshold) ? threshold : 0;
            zeroCount = values;
            return this;
        }

        /** Adds a bucket, in ascending order; with an exponential layout of values above zero. */
        public Builder positive(int number, double values) {
            positive.add(number, values);
            return this;
        }

        /** Adds a bucket of values below zero, by their absolute values, in ascending order. */
        public Builder negative(int number, double values) {
            negative.add(number, values);
            return this;
        }

        /** The histogram with the number of its values and their sum. */
        public NativeHistogram build(double count, double sum) {
            return new NativeHistogram(
                    layout, count, sum, zeroThreshold, zeroCount, positive.build(), negative.build());
        }
    }

    public double count() {
        return count;
    }

    public double sum() {
        return sum;
    }

    BucketLayout layout() {
        return layout;
    }

    boolean hasPositive() {
        return positive.size() > 0;
    }

    boolean hasNegative() {
        return negative.size() > 0;
    }

    /** About how much memory it takes, in bytes. */
    public long bytes() {
        return 160 + 12L * (positive.size() + negative.size());
    }

    /** Whether both can be added up. */
    boolean isCompatible(NativeHistogram other) {
        return layout.common(other.layout) != null;
    }

    /** The same in a layout that the other can be brought to, too. */
    NativeHistogram inCommon(NativeHistogram other) {
        return in(common(other));
    }

    NativeHistogram plus(NativeHistogram other) {
        return plus(other, 1);
    }

    NativeHistogram minus(NativeHistogram other) {
        return plus(other, -1);
    }

    NativeHistogram times(double factor) {
        return new NativeHistogram(
                layout,
                count * factor,
                sum * factor,
                zeroThreshold,
                zeroCount * factor,
                positive.map(each -> each * factor),
                negative.map(each -> each * factor));
    }

    NativeHistogram dividedBy(double divisor) {
        return new NativeHistogram(
                layout,
                count / divisor,
                sum / divisor,
                zeroThreshold,
                zeroCount / divisor,
                positive.map(each -> each / divisor),
                negative.map(each -> each / divisor));
    }

    private NativeHistogram plus(NativeHistogram other, double factor) {
        BucketLayout common = common(other);
        NativeHistogram mine = in(common);
        NativeHistogram theirs = other.in(common);
        double threshold = zeroThreshold;
        // both have to agree on what is zero; a wider threshold may lie within a bucket, which is then zero as a whole
        while (mine.zeroThreshold < theirs.zeroThreshold || mine.zeroThreshold > theirs.zeroThreshold) {
            threshold = Math.max(mine.zeroThreshold, theirs.zeroThreshold);
            mine = mine.withZero(threshold);
            theirs = theirs.withZero(Math.max(threshold, mine.zeroThreshold));
        }
        return new NativeHistogram(
                common,
                count + factor * other.count,
                sum + factor * other.sum,
                mine.zeroThreshold,
                mine.zeroCount + factor * theirs.zeroCount,
                mine.positive.plus(theirs.positive, factor),
                mine.negative.plus(theirs.negative, factor));
    }

    private BucketLayout common(NativeHistogram other) {
        BucketLayout common = layout.common(other.layout);
        if (common == null) {
            throw new IllegalArgumentException("layouts of histograms differ");
        }
        return common;
    }

    private NativeHistogram in(BucketLayout coarser) {
        return layout.equals(coarser)
                ? this
                : new NativeHistogram(
                        coarser,
                        count,
                        sum,
                        zeroThreshold,
                        zeroCount,
                        positive.in(layout, coarser),
                        negative.in(layout, coarser));
    }

    /** The same with a zero bucket up to a greater threshold, or to the end of the bucket that it lies in. */
    private NativeHistogram withZero(double threshold) {
        if (threshold <= zeroThreshold) {
            return this;
        }
        double wide = threshold;
        for (BucketSide side : List.of(positive, negative)) {
            for (int i = 0; i < side.size() && layout.low(side.number(i)) < wide; i++) {
                wide = Math.max(wide, layout.high(side.number(i)));
            }
        }
        BucketSide above = beyond(positive, wide);
        BucketSide below = beyond(negative, wide);
        double zero = zeroCount + positive.sum() - above.sum() + negative.sum() - below.sum();
        return new NativeHistogram(layout, count, sum, wide, zero, above, below);
    }

    private BucketSide beyond(BucketSide side, double threshold) {
        int begin = 0;
        while (begin < side.size() && layout.low(side.number(begin)) < threshold) {
            begin++;
        }
        int[] numbers = new int[side.size() - begin];
        double[] counts = new double[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = side.number(begin + i);
            counts[i] = side.count(begin + i);
        }
        return new BucketSide(numbers, counts);
    }

    /** Whether counting must have started over after an earlier value. */
    boolean isResetSince(NativeHistogram earlier) {
        if (count < earlier.count) {
            return true;
        }
        BucketLayout common = layout.common(earlier.layout);
        // finer buckets, or less that counts as zero, can only be had from the beginning
        if (common == null || !common.equals(layout) || zeroThreshold < earlier.zeroThreshold) {
            return true;
        }
        NativeHistogram before = earlier.in(common).withZero(zeroThreshold);
        return before.zeroThreshold != zeroThreshold
                || zeroCount < before.zeroCount
                || hasFewer(positive, before.positive)
                || hasFewer(negative, before.negative);
    }

    private static boolean hasFewer(BucketSide now, BucketSide before) {
        for (int i = 0; i < before.size(); i++) {
            if (now.countOf(before.number(i)) < before.count(i)) {
                return true;
            }
        }
        return false;
    }

    /** The buckets that are not empty, from the lowest values up. */
    public List<Bucket> buckets() {
        List<Bucket> buckets = new ArrayList<>();
        for (int i = negative.size() - 1; i >= 0; i--) {
            int number = negative.number(i);
            buckets.add(
                    new Bucket(mirrored(layout.ends(number)), -layout.high(number), -low(number), negative.count(i)));
        }
        if (zeroCount > 0) { // Prometheus shows no negative one
            buckets.add(new Bucket(BucketLayout.Ends.BOTH, 0 - zeroThreshold, zeroThreshold, zeroCount));
        }
        for (int i = 0; i < positive.size(); i++) {
            int number = positive.number(i);
            buckets.add(new Bucket(layout.ends(number), low(number), layout.high(number), positive.count(i)));
        }
        return Collections.unmodifiableList(buckets);
    }

    /** A bucket reaches no farther towards zero than what counts as zero. */
    private double low(int number) {
        double low = layout.low(number);
        return low > 0 ? Math.max(low, zeroThreshold) : low;
    }

    private static BucketLayout.Ends mirrored(BucketLayout.Ends ends) {
        return switch (ends) {
            case HIGH -> BucketLayout.Ends.LOW;
            case LOW -> BucketLayout.Ends.HIGH;
            default -> ends;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NativeHistogram that
                && layout.equals(that.layout)
                && count == that.count
                && (sum == that.sum || (Double.isNaN(sum) && Double.isNaN(that.sum)))
                && buckets().equals(that.buckets());
    }

    @Override
    public int hashCode() {
        return Double.hashCode(count);
    }

    @Override
    public String toString() {
        return "{count:" + count + ", sum:" + sum + ", buckets:" + buckets() + "}";
    }
}
