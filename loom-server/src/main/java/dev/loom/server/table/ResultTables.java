package dev.loom.server.table;

import dev.loom.query.column.Column;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.CorrelationRequest;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.TopRequest;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.service.ValuesRequest;
import dev.loom.server.json.JsonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The columns of answers that are rows, and rows of JSON as rows of these columns. */
public final class ResultTables {
    private ResultTables() {}

    /** The columns of an answer, which depend on the request alone; empty if it consists of records. */
    public static List<Column> columns(QueryRequest request) {
        if (request instanceof ScanRequest || request instanceof TopRequest || request instanceof CorrelationRequest) {
            return List.of();
        } else if (request instanceof AggregateRequest aggregate) {
            return AggregateColumns.columns(aggregate);
        } else if (request instanceof GroupRequest groups) {
            return new GroupColumns(groups).columns();
        } else if (request instanceof ValuesRequest values) {
            return values(values);
        } else if (request instanceof HistogramRequest histogram) {
            return histogram(histogram);
        } else if (request instanceof CountRequest count) {
            return counts(count);
        } else if (request instanceof DifferenceRequest difference) {
            return difference(difference);
        } else if (request instanceof MetricsRequest metrics) {
            return metrics(metrics);
        } else if (request instanceof SeriesRequest series) {
            return SeriesColumns.columns(series);
        } else if (request instanceof TraceRequest trace) {
            return trace(trace);
        }
        return traces((TracesRequest) request);
    }

    private static List<Column> values(ValuesRequest request) {
        return columns(request.records())
                .key(request.records().source().format(), request.field(), "value")
                .booleans("other")
                .integers("count")
                .list();
    }

    private static ValueColumns columns(RecordSelection records) {
        return new ValueColumns(records, null);
    }

    private static List<Column> histogram(HistogramRequest request) {
        ValueColumns columns = new ValueColumns(request.records(), request.field());
        if (request.byTime() == null) {
            return columns.values("low", "high").integers("count").list();
        } else if (request.byValue()) {
            return columns.times("from", "to")
                    .values("low", "high")
                    .integers("count")
                    .list();
        }
        return columns.times("from", "to")
                .integers("count")
                .values("min", "max")
                .list();
    }

    private static List<Column> counts(CountRequest request) {
        ValueColumns columns =
                columns(request.records()).times("from", "to").integers("count").booleans("exact");
        return (request.withinShare() > 0 ? columns.integers("low", "high") : columns).list();
    }

    private static List<Column> difference(DifferenceRequest request) {
        return columns(request.records())
                .texts("where", "parts")
                .integers("selected", "selected_of", "against", "against_of")
                .doubles("risk_ratio", "interval_low", "interval_high", "information", "probability")
                .list();
    }

    private static List<Column> metrics(MetricsRequest request) {
        return columns(request.records())
                .texts("name", "kind", "unit", "temporality")
                .booleans("monotonic")
                .integers("points", "series")
                .times("first", "last")
                .list();
    }

    private static List<Column> trace(TraceRequest request) {
        return columns(request.records().get(0))
                .texts("row")
                .integers("depth")
                .texts("span_id", "parent_span_id", "service", "name", "kind")
                .times("start", "end")
                .integers("duration", "self")
                .booleans("error")
                .texts("status_message")
                .integers("copies")
                .texts("marks")
                .integers("events_count")
                .times("time")
                .texts("severity", "text", "source")
                .integers("addr")
                .list();
    }

    private static List<Column> traces(TracesRequest request) {
        return columns(request.records().get(0))
                .texts("trace_id")
                .times("found", "start")
                .integers("duration")
                .texts("service", "name")
                .booleans("rooted")
                .integers("spans", "errors")
                .booleans("counts_exact")
                .texts("services")
                .booleans("services_exact")
                .list();
    }

    /** A row of values: each says whether it counts the rest. */
    public static Map<String, @Nullable Object> value(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        flat.put("other", row.containsKey("other"));
        return flat;
    }

    /** A row of a difference: the ends of its interval are two values; what no condition names is given by its parts, as JSON. */
    public static Map<String, @Nullable Object> difference(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        if (row.get("interval") instanceof List<?> interval) {
            flat.put("interval_low", interval.get(0));
            flat.put("interval_high", interval.get(1));
        }
        if (!row.containsKey("where")) {
            Map<String, @Nullable Object> part = new LinkedHashMap<>();
            part.put("field", row.get("field"));
            part.put("value", row.get("value"));
            flat.put("parts", JsonText.of(row.containsKey("all") ? row.get("all") : List.of(part)));
        }
        return flat;
    }

    /** A row whose lists are texts. */
    public static Map<String, @Nullable Object> joined(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        flat.replaceAll((name, value) -> value instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(" "))
                : value);
        return flat;
    }
}
