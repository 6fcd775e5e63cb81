package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.SentSpans.Span;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jaeger's API against the spans that were sent by OTLP. {@code -Dloom.test.seed=S} sets the seed. */
final class JaegerApiTest {
    private static final int TRACES = 60;

    @TempDir
    Path temp;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private LoomServer server;
    private SentSpans sent;

    @BeforeEach
    void start() throws Exception {
        server = LoomServer.open(TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
        sent = new SentSpans(server);
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    /** What of a span is compared, from what was sent. */
    private String expected(Span span, boolean parentIsThere) {
        Map<String, String> tags = new TreeMap<>();
        span.attributes()
                .forEach((key, value) -> tags.put(
                        key,
                        (value instanceof Long
                                        ? "int64:"
                                        : value instanceof Boolean
                                                ? "bool:"
                                                : value instanceof Double ? "float64:" : "string:")
                                + value));
        tags.put("otel.scope.name", "string:lib");
        tags.put("otel.scope.version", "string:2");
        if (span.kind() > 0) {
            tags.put("span.kind", "string:" + SentSpans.KINDS.get(span.kind() - 1));
        }
        if (span.status() > 0) {
            tags.put("otel.status_code", "string:" + (span.status() == 1 ? "OK" : "ERROR"));
            tags.put("otel.status_description", "string:m");
        }
        if (span.status() == 2) {
            tags.put("error", "bool:true");
        }
        long lasted = span.end() - span.start();
        if (span.start() % 1000 != 0 || lasted % 1000 != 0) {
            tags.put("loom.start_ns", "int64:" + span.start());
            tags.put("loom.duration_ns", "int64:" + lasted);
        }
        StringBuilder logs = new StringBuilder();
        for (int i = 0; i < span.events().size(); i++) {
            logs.append((span.start() + i * 1000L) / 1000)
                    .append(":event=")
                    .append(span.events().get(i))
                    .append(",n=")
                    .append(i)
                    .append(' ');
        }
        return span.spanId() + '|' + span.name() + '|' + span.service() + "|host=h1|" + span.start() / 1000 + '|'
                + lasted / 1000 + '|'
                + (span.parent() == 0 ? "" : "CHILD_OF " + span.traceId() + ' ' + String.format("%016x", span.parent()))
                + '|' + tags + '|' + logs + '|'
                + (parentIsThere ? "null" : "[parent was not found, it is lost or was never sent: 000000000000004d]");
    }

    @SuppressWarnings("unchecked")
    private static String found(Map<String, @Nullable Object> trace, Map<String, @Nullable Object> span) {
        assertEquals(trace.get("traceID"), span.get("traceID"));
        Map<String, Object> processes = (Map<String, Object>) trace.get("processes");
        Map<String, @Nullable Object> process =
                (Map<String, @Nullable Object>) processes.get((String) span.get("processID"));
        String host = SentSpans.list(process, "tags").stream()
                .map(tag -> tag.get("key") + "=" + tag.get("value"))
                .collect(Collectors.joining());
        Map<String, String> tags = new TreeMap<>();
        SentSpans.list(span, "tags")
                .forEach(tag -> tags.put((String) tag.get("key"), tag.get("type") + ":" + tag.get("value")));
        String references = SentSpans.list(span, "references").stream()
                .map(each -> each.get("refType") + " " + each.get("traceID") + ' ' + each.get("spanID"))
                .collect(Collectors.joining(","));
        String logs = SentSpans.list(span, "logs").stream()
                .map(log -> log.get("timestamp") + ":"
                        + SentSpans.list(log, "fields").stream()
                                .map(field -> field.get("key") + "=" + field.get("value"))
                                .collect(Collectors.joining(","))
                        + ' ')
                .collect(Collectors.joining());
        return span.get("spanID") + "|" + span.get("operationName") + '|' + process.get("serviceName") + '|' + host
                + '|' + span.get("startTime") + '|' + span.get("duration") + '|' + references + '|' + tags + '|' + logs
                + '|' + span.get("warnings");
    }

    private Set<String> expected(List<Span> spans) {
        TreeSet<String> rows = new TreeSet<>();
        for (Span span : spans) {
            boolean there = span.parent() == 0 || spans.stream().anyMatch(each -> each.id() == span.parent());
            rows.add(expected(span, there));
        }
        return rows;
    }

    private static Set<String> found(Map<String, @Nullable Object> trace) {
        TreeSet<String> rows = new TreeSet<>();
        SentSpans.list(trace, "spans").forEach(span -> rows.add(found(trace, span)));
        assertEquals(rows.size(), SentSpans.list(trace, "spans").size());
        return rows;
    }

    private List<Span> of(long trace) {
        return sent.spans.stream().filter(span -> span.trace() == trace).toList();
    }

    @Test
    void shouldShowEachTraceAsItWasSent() throws Exception {
        sent.send(random, TRACES);
        sent.post(SentSpans.json(sent.spans.get(0))); // sent again
        for (long trace = 1; trace <= TRACES; trace++) {
            String id = Long.toHexString(trace);
            String path = "/jaeger/api/traces/"
                    + (random.nextBoolean() ? id : of(trace).get(0).traceId());
            Map<String, @Nullable Object> answer = sent.object(path);
            assertEquals(1, SentSpans.list(answer, "data").size());
            assertEquals("1", answer.get("total"));
            assertEquals(null, answer.get("errors"));
            assertEquals(
                    String.join("\n", expected(of(trace))),
                    String.join("\n", found(SentSpans.list(answer, "data").get(0))),
                    "seed=" + seed);
        }
    }

    @Test
    void shouldListServicesAndOperations() throws Exception {
        assertEquals(List.of(), sent.object("/jaeger/api/services").get("data"));
        sent.send(random, TRACES);
        TreeSet<String> services =
                new TreeSet<>(sent.spans.stream().map(Span::service).toList());
        assertEquals(List.copyOf(services), sent.object("/jaeger/api/services").get("data"));
        for (String service : services) {
            List<Span> spans = sent.spans.stream()
                    .filter(span -> span.service().equals(service))
                    .toList();
            if (!service.contains("%")) { // the server takes no encoded percent sign in a path
                assertEquals(
                        List.copyOf(new TreeSet<>(spans.stream().map(Span::name).toList())),
                        sent.object("/jaeger/api/services/" + SentSpans.encoded(service) + "/operations")
                                .get("data"),
                        service);
            }
            TreeSet<String> pairs = new TreeSet<>();
            spans.forEach(span ->
                    pairs.add(span.name() + ' ' + (span.kind() == 0 ? "" : SentSpans.KINDS.get(span.kind() - 1))));
            TreeSet<String> found = new TreeSet<>();
            SentSpans.list(sent.object("/jaeger/api/operations?service=" + SentSpans.encoded(service)), "data")
                    .forEach(row -> found.add(row.get("name") + " " + row.get("spanKind")));
            assertEquals(pairs, found);
            found.clear();
            SentSpans.list(
                            sent.object("/jaeger/api/operations?spanKind=server&service=" + SentSpans.encoded(service)),
                            "data")
                    .forEach(row -> found.add(row.get("name") + " " + row.get("spanKind")));
            pairs.removeIf(pair -> !pair.endsWith(" server"));
            assertEquals(pairs, found);
        }
        assertEquals(
                List.of(), sent.object("/jaeger/api/services/none/operations").get("data"));
    }

    private record Asked(String parameters, Predicate<Span> condition) {
        Asked and(String parameter, Predicate<Span> also) {
            return new Asked(parameters + "&" + parameter, condition.and(also));
        }
    }

    /** A random search, and which spans it means. */
    private Asked search() {
        Span model = sent.spans.get(random.nextInt(sent.spans.size()));
        Asked asked = new Asked(
                "service=" + SentSpans.encoded(model.service()),
                span -> span.service().equals(model.service()));
        if (random.nextBoolean()) {
            asked = asked.and(
                    "operation=" + SentSpans.encoded(model.name()),
                    span -> span.name().equals(model.name()));
        }
        if (random.nextInt(3) == 0) {
            asked = asked.and("tags=" + SentSpans.encoded("{\"error\":\"true\"}"), span -> span.status() == 2);
        }
        if (random.nextInt(3) == 0) {
            asked = asked.and(
                    "tag=http.status:500",
                    span -> span.attributes().get("http.status").equals(500L));
        }
        if (random.nextInt(4) == 0) {
            asked = asked.and(
                    "tags=" + SentSpans.encoded("{\"route\":\"/r1\",\"host\":\"h1\"}"),
                    span -> "/r1".equals(span.attributes().get("route")));
        }
        if (random.nextInt(4) == 0) {
            asked = asked.and(
                    "tag=retry:true",
                    span -> Boolean.TRUE.equals(span.attributes().get("retry")));
        }
        if (random.nextInt(4) == 0) {
            asked = asked.and("spanKind=client", span -> span.kind() == 3);
        }
        if (random.nextInt(3) == 0) {
            asked = asked.and("minDuration=1000.5us", span -> span.end() - span.start() >= 1_000_500);
        }
        if (random.nextInt(4) == 0) {
            asked = asked.and("maxDuration=1.001ms", span -> span.end() - span.start() <= 1_001_000);
        }
        if (random.nextBoolean()) {
            long from = model.end() / 1000;
            asked = asked.and("start=" + from, span -> span.end() / 1000 >= from);
        }
        if (random.nextBoolean()) {
            long to = model.end() / 1000 + random.nextInt(3) * 1_000_000L;
            asked = asked.and("end=" + to, span -> span.end() / 1000 <= to);
        }
        return asked;
    }

    /** A tag is compared as a text, which has no unit. */
    @Test
    void shouldFindNoNumberByATextWithAUnit() throws Exception {
        sent.send(random, TRACES);
        Span model = sent.spans.stream()
                .filter(span -> Long.valueOf(500).equals(span.attributes().get("http.status")))
                .findFirst()
                .orElseThrow();
        String path = "/jaeger/api/traces?service=" + SentSpans.encoded(model.service()) + "&tag=http.status:";
        assertFalse(SentSpans.list(sent.object(path + "500"), "data").isEmpty());
        assertEquals(List.of(), SentSpans.list(sent.object(path + "500ns"), "data"));
    }

    @Test
    void shouldFindTracesAsAPlainComputationDoes() throws Exception {
        sent.send(random, TRACES);
        int matched = 0;
        for (int round = 0; round < 150; round++) {
            Asked asked = search();
            Map<Long, Integer> last = new TreeMap<>();
            for (int i = 0; i < sent.spans.size(); i++) {
                if (asked.condition.test(sent.spans.get(i))) {
                    last.put(sent.spans.get(i).trace(), i);
                }
            }
            int limit = 1 + random.nextInt(TRACES);
            List<Long> expected = new ArrayList<>(last.keySet());
            expected.sort((a, b) -> last.get(b) - last.get(a));
            expected = expected.subList(0, Math.min(limit, expected.size()));
            TreeSet<String> rows = new TreeSet<>();
            expected.forEach(trace -> rows.addAll(expected(of(trace))));
            Map<String, @Nullable Object> answer =
                    sent.object("/jaeger/api/traces?" + asked.parameters + "&limit=" + limit + "&lookback=custom");
            TreeSet<String> found = new TreeSet<>();
            SentSpans.list(answer, "data").forEach(trace -> found.addAll(found(trace)));
            String what = "seed=" + seed + ", round=" + round + ", asked=" + asked.parameters;
            assertEquals(String.join("\n", rows), String.join("\n", found), what);
            assertEquals(expected.size(), SentSpans.list(answer, "data").size(), what);
            matched += expected.size();
        }
        assertTrue(matched > 100, "matched=" + matched);
    }

    @Test
    void shouldCountTheCallsBetweenServices() throws Exception {
        String all = "endTs=" + (SentSpans.BEGIN_NS / 1_000_000 + 1_000_000) + "&lookback=2000000";
        assertEquals(List.of(), sent.object("/jaeger/api/dependencies?" + all).get("data"));
        sent.send(random, TRACES);
        Span first = sent.spans.get(0);
        sent.post(SentSpans.json(first)); // sent again
        sent.send(
                new Span( // its parent is of another trace
                        500, 1, first.id(), "lonely", "n", 0, 0, first.start(), first.end(), Map.of(), List.of()));
        int calls = 0;
        for (int round = 0; round < 60; round++) {
            long toMs = sent.spans.get(random.nextInt(sent.spans.size())).end() / 1_000_000;
            long backMs = random.nextInt(TRACES * 1000);
            boolean everything = round == 0;
            List<Span> spans = sent.spans.stream()
                    .filter(span ->
                            everything || (span.end() / 1_000_000 <= toMs && span.end() / 1_000_000 >= toMs - backMs))
                    .toList();
            String service = random.nextInt(4) == 0 ? first.service() : "";
            TreeMap<String, Integer> expected = new TreeMap<>();
            for (Span child : spans) {
                for (Span parent : spans) {
                    boolean called = parent.trace() == child.trace()
                            && parent.id() == child.parent()
                            && !parent.service().equals(child.service());
                    if (called && (parent.service() + "|" + child.service() + "|").contains(service)) {
                        expected.merge(parent.service() + " > " + child.service(), 1, Integer::sum);
                    }
                }
            }
            String path = "/jaeger/api/dependencies?" + (everything ? all : "endTs=" + toMs + "&lookback=" + backMs)
                    + (service.isEmpty() ? "" : "&service=" + SentSpans.encoded(service));
            Map<String, @Nullable Object> answer = sent.object(path);
            TreeMap<String, Integer> found = new TreeMap<>();
            for (Map<String, @Nullable Object> row : SentSpans.list(answer, "data")) {
                int count = Integer.parseInt(String.valueOf(row.get("callCount")));
                found.put(row.get("parent") + " > " + row.get("child"), count);
                calls += count;
            }
            assertEquals(expected, found, "seed=" + seed + ", path=" + path);
            assertEquals(null, answer.get("errors"));
        }
        assertTrue(calls > 0, "seed=" + seed);
    }

    @Test
    void shouldFindTracesByTheirIdsWithTheLatestFirst() throws Exception {
        sent.send(random, 5);
        Map<String, @Nullable Object> answer = sent.object("/jaeger/api/traces?traceID=2&traceID=4&traceID=99");
        assertEquals(
                List.of(of(4).get(0).traceId(), of(2).get(0).traceId()),
                SentSpans.list(answer, "data").stream()
                        .map(trace -> trace.get("traceID"))
                        .toList());
        List<Map<String, @Nullable Object>> errors = SentSpans.list(answer, "errors");
        assertEquals(1, errors.size(), errors::toString);
        assertEquals("trace not found", errors.get(0).get("msg"));
        assertEquals("0".repeat(30) + "99", errors.get(0).get("traceID"));
    }

    /** Enums of OTLP are open: a number may be any. */
    @Test
    void shouldShowSpansOfUnknownKinds() throws Exception {
        Span odd = new Span(9, 1, 0, "s", "n", 2, 1, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS + 5, Map.of(), List.of());
        sent.post(SentSpans.json(odd).replace("\"kind\":2", "\"kind\":-1").replace("\"code\":1", "\"code\":-1"));
        sent.send(new Span(9, 2, 1, "s", "m", 2, 1, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS + 5, Map.of(), List.of()));
        Map<String, @Nullable Object> trace =
                SentSpans.list(sent.object("/jaeger/api/traces/9"), "data").get(0);
        List<Map<String, @Nullable Object>> spans = SentSpans.list(trace, "spans");
        assertEquals(2, spans.size());
        for (Map<String, @Nullable Object> span : spans) {
            assertEquals(
                    span.get("operationName").equals("m"),
                    String.valueOf(span.get("tags")).contains("span.kind"));
        }
    }

    @Test
    void shouldFindSpansThatNameNoService() throws Exception {
        Span span = new Span(9, 1, 0, "s", "n", 2, 1, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS + 5, Map.of(), List.of());
        String service = "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"s\"}},";
        String json = SentSpans.json(span);
        assertTrue(json.contains(service), json);
        sent.post(json.replace(service, ""));
        String name = "OTLPResourceNoServiceName";
        assertEquals(
                "[" + name + "]",
                String.valueOf(sent.object("/jaeger/api/services").get("data")));
        assertEquals(
                "[n]",
                String.valueOf(sent.object("/jaeger/api/services/" + name + "/operations")
                        .get("data")));
        assertEquals(
                1,
                SentSpans.list(sent.object("/jaeger/api/traces?service=" + name), "data")
                        .size());
        assertEquals(List.of(), SentSpans.list(sent.object("/jaeger/api/traces?service=s"), "data"));
    }

    @Test
    void shouldSayWhatIsOddAboutSpans() throws Exception {
        Span span = new Span(
                9,
                1,
                0,
                "s",
                "n",
                0,
                0,
                SentSpans.BEGIN_NS,
                SentSpans.BEGIN_NS - 5,
                Map.of("big", 1L << 60),
                List.of());
        sent.send(span);
        sent.send(new Span(9, 1, 0, "s", "other", 0, 0, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS, Map.of(), List.of()));
        List<Map<String, @Nullable Object>> spans = SentSpans.list(
                SentSpans.list(sent.object("/jaeger/api/traces/9"), "data").get(0), "spans");
        String text = spans.toString();
        assertTrue(text.contains("it ends 5 ns before it starts, and is shown as if it took no time"), text);
        assertTrue(text.contains("another span of the trace has this id"), text);
        HttpResponse<byte[]> answer = sent.get("/jaeger/api/traces/9");
        assertTrue(SentSpans.text(answer).contains("\"value\":\"1152921504606846976\""), SentSpans.text(answer));
    }

    /** A tag is found by the value that it is shown with, and an array by each element. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\u0001',
            value = {
                "{\"arrayValue\":{\"values\":[{\"stringValue\":\"python\"},{\"stringValue\":\"a \\\"b\\\" \u00e4.py\"}]}}; python",
                "{\"arrayValue\":{\"values\":[{\"intValue\":\"5\"},{\"doubleValue\":2.5},{\"boolValue\":true}]}}; 2.5",
                "{\"arrayValue\":{\"values\":[{\"arrayValue\":{\"values\":[{\"stringValue\":\"in\"}]}}]}}; in",
                "{\"kvlistValue\":{\"values\":[{\"key\":\"b\",\"value\":{\"stringValue\":\"x+y\"}},{\"key\":\"a\",\"value\":"
                        + "{\"doubleValue\":2}}]}}; ",
            })
    void shouldFindTagsByTheValuesThatAreShown(String attribute, @Nullable String element) throws Exception {
        sendWith(1, "wrong", "{\"arrayValue\":{\"values\":[{\"intValue\":\"0\"}," + attribute + "]}}");
        sendWith(2, "wrong", "{\"stringValue\":\"other\"}");
        sendWith(3, "right", attribute);
        Map<String, @Nullable Object> trace = SentSpans.list(
                        sent.object("/jaeger/api/traces?service=s&operation=right"), "data")
                .get(0);
        String shown = SentSpans.list(SentSpans.list(trace, "spans").get(0), "tags").stream()
                .filter(tag -> "k".equals(tag.get("key")))
                .map(tag -> String.valueOf(tag.get("value")))
                .collect(Collectors.joining());
        assertTrue(shown.startsWith("[") || shown.startsWith("{"), shown);
        assertEquals(List.of("right"), names(shown), shown);
        if (element != null) {
            assertTrue(names(element).contains("right"), element);
        }
    }

    /** The names of the spans, one in each trace, that are found by a tag. */
    private List<String> names(String value) throws Exception {
        return SentSpans.list(
                        sent.object("/jaeger/api/traces?service=s&tag=" + SentSpans.encoded("k:" + value)), "data")
                .stream()
                .map(trace ->
                        String.valueOf(SentSpans.list(trace, "spans").get(0).get("operationName")))
                .toList();
    }

    private void sendWith(long trace, String name, String attribute) throws Exception {
        Span span = new Span(
                trace, 1, 0, "s", name, 0, 0, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS, Map.of("k", 1L), List.of());
        sent.post(SentSpans.json(span).replace("{\"intValue\":\"1\"}", attribute));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "traces; 400; parameter is missing: service",
                "traces?service=; 400; parameter is missing: service",
                "traces?service=a&service=b; 400; parameter is given twice: service",
                "traces?service=a&limit=0; 400; parameter is no integer from 1 to 1000: limit=0",
                "traces?service=a&limit=99999999999999999999; 400; limit=9999",
                "traces?service=a&start=x; 400; start=x",
                "traces?service=a&start=-1; 400; start=-1",
                "traces?service=a&end=9223372036854775807; 400; end=9223372036854775807",
                "traces?service=a&start=2000000&end=1000000; 400; start is after end",
                "traces?service=a&minDuration=5; 400; minDuration: not a duration",
                "traces?service=a&maxDuration=9999999999999h; 400; maxDuration",
                "traces?service=a&lookback=soon; 400; lookback: not a duration",
                "traces?service=a&tags=x; 400; tags: not JSON",
                "traces?service=a&tags=%7B%22a%22%3A%5B%5D%7D; 400; value is no string: a",
                "traces?service=a&tags=%7B%22a%22%3A%7B%22a%22%3A%7B%22a%22%3A%7B%22a%22%3A%7B%7D%7D%7D%7D%7D; 400; tags:",
                "traces?service=a&tag=x; 400; tag is not KEY:VALUE: x",
                "traces?service=a&tag=otel.status_code:never; 400; never",
                "traces?service=a&color=red; 400; parameter is not supported: color",
                "traces?traceID=zz; 400; not a trace id: zz",
                "traces/0; 400; not a trace id: 0",
                "traces/; 404; no such path",
                "traces/1111111111111111111111111111111111; 400; not a trace id",
                "traces/1/2; 404; no such path",
                "traces/abc; 404; trace not found: abc",
                "traces/abc?start=x; 400; start=x",
                "operations; 400; parameter is missing: service",
                "services?x=1; 400; parameter is not supported: x",
                "services/a; 404; no such path",
                "services/operations; 404; no such path",
                "dependencies?endTs=x; 400; endTs=x",
                "dependencies?endTs=9223372036854775807; 400; endTs=9223372036854775807",
                "dependencies?lookback=-1; 400; lookback=-1",
                "dependencies?lookback=1h; 400; lookback=1h",
                "dependencies?start=1; 400; parameter is not supported: start",
                "dependencies/x; 404; no such path",
                "; 404; no such path",
            })
    void shouldRefuseWhatItCanNotAnswer(@Nullable String path, int status, String message) throws Exception {
        sent.send(new Random(1), 1);
        HttpResponse<byte[]> answer = sent.get("/jaeger/api/" + (path == null ? "" : path));
        String text = SentSpans.text(answer);
        assertEquals(status, answer.statusCode(), text);
        assertTrue(text.contains(message), text);
        assertTrue(
                text.startsWith("{\"data\":null,\"total\":0,\"limit\":0,\"offset\":0,\"errors\":[{\"code\":" + status),
                text);
    }
}
