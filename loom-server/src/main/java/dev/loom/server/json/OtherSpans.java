package dev.loom.server.json;

import dev.loom.query.trace.SpanReader;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceLog;
import dev.loom.query.trace.TraceSpan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Spans and log records that did not come by OTLP, as OTLP/JSON has them: the services as resources, the source as scope. */
final class OtherSpans {
    /** How many texts of the greatest length a record may have. */
    static final int TEXTS = 64;

    private static final List<String> KINDS = List.of("internal", "server", "client", "producer", "consumer");
    private static final int ERROR = 2;

    private final String source;
    private final Map<String, List<Object>> spans = new LinkedHashMap<>();
    private final Map<String, List<Object>> logs = new LinkedHashMap<>();
    private int records;

    OtherSpans(String source) {
        this.source = source;
    }

    int records() {
        return records;
    }

    void clear() {
        spans.clear();
        logs.clear();
        records = 0;
    }

    /** Adds the record that a reader stands on. */
    void add(SpanReader record, long address, long timeNs) {
        records++;
        TraceId trace = Objects.requireNonNull(record.traceId());
        if (record.isSpan()) {
            TraceSpan span = record.span(address, timeNs);
            spans.computeIfAbsent(span.service(), key -> new ArrayList<>()).add(object(trace, span));
        } else {
            TraceLog log = record.log(address, timeNs);
            logs.computeIfAbsent(log.service(), key -> new ArrayList<>()).add(object(trace, log));
        }
    }

    private static Map<String, Object> object(TraceId trace, TraceSpan span) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("traceId", trace.toString());
        object.put("spanId", TraceId.text(span.spanId()));
        if (span.parentId() != 0) {
            object.put("parentSpanId", TraceId.text(span.parentId()));
        }
        putText(object, "name", span.name());
        int kind = KINDS.indexOf(span.kind()) + 1;
        if (kind > 0) {
            object.put("kind", kind);
        }
        object.put("startTimeUnixNano", Long.toString(span.startNs()));
        object.put("endTimeUnixNano", Long.toString(span.endNs()));
        if (!span.events().isEmpty()) {
            object.put(
                    "events",
                    span.events().stream()
                            .map(event -> Map.of("timeUnixNano", Long.toString(event.timeNs()), "name", event.name()))
                            .toList());
        }
        Map<String, Object> status = new LinkedHashMap<>();
        putText(status, "message", span.statusMessage());
        if (span.error()) {
            status.put("code", ERROR);
        }
        if (!status.isEmpty()) {
            object.put("status", status);
        }
        return object;
    }

    private static Map<String, Object> object(TraceId trace, TraceLog log) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("timeUnixNano", Long.toString(log.timeNs()));
        putText(object, "severityText", log.severity());
        object.put("body", Map.of("stringValue", log.text()));
        object.put("traceId", trace.toString());
        if (log.spanId() != 0) {
            object.put("spanId", TraceId.text(log.spanId()));
        }
        return object;
    }

    private static void putText(Map<String, Object> object, String name, String text) {
        if (!text.isEmpty()) {
            object.put(name, text);
        }
    }

    /** The requests: one of spans, one of log records. */
    List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        add(rows, "resourceSpans", "scopeSpans", "spans", spans);
        add(rows, "resourceLogs", "scopeLogs", "logRecords", logs);
        return rows;
    }

    private void add(
            List<Map<String, Object>> rows,
            String ofResource,
            String ofScope,
            String items,
            Map<String, List<Object>> of) {
        List<Object> resources = new ArrayList<>();
        of.forEach((service, objects) -> {
            Map<String, Object> scope = new LinkedHashMap<>();
            scope.put("scope", Map.of("name", source));
            scope.put(items, objects);
            Map<String, Object> resource = new LinkedHashMap<>();
            if (!service.isEmpty()) {
                Map<String, Object> attribute = new LinkedHashMap<>();
                attribute.put("key", "service.name");
                attribute.put("value", Map.of("stringValue", service));
                resource.put("resource", Map.of("attributes", List.of(attribute)));
            }
            resource.put(ofScope, List.of(scope));
            resources.add(resource);
        });
        if (!resources.isEmpty()) {
            rows.add(Map.of(ofResource, resources));
        }
    }
}
