package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Functions of series at one moment. For one thread. */
final class InstantFunctions {
    private final Remarks remarks;
    private final LabelCache labels;
    private final Object withoutBucket = new Object();

    InstantFunctions(Remarks remarks, LabelCache labels) {
        this.remarks = remarks;
        this.labels = labels;
    }

    /** @param numbers the scalar arguments, in their order */
    List<Element> apply(Function function, List<Element> vector, double[] numbers) {
        return switch (function) {
            case HISTOGRAM_QUANTILE -> quantile(vector, numbers[0]);
            case HISTOGRAM_COUNT, HISTOGRAM_SUM, HISTOGRAM_AVG -> ofHistograms(function, vector);
            case SORT, SORT_DESC -> {
                Comparator<Element> nanLast = Comparator.comparing(each -> Double.isNaN(each.value()));
                Comparator<Element> order = Comparator.comparingDouble(Element::value);
                yield vector.stream()
                        .filter(each -> each.histogram() == null)
                        .sorted(nanLast.thenComparing(function == Function.SORT ? order : order.reversed()))
                        .toList();
            }
            default -> {
                DoubleUnaryOperator each = ofNumbers(function, numbers);
                yield vector.stream()
                        .filter(element -> element.histogram() == null)
                        .map(element -> element.with(each.applyAsDouble(element.value())))
                        .toList();
            }
        };
    }

    private static DoubleUnaryOperator ofNumbers(Function function, double[] numbers) {
        return switch (function) {
            case ABS -> Math::abs;
            case CEIL -> Math::ceil;
            case FLOOR -> Math::floor;
            case EXP -> Math::exp;
            case SQRT -> Math::sqrt;
            case LN -> Math::log;
            case LOG2 -> InstantFunctions::log2;
            case LOG10 -> Math::log10;
            case SGN -> Math::signum;
            case ROUND -> {
                double inverse = 1 / (numbers.length == 0 ? 1 : numbers[0]);
                yield value -> Math.floor(value * inverse + 0.5) / inverse;
            }
            case CLAMP_MIN -> value -> Math.max(value, numbers[0]);
            case CLAMP_MAX -> value -> Math.min(value, numbers[0]);
            case CLAMP -> value -> Math.max(numbers[0], Math.min(numbers[1], value));
            default -> throw new IllegalStateException("not a function of numbers: " + function);
        };
    }

    /** Exact for powers of two; otherwise rounded as in Prometheus. */
    private static double log2(double value) {
        if (!(value > 0) || value == Double.POSITIVE_INFINITY) {
            return Math.log(value);
        } else if (value < Double.MIN_NORMAL) {
            return log2(value * 0x1p54) - 54;
        }
        int exponent = Math.getExponent(value) + 1;
        double fraction = Math.scalb(value, -exponent); // at least 1/2, less than 1
        return fraction == 0.5 ? exponent - 1 : Math.log(fraction) * (1 / Math.log(2)) + exponent;
    }

    private static List<Element> ofHistograms(Function function, List<Element> vector) {
        List<Element> result = new ArrayList<>();
        for (Element element : vector) {
            NativeHistogram histogram = element.histogram();
            if (histogram != null) {
                result.add(element.with(
                        switch (function) {
                            case HISTOGRAM_COUNT -> histogram.count();
                            case HISTOGRAM_SUM -> histogram.sum();
                            default -> histogram.sum() / histogram.count();
                        }));
            }
        }
        return result;
    }

    private List<Element> quantile(List<Element> vector, double q) {
        if (!(q >= 0 && q <= 1)) {
            remarks.warn("quantile value should be between 0 and 1, got " + PromNumber.value(q));
        }
        List<Element> result = new ArrayList<>();
        Map<Labels, List<Quantiles.Bucket>> classic = new LinkedHashMap<>();
        for (Element element : vector) {
            NativeHistogram histogram = element.histogram();
            if (histogram != null) {
                result.add(element.with(Quantiles.ofHistogram(q, histogram)));
                continue;
            }
            Double bound = bound(element.labels().get(Labels.BUCKET));
            if (bound == null) {
                remarks.warn("bucket label \"le\" is missing or has a malformed value of "
                        + Quoted.of(element.labels().get(Labels.BUCKET)));
                continue;
            }
            Labels histogramLabels = labels.get(
                    withoutBucket,
                    element.labels(),
                    each -> each.without(Labels.BUCKET).withoutName());
            classic.computeIfAbsent(histogramLabels, any -> new ArrayList<>())
                    .add(new Quantiles.Bucket(bound, element.value()));
        }
        classic.forEach((of, buckets) -> result.add(new Element(of, Quantiles.ofBuckets(q, buckets))));
        return result;
    }

    private static @Nullable Double bound(String text) {
        try {
            return PromNumber.parse(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
