package dev.loom.server.prometheus.store;

import dev.loom.query.MetricSeries;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.json.JsonText;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import dev.loom.server.prometheus.promql.StoredSeries;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Points of metrics as series of Prometheus, with their samples. For one thread. */
final class PointSeries {
    private static final int SERIES_MAX = MetricSeries.SERIES_MAX_DEFAULT;
    private static final long IDENTITY_BYTES = 256;

    private final Selection selection;
    private final QueryMemory memory;
    private final Map<IdentityKey, Metric> metrics = new HashMap<>();
    /**
     * By the JSON of what makes it: a metric has several identities if its attributes come in several orders. Texts compare, so that
     * those of one hash, as a sender may choose them, are found as fast as others.
     */
    private final Map<String, Metric> distinct = new HashMap<>();

    private final Map<Labels, SampleBuffer> series = new LinkedHashMap<>();
    private final Map<Labels, Object> owners = new HashMap<>();
    private long timeMs;

    PointSeries(Selection selection, QueryMemory memory) {
        this.selection = selection;
        this.memory = memory;
    }

    /** A metric with its attributes, and the series that are wanted of it; takes the samples of the current point. */
    private final class Metric implements PointParts.Sink {
        private final PointFields.Identity identity;
        private final PointMetric metric;
        private final List<Object> owner;
        private final Map<String, @Nullable SampleBuffer> parts = new HashMap<>();

        Metric(PointFields.Identity identity) {
            this.identity = identity;
            metric = new PointMetric(identity);
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
        private @Nullable SampleBuffer part(String suffix, String label, String value) {
            String key = suffix + '\0' + value;
            if (!parts.containsKey(key)) {
                parts.put(key, make(suffix, label, value));
            }
            return parts.get(key);
        }

        private @Nullable SampleBuffer make(String suffix, String label, String value) {
            Labels whole = metric.series(selection, suffix, label, value);
            if (whole == null) {
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
            } else if (series.size() == SERIES_MAX) {
                throw new EvaluationException(
                        "too many series: max=" + SERIES_MAX + "; more labels, or a shorter time, select fewer");
            }
            boolean histogram = suffix.isEmpty() && identity.kind().equals("exponential_histogram");
            SampleBuffer made = new SampleBuffer(whole, histogram, identity.delta(), memory);
            series.put(whole, made);
            return made;
        }

        @Override
        public void onNumber(String suffix, String label, String value, double sample) {
            SampleBuffer buffer = part(suffix, label, value);
            if (buffer != null) {
                buffer.add(timeMs, sample);
            }
        }

        @Override
        public void onHistogram(PointFields point) {
            SampleBuffer buffer = part("", "", "");
            NativeHistogram histogram =
                    buffer == null ? null : OtlpBuckets.exponential(point.buckets(), point.count(), point.sum());
            if (buffer != null && histogram != null) {
                buffer.add(timeMs, histogram);
            }
        }

        private void end() {
            for (SampleBuffer each : parts.values()) {
                if (each != null) {
                    each.end(timeMs);
                }
            }
        }
    }

    /** Takes a point. */
    void add(long pointMs, PointFields point) {
        timeMs = pointMs;
        IdentityKey key = point.identity();
        Metric metric = metrics.get(key);
        if (metric == null) {
            memory.reserve(IDENTITY_BYTES + 8L * key.length());
            Metric made = new Metric(point.parts());
            Metric known = distinct.putIfAbsent(JsonText.of(made.owner), made);
            metric = known == null ? made : known;
            metrics.put(key.copy(), metric);
        }
        if (point.isStale()) {
            metric.end();
        } else {
            PointParts.forEach(point, metric.identity.kind(), metric);
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
}
