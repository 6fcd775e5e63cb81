package dev.loom.query.series;

import dev.loom.query.model.PercentileEstimate;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What histograms of many series and points counted, to find percentiles of all of it.
 *
 * <p>Explicit buckets with equal bounds are added up; with other bounds they stay beside each other. Exponential ones are brought to the
 * least scale of them, and to a lesser one if they would be more than {@link #EXPONENTIAL_MAX}. Of what comes with more than {@link
 * #BOUNDS_MAX} different bounds, or without buckets, only the number is kept: it may be anywhere.
 *
 * <p>A percentile is the value of rank {@code ceil(p/100*n)}. It is not below the lower end that has this rank among all lower ends, and
 * not above the upper end that has it among all upper ends, however buckets overlap. The estimate lies where that many values are
 * reached if those of each bucket are spread evenly over it. For one thread.
 */
final class Distribution {
    /** The most exponential buckets on one side of zero. */
    static final int EXPONENTIAL_MAX = 1_024;

    /** The most sets of explicit bounds. */
    static final int BOUNDS_MAX = 64;

    private static final int HALVINGS = 200;

    private final List<HistogramValue> explicit = new ArrayList<>();
    private @Nullable HistogramValue exponential;
    private long anywhere;
    private boolean bounded = true;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    /**
     * Adds values.
     *
     * @param buckets null if they are not known
     * @param count of all values, for that case
     * @param least not above any value; NaN if not known
     * @param greatest not below any value; NaN if not known
     */
    void add(@Nullable HistogramValue buckets, long count, double least, double greatest) {
        if (buckets == null ? count <= 0 : buckets.count() == 0) {
            return;
        }
        bounded &= least <= greatest;
        min = Math.min(min, least);
        max = Math.max(max, greatest);
        if (buckets == null) {
            anywhere = BucketCounts.plus(anywhere, count);
        } else if (buckets.bounds() == null) {
            addExponential(buckets);
        } else {
            addExplicit(buckets);
        }
    }

    private void addExponential(HistogramValue more) {
        HistogramValue known = exponential == null ? more : exponential;
        boolean first = exponential == null;
        int scale = Math.min(known.scale(), more.scale());
        while (HistogramValue.width(known, more, scale) > EXPONENTIAL_MAX) {
            scale--;
        }
        exponential = first ? more.atScale(scale) : known.atScale(scale).plus(more.atScale(scale));
    }

    private void addExplicit(HistogramValue more) {
        for (HistogramValue known : explicit) {
            if (known.isComparable(more)) {
                known.positive().add(more.positive());
                return;
            }
        }
        if (explicit.size() < BOUNDS_MAX) {
            List<Double> bounds = more.bounds();
            explicit.add(HistogramValue.explicit(
                    bounds == null ? List.of() : bounds, more.positive().copy()));
        } else {
            anywhere = BucketCounts.plus(anywhere, more.count());
        }
    }

    /** The memory of what it holds, in bytes. */
    long bytes() {
        return explicit.stream().mapToLong(HistogramValue::bytes).sum()
                + (exponential == null ? 0 : exponential.bytes());
    }

    private record Interval(double low, double high, long count) {}

    /** A percentile of all values; null if there are none. */
    @Nullable
    PercentileEstimate percentile(BigDecimal p) {
        List<Interval> all = new ArrayList<>();
        HistogramValue.Intervals into = (low, high, count) -> {
            if (count > 0) {
                all.add(new Interval(clamped(low), clamped(high), count));
            }
        };
        explicit.forEach(buckets -> buckets.addTo(into));
        if (exponential != null) {
            exponential.addTo(into);
        }
        into.add(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, anywhere);
        long values = all.stream().mapToLong(Interval::count).reduce(0, BucketCounts::plus);
        if (values == 0) {
            return null;
        } else if (values == Long.MAX_VALUE) {
            // too many for their sum to be known
            return new PercentileEstimate(Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        long rank = Math.max(
                1,
                p.multiply(BigDecimal.valueOf(values))
                        .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING)
                        .longValue());
        double low = end(all, Comparator.comparingDouble(Interval::low), rank).low();
        double high = end(all, Comparator.comparingDouble(Interval::high), rank).high();
        return new PercentileEstimate(estimate(all, rank, low, high), low, high);
    }

    private double clamped(double end) {
        return bounded ? Math.max(min, Math.min(max, end)) : end;
    }

    private static Interval end(List<Interval> all, Comparator<Interval> order, long rank) {
        all.sort(order);
        long left = rank;
        for (Interval interval : all) {
            left -= interval.count();
            if (left <= 0) {
                return interval;
            }
        }
        throw new IllegalStateException("rank is beyond all values: rank=" + rank);
    }

    /** Halves the range of possible values until both halves are one double. */
    private static double estimate(List<Interval> all, long rank, double low, double high) {
        double from = low;
        double to = high;
        if (Double.isInfinite(from) || Double.isInfinite(to)) {
            return Double.isInfinite(from) && Double.isInfinite(to) ? Double.NaN : Double.isInfinite(from) ? to : from;
        }
        for (int i = 0; i < HALVINGS && from < to; i++) {
            double middle = from + (to - from) / 2;
            if (middle <= from || middle >= to) {
                break;
            } else if (below(all, middle) >= rank) {
                to = middle;
            } else {
                from = middle;
            }
        }
        return to;
    }

    /** How many values are up to a number, if those of each interval are spread evenly; those of an open one are at its end, half of those that may be anywhere. */
    private static double below(List<Interval> all, double number) {
        double count = 0;
        for (Interval interval : all) {
            if (Double.isInfinite(interval.low()) && Double.isInfinite(interval.high())) {
                count += interval.count() / 2.0;
                continue;
            }
            double low = Double.isInfinite(interval.low()) ? interval.high() : interval.low();
            double high = Double.isInfinite(interval.high()) ? interval.low() : interval.high();
            if (number >= high) {
                count += interval.count();
            } else if (number > low) {
                count += interval.count() * ((number - low) / (high - low));
            }
        }
        return count;
    }
}
