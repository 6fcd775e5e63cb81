package dev.loom.server.jaeger;

import dev.loom.server.json.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Spans of OTLP/JSON as Jaeger's JSON has them. Times are microseconds there; where that loses something, the tags {@code loom.start_ns}
 * and {@code loom.duration_ns} have what the record says.
 */
final class JaegerSpans {
    /** The service of spans that name none. */
    static final String NO_SERVICE = "OTLPResourceNoServiceName";

    private static final long NS_PER_US = 1_000;
    private static final List<String> KINDS = List.of("internal", "server", "client", "producer", "consumer");

    /** Beyond these, JavaScript has not all integers. */
    private static final long INTEGER_MAX = (1L << 53) - 1;

    private JaegerSpans() {}

    /** A span's kind as Jaeger's tag has it; empty if it is unknown. */
    static String kind(String text) {
        String kind = text.toLowerCase(Locale.ROOT);
        return KINDS.contains(kind) ? kind : "";
    }

    /** A resource as a process. */
    static Map<String, Object> process(Map<String, @Nullable Object> resource) {
        String service = NO_SERVICE;
        boolean named = false;
        List<Object> tags = new ArrayList<>();
        for (Map<String, @Nullable Object> attribute : objects(resource, "attributes")) {
            if (!named && "service.name".equals(attribute.get("key"))) { // of equal keys the first counts
                named = true;
                Object name = plain(object(attribute, "value"));
                service = name == null || name.toString().isEmpty() ? NO_SERVICE : name.toString();
            } else {
                tags.add(tag(attribute));
            }
        }
        Map<String, Object> process = new LinkedHashMap<>();
        process.put("serviceName", service);
        process.put("tags", tags);
        return process;
    }

    /**
     * A span, without its warnings.
     *
     * @param scope what recorded it
     * @param process its process' id
     */
    static Map<String, Object> span(
            Map<String, @Nullable Object> span, Map<String, @Nullable Object> scope, String process) {
        String trace = text(span, "traceId");
        long startNs = time(span, "startTimeUnixNano");
        long lastedNs = Math.max(0, time(span, "endTimeUnixNano") - startNs);
        Map<String, Object> jaeger = new LinkedHashMap<>();
        jaeger.put("traceID", trace);
        jaeger.put("spanID", text(span, "spanId"));
        jaeger.put("operationName", text(span, "name"));
        jaeger.put("references", references(span, trace));
        jaeger.put("startTime", startNs / NS_PER_US);
        jaeger.put("duration", lastedNs / NS_PER_US);
        jaeger.put("tags", tags(span, scope, startNs, lastedNs));
        jaeger.put(
                "logs", objects(span, "events").stream().map(JaegerSpans::log).toList());
        jaeger.put("processID", process);
        return jaeger;
    }

    private static List<Object> references(Map<String, @Nullable Object> span, String trace) {
        List<Object> references = new ArrayList<>();
        String parent = text(span, "parentSpanId");
        if (!parent.isEmpty()) {
            references.add(reference("CHILD_OF", trace, parent));
        }
        for (Map<String, @Nullable Object> link : objects(span, "links")) {
            references.add(reference("FOLLOWS_FROM", text(link, "traceId"), text(link, "spanId")));
        }
        return references;
    }

    private static Map<String, Object> reference(String type, String trace, String span) {
        Map<String, Object> reference = new LinkedHashMap<>();
        reference.put("refType", type);
        reference.put("traceID", trace);
        reference.put("spanID", span);
        return reference;
    }

    private static List<Object> tags(
            Map<String, @Nullable Object> span, Map<String, @Nullable Object> scope, long startNs, long lastedNs) {
        List<Object> tags = new ArrayList<>();
        for (Map<String, @Nullable Object> attribute : objects(span, "attributes")) {
            tags.add(tag(attribute));
        }
        addText(tags, "otel.scope.name", text(scope, "name"));
        addText(tags, "otel.scope.version", text(scope, "version"));
        int kind = (int) number(span, "kind");
        addText(tags, "span.kind", kind < 1 || kind > KINDS.size() ? "" : KINDS.get(kind - 1));
        Map<String, @Nullable Object> status = object(span, "status");
        long code = number(status, "code");
        addText(tags, "otel.status_code", code == 1 ? "OK" : code == 2 ? "ERROR" : "");
        if (code == 2) {
            tags.add(tag("error", "bool", true));
        }
        addText(tags, "otel.status_description", text(status, "message"));
        addText(tags, "w3c.tracestate", text(span, "traceState"));
        for (String dropped : List.of("Attributes", "Events", "Links")) {
            long count = number(span, "dropped" + dropped + "Count");
            if (count > 0) {
                tags.add(integer("otel.dropped_" + dropped.toLowerCase(Locale.ROOT) + "_count", count));
            }
        }
        if (startNs % NS_PER_US != 0 || lastedNs % NS_PER_US != 0) {
            tags.add(integer("loom.start_ns", startNs));
            tags.add(integer("loom.duration_ns", lastedNs));
        }
        return tags;
    }

