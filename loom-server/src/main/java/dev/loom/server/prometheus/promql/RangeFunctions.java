package dev.loom.server.prometheus.promql;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Functions of the samples of one series in a time. For one thread. */
final class RangeFunctions {
    /** Gaps up to this many mean distances of samples are bridged. */
    private static final double BRIDGED = 1.1;

    private final Remarks remarks;

    RangeFunctions(Remarks remarks) {
        this.remarks = remarks;
    }

    /** What a function gives, with the labels of the series; null for nothing. */
    @Nullable
    Element apply(Function function, double parameter, Window window) {
        if (window.size() == 0) {
            return null;
        }
        return switch (function) {
            case RATE -> window.isDelta() ? added(window, window.seconds()) : extrapolated(window, true, true);
            case INCREASE -> window.isDelta() ? added(window, 1) : extrapolated(window, true, false);
            case DELTA -> extrapolated(requireCumulative(function, window), false, false);
            case IRATE -> last(requireCumulative(function, window), true);
            case IDELTA -> last(requireCumulative(function, window), false);
            case RESETS -> number(window, resets(requireCumulative(function, window)));
            case CHANGES -> number(window, changes(window));
            case COUNT_OVER_TIME -> number(window, window.size());
            case PRESENT_OVER_TIME -> number(window, 1);
            case LAST_OVER_TIME -> at(window, window.size() - 1);
            case SUM_OVER_TIME -> added(window, 1);
            case AVG_OVER_TIME -> mean(window);
            default -> window.ofHistograms() ? null : number(window, ofNumbers(function, parameter, window));
        };
    }

    private static Window requireCumulative(Function function, Window window) {
        if (window.isDelta()) {
            throw new EvaluationException(function.text() + " needs a cumulative series, and the points of "
                    + window.labels() + " are deltas: use increase, rate or sum_over_time");
        }
        return window;
    }

    private static Element number(Window window, double value) {
        return new Element(window.labels(), value);
    }

    private static Element at(Window window, int i) {
        return window.ofHistograms()
                ? new Element(window.labels(), window.histogram(i))
                : number(window, window.value(i));
    }

    private @Nullable Element added(Window window, double divisor) {
        if (!window.ofHistograms()) {
            return number(window, CompensatedSum.of(window) / divisor);
        }
        NativeHistogram sum = sum(window);
        return sum == null ? null : new Element(window.labels(), divisor == 1 ? sum : sum.dividedBy(divisor));
    }

    private @Nullable NativeHistogram sum(Window window) {
        NativeHistogram sum = window.histogram(0);
        for (int i = 1; i < window.size(); i++) {
            if (!sum.isCompatible(window.histogram(i))) {
                return mixed(window);
            }
            sum = sum.plus(window.histogram(i));
        }
        return sum;
    }

    private @Nullable NativeHistogram mixed(Window window) {
        remarks.warn(
                "histograms of " + window.labels() + " have buckets that can't be brought together, and are left out");
        return null;
    }

    private @Nullable Element mean(Window window) {
        if (window.ofHistograms()) {
            return added(window, window.size());
        }
        CompensatedSum.Mean mean = new CompensatedSum.Mean();
        each(window, mean::add);
        return number(window, mean.value());
    }

    private static void each(Window window, Consumer<Double> take) {
        for (int i = 0; i < window.size(); i++) {
            take.accept(window.value(i));
        }
    }

    private static double ofNumbers(Function function, double parameter, Window window) {
        double[] values = new double[window.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = window.value(i);
        }
        if (function == Function.QUANTILE_OVER_TIME) {
            return Quantiles.ofValues(parameter, values);
        } else if (function == Function.MIN_OVER_TIME || function == Function.MAX_OVER_TIME) {
            double found = values[0];
            for (double value : values) {
                boolean beyond = function == Function.MIN_OVER_TIME ? value < found : value > found;
                found = beyond || Double.isNaN(found) ? value : found;
            }
            return found;
        }
        CompensatedSum.Variance variance = new CompensatedSum.Variance();
        each(window, variance::add);
        return function == Function.STDDEV_OVER_TIME ? Math.sqrt(variance.value()) : variance.value();
    }

