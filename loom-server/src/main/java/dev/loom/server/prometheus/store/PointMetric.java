package dev.loom.server.prometheus.store;

import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A metric of OTLP with its attributes, as Prometheus names the series that it makes. Immutable. */
final class PointMetric {
    private final String name;
    private final Map<String, String> labels;

    PointMetric(PointFields.Identity identity) {
        name = OtlpNames.metric(identity.name(), identity.unit(), identity.kind(), identity.monotonic());
        labels = MetricLabels.of(
                AttributeTexts.of(identity.attributes()),
                AttributeTexts.of(identity.resource()),
                identity.scopeName(),
                identity.scopeVersion(),
                AttributeTexts.of(identity.scopeAttributes()));
    }

    /**
     * The labels of one of its series; null if a selection does not want it, or the metric has no name.
     *
     * @param label besides the metric's; empty for none
     */
    @Nullable
    Labels series(Selection selection, String suffix, String label, String value) {
        Map<String, String> all = new TreeMap<>(labels);
        all.put(Labels.NAME, name + suffix);
        if (!label.isEmpty()) {
            all.put(label, value);
        }
        Labels series = Labels.of(all);
        return name.isEmpty() || !selection.matches(series) ? null : series;
    }
}
