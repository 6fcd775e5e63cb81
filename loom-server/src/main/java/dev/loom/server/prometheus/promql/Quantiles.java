package dev.loom.server.prometheus.promql;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Quantiles of values, of classic histograms and of native ones, interpolated as Prometheus does it. */
final class Quantiles {
    /** Relative differences below this are noise of calculation. */
    private static final double NOISE = 1e-12;

    private Quantiles() {}

    /** A quantile that says nothing of the values: of none, or beyond 0 and 1; null for others. */
    private static @Nullable Double beyond(double q, double values) {
        if (Double.isNaN(q) || values == 0) {
            return q < 0 ? Double.NEGATIVE_INFINITY : q > 1 ? Double.POSITIVE_INFINITY : (Double) Double.NaN;
        }
        return q < 0 ? (Double) Double.NEGATIVE_INFINITY : q > 1 ? (Double) Double.POSITIVE_INFINITY : null;
    }

    /** Of values, which are sorted. Between two, it is interpolated. */
    static double ofValues(double q, double[] values) {
        Double beyond = beyond(q, values.length);
        if (beyond != null) {
            return values.length == 0 ? Double.NaN : beyond;
        }
        sort(values);
        double rank = q * (values.length - 1);
        int low = (int) Math.floor(rank);
        int high = Math.min(values.length - 1, low + 1);
        double weight = rank - low;
        return values[low] * (1 - weight) + values[high] * weight;
    }

    /** NaN comes first. */
    private static void sort(double[] values) {
        Arrays.sort(values);
        int numbers = values.length;
        while (numbers > 0 && Double.isNaN(values[numbers - 1])) {
            numbers--;
        }
        int others = values.length - numbers;
        if (others > 0) {
            System.arraycopy(values, 0, values, others, numbers);
            Arrays.fill(values, 0, others, Double.NaN);
        }
    }

    /**
     * The values up to a bound.
     *
     * @param count of all values up to it, those of lower buckets included
     */
    record Bucket(double bound, double count) {}

    /** Of a classic histogram. */
    static double ofBuckets(double q, List<Bucket> buckets) {
        Double beyond = beyond(q, 1);
        if (beyond != null) {
            return beyond;
        }
        double[] bounds =
                buckets.stream().mapToDouble(Bucket::bound).distinct().sorted().toArray();
        if (bounds.length < 2 || bounds[bounds.length - 1] != Double.POSITIVE_INFINITY) {
            return Double.NaN;
        }
        double[] counts = new double[bounds.length];
        for (Bucket bucket : buckets) {
            counts[Arrays.binarySearch(bounds, bucket.bound())] += bucket.count();
        }
        rise(counts);
        int last = counts.length - 1;
        double all = counts[last];
        if (all == 0) {
            return Double.NaN;
        }
        double rank = q * all;
        int at = 0;
        while (at < last && !(counts[at] >= rank)) {
            at++;
        }
        if (at == last) {
            return bounds[last - 1];
        } else if (at == 0 && bounds[0] <= 0) {
            return bounds[0];
        }
        double low = at == 0 ? 0 : bounds[at - 1];
        double below = at == 0 ? 0 : counts[at - 1];
        return low + (bounds[at] - low) * ((rank - below) / (counts[at] - below));
    }

    /** Makes counts rise: what is less than before, or differs by noise alone, is as before. */
    private static void rise(double[] counts) {
        for (int i = 1; i < counts.length; i++) {
            if (counts[i] < counts[i - 1] || isNoise(counts[i], counts[i - 1])) {
                counts[i] = counts[i - 1];
            }
        }
    }

    private static boolean isNoise(double a, double b) {
        double size = Math.min(Math.abs(a) + Math.abs(b), Double.MAX_VALUE);
        double apart = Math.abs(a - b);
        boolean tiny = a == 0 || b == 0 || size < Double.MIN_NORMAL;
        return tiny ? apart < NOISE * Double.MIN_NORMAL : apart / size < NOISE;
    }

    /** Of a native histogram. */
    static double ofHistogram(double q, NativeHistogram histogram) {
        Double beyond = beyond(q, histogram.count());
        if (beyond != null) {
            return beyond;
        }
        List<NativeHistogram.Bucket> buckets = histogram.buckets();
        if (buckets.isEmpty()) {
            return Double.NaN;
        }
        // from the nearer end, as sums of few are exact; values that are no numbers are in no bucket, but in the count
        boolean forward = Double.isNaN(histogram.sum()) || q < 0.5;
        double rank = (forward ? q : 1 - q) * histogram.count();
        double count = 0;
        int at = -1;
        while (count < rank || at < 0) {
            if (++at == buckets.size()) {
                at--;
                break;
            }
            count += buckets.get(forward ? at : buckets.size() - 1 - at).count();
        }
        NativeHistogram.Bucket bucket = buckets.get(forward ? at : buckets.size() - 1 - at);
        count = Math.min(count, histogram.count());
        if (count < rank) {
            return Double.isNaN(histogram.sum()) ? Double.NaN : bucket.high();
        }
        double share = (forward ? rank - (count - bucket.count()) : count - rank) / bucket.count();
        return within(bucket, share, histogram);
    }

    private static double within(NativeHistogram.Bucket bucket, double share, NativeHistogram histogram) {
        double low = bucket.low();
        double high = bucket.high();
        boolean logarithmic = histogram.layout().logarithmic();
        if (logarithmic && low < 0 && high > 0) {
            low = histogram.hasPositive() && !histogram.hasNegative() ? 0 : low;
            high = histogram.hasNegative() && !histogram.hasPositive() ? 0 : high;
        } else if (!logarithmic && low == Double.NEGATIVE_INFINITY) {
            if (high <= 0) {
                return high;
            }
            low = 0;
        } else if (!logarithmic && high == Double.POSITIVE_INFINITY) {
            return low;
        }
        if (!logarithmic || (low <= 0 && high >= 0)) {
            return low + (high - low) * share;
        }
        double logLow = log2(Math.abs(low));
        double logHigh = log2(Math.abs(high));
        return low > 0
                ? Math.pow(2, logLow + (logHigh - logLow) * share)
                : -Math.pow(2, logHigh + (logLow - logHigh) * (1 - share));
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }
}