    private static void addText(List<Object> tags, String key, String text) {
        if (!text.isEmpty()) {
            tags.add(tag(key, "string", text));
        }
    }

    private static Map<String, Object> log(Map<String, @Nullable Object> event) {
        List<Object> fields = new ArrayList<>();
        addText(fields, "event", text(event, "name"));
        for (Map<String, @Nullable Object> attribute : objects(event, "attributes")) {
            fields.add(tag(attribute));
        }
        Map<String, Object> log = new LinkedHashMap<>();
        log.put("timestamp", time(event, "timeUnixNano") / NS_PER_US);
        log.put("fields", fields);
        return log;
    }

    /** An attribute as a tag; arrays and objects are their JSON. */
    private static Map<String, Object> tag(Map<String, @Nullable Object> attribute) {
        String key = text(attribute, "key");
        Map<String, @Nullable Object> value = object(attribute, "value");
        Object plain = plain(value);
        if (plain instanceof Long number) {
            return integer(key, number);
        } else if (plain instanceof Boolean) {
            return tag(key, "bool", plain);
        } else if (plain instanceof Double) {
            return tag(key, "float64", plain);
        } else if (plain instanceof List || plain instanceof Map) {
            String json = JsonText.object(Map.of("v", plain)).toString();
            return tag(key, "string", json.substring("{\"v\":".length(), json.length() - 1));
        }
        return tag(key, value.containsKey("bytesValue") ? "binary" : "string", plain == null ? "" : plain);
    }

    private static Map<String, Object> integer(String key, long number) {
        boolean exact = number <= INTEGER_MAX && number >= -INTEGER_MAX;
        return tag(key, "int64", exact ? number : Long.toString(number));
    }

    private static Map<String, Object> tag(String key, String type, Object value) {
        Map<String, Object> tag = new LinkedHashMap<>();
        tag.put("key", key);
        tag.put("type", type);
        tag.put("value", value);
        return tag;
    }

    /** The value of an attribute; bytes as base64. Null if it has none. */
    private static @Nullable Object plain(Map<String, @Nullable Object> value) {
        for (Map.Entry<String, @Nullable Object> entry : value.entrySet()) {
            Object found = entry.getValue();
            switch (entry.getKey()) {
                case "stringValue", "boolValue", "bytesValue" -> {
                    return found;
                }
                case "intValue" -> {
                    return Long.parseLong(String.valueOf(found));
                }
                case "doubleValue" -> {
                    return Double.parseDouble(String.valueOf(found));
                }
                case "arrayValue" -> {
                    List<@Nullable Object> elements = new ArrayList<>();
                    for (Map<String, @Nullable Object> each : objects(object(value, "arrayValue"), "values")) {
                        elements.add(plain(each));
                    }
                    return elements;
                }
                case "kvlistValue" -> {
                    Map<String, @Nullable Object> members = new LinkedHashMap<>();
                    for (Map<String, @Nullable Object> each : objects(object(value, "kvlistValue"), "values")) {
                        if (!members.containsKey(text(each, "key"))) {
                            members.put(text(each, "key"), plain(object(each, "value")));
                        }
                    }
                    return members;
                }
                default -> {}
            }
        }
        return null;
    }

    /** Epoch nanoseconds; 0 if there are none. */
    static long time(Map<String, @Nullable Object> of, String name) {
        long time = number(of, name);
        return time < 0 ? Long.MAX_VALUE : time; // of 64 bits without a sign
    }

    private static long number(Map<String, @Nullable Object> of, String name) {
        if (!(of.get(name) instanceof String text)) {
            return 0;
        }
        // what has no sign may be longer than a long; kinds and codes may be any number, negative ones too
        return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    }

    /** A text; empty if there is none. */
    static String text(Map<String, @Nullable Object> of, String name) {
        return of.get(name) instanceof String text ? text : "";
    }

    @SuppressWarnings("unchecked") // JSON objects have names
    static Map<String, @Nullable Object> object(Map<String, @Nullable Object> of, String name) {
        return of.get(name) instanceof Map<?, ?> object ? (Map<String, @Nullable Object>) object : Map.of();
    }

    @SuppressWarnings("unchecked") // as above
    static List<Map<String, @Nullable Object>> objects(Map<String, @Nullable Object> of, String name) {
        return of.get(name) instanceof List<?> list ? (List<Map<String, @Nullable Object>>) list : List.of();
    }
}
