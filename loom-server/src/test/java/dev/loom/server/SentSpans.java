package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.server.text.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random spans, sent by OTLP, and the answers of a server about them. */
final class SentSpans {
    static final long BEGIN_NS = 1_795_000_000_123_456_789L;
    static final List<String> KINDS = List.of("internal", "server", "client", "producer", "consumer");

    private static final List<String> SERVICES = List.of("web", "cart", "p\u00e4y 50%", "db\"x");
    private static final List<String> NAMES = List.of("GET /", "POST /pay", "q:\u00fc");

    /** A span; kind and status are numbers as OTLP has them, the parent is 0 for none. */
    record Span(
            long trace,
            long id,
            long parent,
            String service,
            String name,
            int kind,
            int status,
            long start,
            long end,
            Map<String, Object> attributes,
            List<String> events) {
        String traceId() {
            return String.format("%032x", trace);
        }

        String spanId() {
            return String.format("%016x", id);
        }
    }

    final List<Span> spans = new ArrayList<>();
    private final TestClient http = new TestClient();
    private final LoomServer server;

    SentSpans(LoomServer server) {
        this.server = server;
    }

    /** Sends traces of up to 6 spans; those of a trace are below its first one, or below one that was never sent. */
    void send(Random random, int traces) throws Exception {
        for (int trace = 1; trace <= traces; trace++) {
            int count = 1 + random.nextInt(6);
            for (int i = 1; i <= count; i++) {
                long start = BEGIN_NS + trace * 1_000_000_000L + random.nextInt(1_000_000);
                Map<String, Object> attributes = new LinkedHashMap<>();
                attributes.put("http.status", (long) (200 + 100 * random.nextInt(4)));
                if (random.nextBoolean()) {
                    attributes.put("route", "/r" + random.nextInt(3));
                }
                if (random.nextInt(4) == 0) {
                    attributes.put("retry", random.nextBoolean());
                }
                if (random.nextInt(4) == 0) {
                    attributes.put("load", random.nextInt(8) / 4.0);
                }
                long parent = i == 1 ? 0 : random.nextInt(5) == 0 ? 77 : trace * 100L + 1;
                send(new Span(
                        trace,
                        trace * 100L + i,
                        parent,
                        SERVICES.get(random.nextInt(SERVICES.size())),
                        NAMES.get(random.nextInt(NAMES.size())),
                        random.nextInt(6),
                        random.nextInt(3),
                        start,
                        start + random.nextInt(3) * 1_000_000L + random.nextInt(5_000),
                        attributes,
                        random.nextBoolean() ? List.of("e1", "e2") : List.of()));
            }
        }
    }

    void send(Span span) throws Exception {
        spans.add(span);
        post(json(span));
    }

    /** Sends a point of the metric {@code m}. */
    void postMetric() throws Exception {
        post(
                "metrics",
                "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\",\"gauge\":{\"dataPoints\":[{"
                        + "\"timeUnixNano\":\"" + BEGIN_NS + "\",\"asInt\":\"7\"}]}}]}]}]}");
    }

    void post(String json) throws Exception {
        post("traces", json);
    }

    private void post(String signal, String json) throws Exception {
        HttpResponse<String> answer = http.postOtlp(server, "/v1/" + signal, json);
        assertEquals(200, answer.statusCode(), answer.body());
    }

    static String json(Span span) {
        StringBuilder attributes = new StringBuilder();
        span.attributes.forEach((key, value) -> attributes
                .append(attributes.isEmpty() ? "" : ",")
                .append("{\"key\":")
                .append(quoted(key))
                .append(",\"value\":{")
                .append(
                        value instanceof Long
                                ? "\"intValue\":\"" + value + '"'
                                : value instanceof Boolean
                                        ? "\"boolValue\":" + value
                                        : value instanceof Double
                                                ? "\"doubleValue\":" + value
                                                : "\"stringValue\":" + quoted(value.toString()))
                .append("}}"));
        StringBuilder events = new StringBuilder();
        for (int i = 0; i < span.events.size(); i++) {
            events.append(i == 0 ? "" : ",")
                    .append("{\"timeUnixNano\":\"")
                    .append(span.start + i * 1_000L)
                    .append("\",\"name\":")
                    .append(quoted(span.events.get(i)))
                    .append(",\"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":\"")
                    .append(i)
                    .append("\"}}]}");
        }
        return "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
                + quoted(span.service)
                + "}},{\"key\":\"host\",\"value\":{\"stringValue\":\"h1\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"lib\","
                + "\"version\":\"2\"},\"spans\":[{\"traceId\":\"" + span.traceId() + "\",\"spanId\":\"" + span.spanId()
                + '"'
                + (span.parent == 0 ? "" : ",\"parentSpanId\":\"" + String.format("%016x", span.parent) + '"')
                + ",\"name\":" + quoted(span.name) + ",\"kind\":" + span.kind + ",\"startTimeUnixNano\":\"" + span.start
                + "\",\"endTimeUnixNano\":\"" + span.end + "\",\"attributes\":[" + attributes + "],\"events\":["
                + events + "],\"status\":{"
                + (span.status == 0 ? "" : "\"code\":" + span.status + ",\"message\":\"m\"") + "}}]}]}]}";
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return http.send(TestClient.request(server, path, headers), BodyHandlers.ofByteArray());
    }

    /** The object that a path answers. */
    Map<String, @Nullable Object> object(String path) throws Exception {
        HttpResponse<byte[]> answer = get(path);
        assertEquals(200, answer.statusCode(), () -> path + ": " + text(answer));
        return JsonObject.parseLong(answer.body());
    }

    static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, @Nullable Object>> list(Map<String, @Nullable Object> of, String name) {
        return of.get(name) == null ? List.of() : (List<Map<String, @Nullable Object>>) of.get(name);
    }
}