    private static double changes(Window window) {
        int changes = 0;
        for (int i = 1; i < window.size(); i++) {
            changes += window.ofHistograms()
                    ? (window.histogram(i).equals(window.histogram(i - 1)) ? 0 : 1)
                    : (Double.compare(window.value(i), window.value(i - 1)) == 0
                                    || window.value(i) == window.value(i - 1)
                            ? 0
                            : 1);
        }
        return changes;
    }

    private static double resets(Window window) {
        int resets = 0;
        for (int i = 1; i < window.size(); i++) {
            boolean reset = window.ofHistograms()
                    ? window.histogram(i).isResetSince(window.histogram(i - 1))
                    : window.value(i) < window.value(i - 1);
            resets += reset ? 1 : 0;
        }
        return resets;
    }

    /** From the last two samples alone. */
    private @Nullable Element last(Window window, boolean rate) {
        int i = window.size() - 1;
        if (i < 1) {
            return null;
        }
        double seconds = rate ? (window.timeMs(i) - window.timeMs(i - 1)) / 1_000.0 : 1;
        if (!window.ofHistograms()) {
            boolean reset = rate && window.value(i) < window.value(i - 1);
            return number(window, (reset ? window.value(i) : window.value(i) - window.value(i - 1)) / seconds);
        }
        NativeHistogram now = window.histogram(i);
        NativeHistogram before = window.histogram(i - 1);
        if (!rate || !now.isResetSince(before)) {
            if (!now.isCompatible(before)) {
                mixed(window);
                return null;
            }
            now = now.minus(before);
        }
        return new Element(window.labels(), rate ? now.dividedBy(seconds) : now);
    }

    /** The difference of the last and the first sample, extended to the whole time as Prometheus extends it. */
    private @Nullable Element extrapolated(Window window, boolean counter, boolean rate) {
        int last = window.size() - 1;
        if (last < 1) {
            return null;
        }
        NativeHistogram histogram = window.ofHistograms() ? difference(window, counter) : null;
        if (window.ofHistograms() && histogram == null) {
            return null;
        }
        double difference = histogram == null ? difference(window.value(0), window, counter) : histogram.count();
        double first = histogram == null ? window.value(0) : window.histogram(0).count();
        double sampled = (window.timeMs(last) - window.timeMs(0)) / 1_000.0;
        double distance = sampled / last;
        double toStart = reached((window.timeMs(0) - window.startMs()) / 1_000.0, distance);
        if (counter && difference > 0 && first >= 0) {
            // a counter was not negative: it did not begin before it was 0
            toStart = Math.min(toStart, sampled * (first / difference));
        }
        double toEnd = reached((window.endMs() - window.timeMs(last)) / 1_000.0, distance);
        double factor = (sampled + toStart + toEnd) / sampled;
        if (rate) {
            factor /= window.seconds();
        }
        return histogram == null
                ? number(window, difference * factor)
                : new Element(window.labels(), histogram.times(factor));
    }

    /** How much of a gap before the first or behind the last sample counts: half a distance, if it is a long one. */
    private static double reached(double gap, double distance) {
        return gap >= distance * BRIDGED ? distance / 2 : gap;
    }

    private static double difference(double first, Window window, boolean counter) {
        double difference = window.value(window.size() - 1) - first;
        for (int i = 1; counter && i < window.size(); i++) {
            difference += window.value(i) < window.value(i - 1) ? window.value(i - 1) : 0;
        }
        return difference;
    }

    private @Nullable NativeHistogram difference(Window window, boolean counter) {
        int last = window.size() - 1;
        NativeHistogram sum = window.histogram(last);
        NativeHistogram before = window.histogram(0);
        // what a first sample says is of no account if counting started over right behind it
        boolean restarted = counter && window.histogram(1).isResetSince(before);
        if (!restarted) {
            if (!sum.isCompatible(before)) {
                return mixed(window);
            }
            sum = sum.minus(before);
        }
        for (int i = restarted ? 2 : 1; counter && i <= last; i++) {
            before = window.histogram(i - 1);
            if (!sum.isCompatible(before)) {
                return mixed(window);
            }
            // the widest buckets of all decide
            sum = window.histogram(i).isResetSince(before) ? sum.plus(before) : sum.inCommon(before);
        }
        return sum;
    }
}
