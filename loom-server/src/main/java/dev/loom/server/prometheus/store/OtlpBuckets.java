package dev.loom.server.prometheus.store;

import dev.loom.server.prometheus.promql.BucketLayout;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.text.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The buckets of points, from JSON. */
final class OtlpBuckets {
    /** The finest exponential buckets of Prometheus. */
    private static final int SCHEMA_MAX = 8;

    private static final int SHIFT_MAX = 31;

    private OtlpBuckets() {}

    /**
     * Buckets with bounds.
     *
     * @param bounds one less than counts
     */
    record Explicit(List<Double> bounds, List<Double> counts) {}

    /** A value at a quantile. */
    record Quantile(double quantile, double value) {}

    /** Null if there are none. */
    static @Nullable Explicit explicit(String json) {
        try {
            Map<String, @Nullable Object> members = parse(json);
            List<Double> bounds = numbers(members.get("bounds"));
            List<Double> counts = numbers(members.get("counts"));
            return counts.size() == bounds.size() + 1 ? new Explicit(bounds, counts) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * An exponential histogram; finer buckets than Prometheus has are merged. Null if there are none.
     *
     * @param sum NaN if it is not known
     */
    static @Nullable NativeHistogram exponential(String json, double count, double sum) {
        try {
            Map<String, @Nullable Object> members = parse(json);
            int scale = (int) number(members.get("scale"), 0);
            int shift = Math.min(Math.max(scale - SCHEMA_MAX, 0), SHIFT_MAX);
            NativeHistogram.Builder builder = new NativeHistogram.Builder(
                            new BucketLayout.Exponential(Math.min(scale, SCHEMA_MAX)))
                    .zero(number(members.get("zero_threshold"), 0), number(members.get("zero_count"), 0));
            side(members.get("positive"), shift).forEach(builder::positive);
            side(members.get("negative"), shift).forEach(builder::negative);
            return builder.build(count, sum);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }

    /** Counts by numbers of buckets, which in Prometheus are those of their upper ends. */
    private static Map<Integer, Double> side(@Nullable Object value, int shift) {
        Map<Integer, Double> counts = new TreeMap<>();
        if (value instanceof Map<?, ?> side) {
            long offset = (long) number(side.get("offset"), 0);
            List<Double> listed = numbers(side.get("counts"));
            for (int i = 0; i < listed.size(); i++) {
                if (listed.get(i) > 0) {
                    counts.merge(Math.toIntExact(((offset + i) >> shift) + 1), listed.get(i), Double::sum);
                }
            }
        }
        return counts;
    }

    /** None if there are none. */
    static List<Quantile> quantiles(String json) {
        List<Quantile> quantiles = new ArrayList<>();
        try {
            // an array is no object
            Object list =
                    json.isEmpty() ? null : parse("{\"all\":" + json + "}").get("all");
            if (list instanceof List<?> all) {
                for (Object each : all) {
                    if (each instanceof Map<?, ?> pair) {
                        quantiles.add(new Quantile(number(pair.get("quantile"), 0), number(pair.get("value"), 0)));
                    }
                }
            }
        } catch (IllegalArgumentException e) {
            return List.of();
        }
        return quantiles;
    }

    private static Map<String, @Nullable Object> parse(String json) {
        return JsonObject.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static List<Double> numbers(@Nullable Object value) {
        List<Double> numbers = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(each -> numbers.add(number(each, Double.NaN)));
        }
        return numbers;
    }

    private static double number(@Nullable Object value, double otherwise) {
        return value == null ? otherwise : Double.parseDouble(String.valueOf(value));
    }
}
