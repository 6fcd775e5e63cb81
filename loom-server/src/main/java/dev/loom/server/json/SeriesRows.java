package dev.loom.server.json;

import dev.loom.query.MetricCatalog;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.PercentileEstimate;
import dev.loom.query.service.SeriesRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Metrics and series as rows of named values, as JSON has them. */
public final class SeriesRows {
    private SeriesRows() {}

    /** A metric as a row. */
    public static Map<String, @Nullable Object> metric(MetricCatalog.Metric metric) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", metric.name());
        row.put("kind", orNull(metric.kind()));
        row.put("unit", orNull(metric.unit()));
        row.put("temporality", orNull(metric.temporality()));
        row.put(
                "monotonic",
                metric.monotonic().isEmpty()
                        ? null
                        : (Object) metric.monotonic().equals("true"));
        row.put("points", metric.points());
        row.put("series", metric.series());
        row.put("first", metric.firstNs());
        row.put("last", metric.lastNs());
        return row;
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** A group in a step as a row. */
    public static Map<String, @Nullable Object> step(SeriesRequest request, SeriesStep step) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("source", request.records().source().name());
        row.put("metric", request.name());
        row.put("by", key(request, step));
        row.put("from", step.range().fromNs());
        row.put("to", step.range().toNs());
        row.put("series", step.series());
        row.put("points", step.points());
        if (request.functions().last()) {
            row.put("last", finite(step.last()));
        }
        if (request.functions().increase()) {
            row.put("increase", finite(step.increase()));
        }
        if (request.functions().rate()) {
            row.put("rate", finite(step.rate()));
        }
        if (!request.functions().percentiles().isEmpty()) {
            Map<String, @Nullable Object> percentiles = new LinkedHashMap<>();
            request.functions()
                    .percentiles()
                    .forEach(p -> percentiles.put(
                            p.toPlainString(), estimate(step.percentiles().get(p))));
            row.put("percentiles", percentiles);
        }
        return row;
    }

    private static @Nullable Object estimate(@Nullable PercentileEstimate estimate) {
        if (estimate == null) {
            return null;
        }
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("estimate", finite(estimate.estimate()));
        row.put("lower", finite(estimate.lower()));
        row.put("upper", finite(estimate.upper()));
        return row;
    }

    private static @Nullable Number finite(@Nullable Number number) {
        return number == null || !Double.isFinite(number.doubleValue()) ? null : number;
    }

    /** The values of a group's key by their fields. */
    public static Map<String, FieldCell> key(SeriesRequest request, SeriesStep step) {
        List<String> fields = request.by();
        Map<String, FieldCell> key = new LinkedHashMap<>();
        for (int i = 0; i < fields.size(); i++) {
            boolean single =
                    FieldCell.hasSinglePrecision(request.records().source().format(), fields.get(i));
            key.put(fields.get(i), new FieldCell(step.key().get(i), single));
        }
        return key;
    }
}
