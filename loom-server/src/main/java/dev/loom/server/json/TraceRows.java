package dev.loom.server.json;

import dev.loom.query.trace.Trace;
import dev.loom.query.trace.Trace.Node;
import dev.loom.query.trace.Trace.Row;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceLog;
import dev.loom.query.trace.TraceSpan;
import dev.loom.query.trace.TraceSummary;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Traces as rows of named values, as JSON has them. */
public final class TraceRows {
    private TraceRows() {}

    /** A trace on one row. */
    public static Map<String, @Nullable Object> summary(TraceSummary trace) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("trace_id", trace.id().toString());
        row.put("found", trace.foundNs());
        row.put("start", trace.startNs());
        row.put("duration", trace.endNs() - trace.startNs());
        row.put("service", known(trace.service()));
        row.put("name", known(trace.name()));
        row.put("rooted", trace.rooted());
        row.put("spans", trace.spans());
        row.put("errors", trace.errors());
        row.put("counts_exact", trace.countsExact());
        row.put("services", trace.services());
        row.put("services_exact", trace.servicesExact());
        return row;
    }

    /** A row for each span, missing parent and log record, in the order of the waterfall. */
    public static void forEach(Trace trace, Consumer<Map<String, @Nullable Object>> rows) {
        for (Row row : trace.rows()) {
            rows.accept(
                    row.node() < 0
                            ? log(trace.logs().get(row.log()), row.depth())
                            : node(trace.nodes().get(row.node())));
        }
    }

    private static Map<String, @Nullable Object> node(Node node) {
        TraceSpan span = node.span();
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("row", span == null ? "missing" : "span");
        row.put("depth", node.depth());
        row.put("span_id", TraceId.text(node.spanId()));
        if (span == null) {
            return row;
        }
        row.put("parent_span_id", span.parentId() == 0 ? null : TraceId.text(span.parentId()));
        row.put("service", known(span.service()));
        row.put("name", known(span.name()));
        row.put("kind", known(span.kind()));
        row.put("start", span.startNs());
        row.put("end", span.endNs());
        row.put("duration", node.durationNs());
        row.put("self", node.selfNs());
        row.put("error", span.error());
        row.put("status_message", known(span.statusMessage()));
        row.put("copies", node.copies());
        row.put("marks", node.marks().stream().map(TraceRows::name).toList());
        row.put("events", span.events().stream().map(TraceRows::event).toList());
        row.put("events_count", span.eventsCount());
        row.put("source", span.source());
        row.put("addr", span.address());
        return row;
    }

    /** A mark as JSON has it. */
    public static String name(Trace.Mark mark) {
        return mark.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> event(TraceSpan.SpanEvent event) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("time", event.timeNs());
        row.put("name", event.name());
        return row;
    }

    private static Map<String, @Nullable Object> log(TraceLog log, int depth) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("row", "log");
        row.put("depth", depth);
        row.put("span_id", log.spanId() == 0 ? null : TraceId.text(log.spanId()));
        row.put("time", log.timeNs());
        row.put("severity", known(log.severity()));
        row.put("service", known(log.service()));
        row.put("text", known(log.text()));
        row.put("source", log.source());
        row.put("addr", log.address());
        return row;
    }

    private static @Nullable String known(String text) {
        return text.isEmpty() ? null : text;
    }
}
