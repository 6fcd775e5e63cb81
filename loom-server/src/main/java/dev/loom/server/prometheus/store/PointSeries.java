package dev.loom.server.prometheus.store;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.PromNumber;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import dev.loom.server.prometheus.promql.StoredSeries;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Points of metrics as series of Prometheus: a series for each number, several for a histogram with bounds or a summary, and one of
 * native histograms for an exponential one. For one thread.
 */
final class PointSeries {
    private static final long IDENTITY_BYTES = 256;

    private final Selection selection;
    private final int seriesMax;
    private final boolean samples;
    private final QueryMemory memory;
    private final Map<IdentityKey, Metric> metrics = new HashMap<>();
    /** By what makes it: a metric has several identities if its attributes come in several orders. */
    private final Map<Object, Metric> distinct = new HashMap<>();

    private final Map<Labels, SampleBuffer> series = new LinkedHashMap<>();
    private final Map<Labels, Object> owners = new HashMap<>();

    /**
     * Prepares to take points.
     *
     * @param seriesMax the most series
     * @param samples whether they are wanted, or only labels
     */
    PointSeries(Selection selection, int seriesMax, boolean samples, QueryMemory memory) {
        this.samples = samples;
        this.selection = selection;
        this.seriesMax = seriesMax;
        this.memory = memory;
    }

    /** A metric with its attributes, and the series that are wanted of it. */
    private final class Metric {
        private final PointFields.Identity identity;
        private final String name;
        private final Map<String, String> labels;
        private final Object owner;
        private final Map<String, @Nullable SampleBuffer> parts = new HashMap<>();

        Metric(PointFields.Identity identity) {
            this.identity = identity;
            name = OtlpNames.metric(identity.name(), identity.unit(), identity.kind(), identity.monotonic());
            Map<String, String> attributes = AttributeTexts.of(identity.attributes());
            Map<String, String> resource = AttributeTexts.of(identity.resource());
            labels = MetricLabels.of(
                    attributes,
                    resource,
                    identity.scopeName(),
                    identity.scopeVersion(),
                    AttributeTexts.of(identity.scopeAttributes()));
            // what makes it, whatever the order of attributes; labels may hide some of it
            owner = List.of(
                    identity.name(),
                    identity.unit(),
                    identity.kind(),
                    identity.delta(),
                    identity.monotonic(),
                    identity.scopeName(),
                    identity.scopeVersion(),
                    AttributeTexts.quoted(identity.scopeAttributes()),
                    AttributeTexts.quoted(identity.resource()),
                    AttributeTexts.quoted(identity.attributes()));
        }

        /** One of its series; null if it is not wanted. */
        @Nullable
        SampleBuffer part(String suffix, String label, String value) {
            String key = suffix + '\0' + value;
            if (!parts.containsKey(key)) {
                parts.put(key, make(suffix, label, value));
            }
            return parts.get(key);
        }

        private @Nullable SampleBuffer make(String suffix, String label, String value) {
            Map<String, String> all = new TreeMap<>(labels);
            all.put(Labels.NAME, name + suffix);
            if (!label.isEmpty()) {
                all.put(label, value);
            }
            Labels whole = Labels.of(all);
            if (name.isEmpty() || !selection.matches(whole)) {
                return null;
            }
            Object other = owners.putIfAbsent(whole, owner);
            if (other != null && !other.equals(owner)) {
                throw new EvaluationException("two series of OTLP have the same labels: " + whole
                        + "; name, unit, kind, delta, monotonic, scope, its version and attributes, those of the resource and"
                        + " of the point: " + owner + " and "
                        + other);
            }
            SampleBuffer known = series.get(whole);
            if (known != null) {
                return known;
            } else if (series.size() == seriesMax) {
                throw new EvaluationException(
                        "too many series: max=" + seriesMax + "; more labels, or a shorter time, select fewer");
            }
            boolean histogram = suffix.isEmpty() && identity.kind().equals("exponential_histogram");
            SampleBuffer made = new SampleBuffer(whole, histogram, identity.delta(), samples, memory);
            series.put(whole, made);
            return made;
        }
    }

    /** Takes a point. */
    void add(long timeMs, PointFields point) {
        IdentityKey key = point.identity();
        Metric metric = metrics.get(key);
        if (metric == null) {
            memory.reserve(IDENTITY_BYTES + 8L * key.length());
            Metric made = new Metric(point.parts());
            Metric known = distinct.putIfAbsent(made.owner, made);
            metric = known == null ? made : known;
            metrics.put(key.copy(), metric);
        }
        if (point.isStale()) {
            metric.parts.values().forEach(each -> {
                if (each != null) {
                    each.end(timeMs);
                }
            });
            return;
        }
        switch (metric.identity.kind()) {
            case "gauge", "sum" -> {
                if (point.hasValue()) {
                    add(metric.part("", "", ""), timeMs, point.value());
                }
            }
            case "histogram" -> addHistogram(metric, timeMs, point);
            case "exponential_histogram" -> {
                SampleBuffer buffer = metric.part("", "", "");
                NativeHistogram histogram =
                        buffer == null ? null : OtlpBuckets.exponential(point.buckets(), point.count(), point.sum());
                if (buffer != null && histogram != null) {
                    buffer.add(timeMs, histogram);
                }
            }
            case "summary" -> {
                for (OtlpBuckets.Quantile each : OtlpBuckets.quantiles(point.quantiles())) {
                    add(metric.part("", "quantile", PromNumber.plain(each.quantile())), timeMs, each.value());
                }
                addTotals(metric, timeMs, point);
            }
            default -> {} // a kind that is not known here
        }
    }

    private void addHistogram(Metric metric, long timeMs, PointFields point) {
        addTotals(metric, timeMs, point);
        add(metric.part("_bucket", Labels.BUCKET, "+Inf"), timeMs, point.count());
        OtlpBuckets.Explicit buckets = OtlpBuckets.explicit(point.buckets());
        if (buckets != null) {
            double count = 0;
            for (int i = 0; i < buckets.bounds().size(); i++) {
                count += buckets.counts().get(i);
                String bound = PromNumber.plain(buckets.bounds().get(i));
                if (!bound.equals("+Inf")) {
                    add(metric.part("_bucket", Labels.BUCKET, bound), timeMs, count);
                }
            }
        }
    }

    private static void addTotals(Metric metric, long timeMs, PointFields point) {
        add(metric.part("_count", "", ""), timeMs, point.count());
        if (!Double.isNaN(point.sum())) {
            add(metric.part("_sum", "", ""), timeMs, point.sum());
        }
    }

    private static void add(@Nullable SampleBuffer buffer, long timeMs, double value) {
        if (buffer != null) {
            buffer.add(timeMs, value);
        }
    }

    /** The series, as they were met. */
    Collection<StoredSeries> build() {
        List<StoredSeries> built = new ArrayList<>();
        for (SampleBuffer each : series.values()) {
            memory.reserve(24L * each.size());
            built.add(each.build());
        }
        return built;
    }

    /** The labels of the series that have samples. */
    Collection<Labels> labels() {
        return series.keySet();
    }
}
