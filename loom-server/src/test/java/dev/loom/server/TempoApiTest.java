package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.SentSpans.Span;
import dev.loom.server.text.JsonObject;
import java.math.BigInteger;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tempo's API against the spans that were sent by OTLP. {@code -Dloom.test.seed=S} sets the seed. */
final class TempoApiTest {
    private static final int TRACES = 50;

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

    private List<Span> of(long trace) {
        return sent.spans.stream().filter(span -> span.trace() == trace).toList();
    }

    /** The fields of a protobuf message by number, read by the rules of its encoding. */
    private static Map<Integer, List<byte[]>> message(byte[] bytes) {
        Map<Integer, List<byte[]>> fields = new TreeMap<>();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            long tag = varint(in);
            byte[] value = switch ((int) tag & 7) {
                case 0 -> BigInteger.valueOf(varint(in)).toByteArray();
                case 1 -> new byte[8];
                case 2 -> new byte[(int) varint(in)];
                case 5 -> new byte[4];
                default -> throw new IllegalArgumentException("tag=" + tag);
            };
            if ((tag & 7) != 0) {
                in.get(value);
            }
            fields.computeIfAbsent((int) (tag >>> 3), number -> new ArrayList<>())
                    .add(value);
        }
        return fields;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            value |= (b & 0x7FL) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    private static List<byte[]> all(List<byte[]> messages, int number) {
        return messages.stream()
                .flatMap(bytes -> message(bytes).getOrDefault(number, List.of()).stream())
                .toList();
    }

    /** Ids and names of the spans of a TracesData. */
    private static Set<String> spans(byte[] traces) {
        TreeSet<String> rows = new TreeSet<>();
        for (byte[] bytes : all(all(all(List.of(traces), 1), 2), 2)) {
            Map<Integer, List<byte[]>> span = message(bytes);
            boolean added = rows.add(HexFormat.of().formatHex(span.get(1).get(0))
                    + ' '
                    + HexFormat.of().formatHex(span.get(2).get(0))
                    + ' '
                    + new String(span.get(5).get(0), StandardCharsets.UTF_8));
            assertTrue(added, "a span is there twice");
        }
        return rows;
    }

    private Set<String> expected(long trace) {
        TreeSet<String> rows = new TreeSet<>();
        of(trace).forEach(span -> rows.add(span.traceId() + ' ' + span.spanId() + ' ' + span.name()));
        return rows;
    }

    @Test
    void shouldGiveEachTraceAsItWasSent() throws Exception {
        sent.send(random, TRACES);
        sent.post(SentSpans.json(sent.spans.get(0))); // sent again
        for (long trace = 1; trace <= TRACES; trace++) {
            String id = of(trace).get(0).traceId();
            String v1 = "/tempo/api/traces/" + id + "?start=1&end=2";
            String v2 = "/tempo/api/v2/traces/" + Long.toHexString(trace);
            HttpResponse<byte[]> answer = sent.get(v1, "Accept", "application/protobuf");
            assertEquals(
                    "application/protobuf",
                    answer.headers().firstValue("content-type").orElse(""));
            assertEquals(expected(trace), spans(answer.body()));
            Map<Integer, List<byte[]>> whole =
                    message(sent.get(v2, "Accept", "application/json;q=0.1, application/protobuf")
                            .body());
            assertEquals(1, whole.size());
            assertEquals(expected(trace), spans(whole.get(1).get(0)));
            assertEquals(expected(trace), jsonSpans(sent.object(v1), "batches"));
            Map<String, @Nullable Object> json = sent.object(v2);
            assertEquals(Map.of(), json.get("metrics"));
            assertEquals(null, json.get("status"));
            assertEquals(expected(trace), jsonSpans(object(json, "trace"), "resourceSpans"));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> object(Map<String, @Nullable Object> of, String name) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(of.get(name), name);
    }

    private static Set<String> jsonSpans(Map<String, @Nullable Object> trace, String batches) {
        Function<String, String> hex =
                base64 -> HexFormat.of().formatHex(Base64.getDecoder().decode(base64));
        TreeSet<String> rows = new TreeSet<>();
        for (Map<String, @Nullable Object> batch : SentSpans.list(trace, batches)) {
            for (Map<String, @Nullable Object> scope : SentSpans.list(batch, "scopeSpans")) {
                for (Map<String, @Nullable Object> span : SentSpans.list(scope, "spans")) {
                    rows.add(hex.apply((String) span.get("traceId"))
                            + ' '
                            + hex.apply((String) span.get("spanId"))
                            + ' '
                            + span.get("name"));
                }
            }
        }
        return rows;
    }

    private record Asked(String query, Predicate<Span> condition) {}

    private static <T> T one(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static boolean compare(String operator, int order) {
        return switch (operator) {
            case "=" -> order == 0;
            case "!=" -> order != 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            case "<" -> order < 0;
            default -> order <= 0;
        };
    }

    private static final List<String> ORDERED = List.of("=", "!=", ">", ">=", "<", "<=");
    private static final List<String> EQUALITY = List.of("=", "!=");

    /** A random comparison, and which spans it means. */
    private Asked comparison() {
        Span model = one(random, sent.spans);
        String equality = one(random, EQUALITY);
        String ordered = one(random, ORDERED);
        BiPredicate<String, String> same = (a, b) -> compare(equality, a.equals(b) ? 0 : 1);
        switch (random.nextInt(14)) {
            case 0 -> {
                return new Asked(
                        "resource.service.name" + equality + SentSpans.quoted(model.service()),
                        span -> same.test(span.service(), model.service()));
            }
            case 1 -> {
                return new Asked(
                        ".service.name " + equality + ' ' + SentSpans.quoted(model.service()),
                        span -> same.test(span.service(), model.service()));
            }
            case 2 -> {
                return new Asked(
                        "name" + equality + SentSpans.quoted(model.name()),
                        span -> same.test(span.name(), model.name()));
            }
            case 3 -> {
                long ns = model.end() - model.start();
                return new Asked(
                        "duration" + ordered + ns / 1_000_000 + "ms" + ns % 1_000_000 + "ns",
                        span -> compare(ordered, Long.compare(span.end() - span.start(), ns)));
            }
            case 4 -> {
                List<String> names = List.of("unset", "ok", "error");
                int status = random.nextInt(3);
                return new Asked(
                        "status" + equality + names.get(status),
                        span -> compare(equality, span.status() == status ? 0 : 1));
            }
            case 5 -> {
                int kind = random.nextInt(6);
                return new Asked(
                        "span:kind" + equality + (kind == 0 ? "unspecified" : SentSpans.KINDS.get(kind - 1)),
                        span -> compare(equality, span.kind() == kind ? 0 : 1));
            }
            case 6 -> {
                long code = 200 + 100L * random.nextInt(4);
                return new Asked(
                        "span.http.status" + ordered + code,
                        span -> compare(
                                ordered, Long.compare((long) span.attributes().get("http.status"), code)));
            }
            case 7 -> {
                return new Asked(
                        ".route" + equality + "`/r1`",
                        span -> span.attributes().containsKey("route")
                                && same.test((String) span.attributes().get("route"), "/r1"));
            }
            case 8 -> {
                return new Asked(
                        "span.route=~\"/r[01]\"",
                        span -> span.attributes().containsKey("route")
                                && !span.attributes().get("route").equals("/r2"));
            }
            case 9 -> {
                return new Asked(
                        "span.route !~ \"r1\"", span -> span.attributes().containsKey("route")); // anchored
            }
            case 10 -> {
                return new Asked(
                        "span.route" + equality + "nil",
                        span -> compare(equality, span.attributes().containsKey("route") ? 1 : 0));
            }
            case 11 -> {
                return new Asked(
                        "span.retry=true",
                        span -> Boolean.TRUE.equals(span.attributes().get("retry")));
            }
            case 12 -> {
                return new Asked(
                        "span.load" + ordered + (random.nextBoolean() ? "0.75" : "7.5E-1"),
                        span -> span.attributes().containsKey("load")
                                && compare(
                                        ordered,
                                        Double.compare(
                                                (double) span.attributes().get("load"), 0.75)));
            }
            default -> {
                return new Asked("resource.host=\"h1\"", span -> true);
            }
        }
    }

    private Asked condition(int depth) {
        int kind = random.nextInt(depth > 2 ? 1 : 3);
        if (kind == 0) {
            return comparison();
        }
        Asked left = condition(depth + 1);
        Asked right = condition(depth + 1);
        return kind == 1
                ? new Asked('(' + left.query + " && " + right.query + ')', left.condition.and(right.condition))
                : new Asked('(' + left.query + "||" + right.query + ')', left.condition.or(right.condition));
    }

    @Test
    void shouldFindTracesByTraceQlAsAPlainComputationDoes() throws Exception {
        sent.send(random, TRACES);
        int matched = 0;
        for (int round = 0; round < 250; round++) {
            Asked asked = condition(0);
            String times = "";
            Predicate<Span> condition = asked.condition;
            if (random.nextBoolean()) {
                long from = SentSpans.BEGIN_NS / 1_000_000_000 + random.nextInt(TRACES);
                long to = from + random.nextInt(TRACES);
                times = "&start=" + from + "&end=" + to;
                condition =
                        condition.and(span -> span.end() >= from * 1_000_000_000 && span.end() <= to * 1_000_000_000);
            }
            Map<Long, Integer> last = new TreeMap<>();
            for (int i = 0; i < sent.spans.size(); i++) {
                if (condition.test(sent.spans.get(i))) {
                    last.put(sent.spans.get(i).trace(), i);
                }
            }
            int limit = 1 + random.nextInt(TRACES);
            List<Long> expected = new ArrayList<>(last.keySet());
            expected.sort((a, b) -> last.get(b) - last.get(a));
            expected = expected.subList(0, Math.min(limit, expected.size()));
            Map<String, @Nullable Object> answer = sent.object("/tempo/api/search?q="
                    + SentSpans.encoded("{" + asked.query + "}") + times + "&limit=" + limit + "&spss=2");
            Predicate<Span> meets = condition;
            assertEquals(
                    expected.stream()
                            .map(trace -> summary(trace) + spanSet(trace, meets, 2))
                            .toList(),
                    SentSpans.list(answer, "traces").stream()
                            .map(TempoApiTest::found)
                            .toList(),
                    "seed=" + seed + ", round=" + round + ", asked=" + asked.query + times);
            assertEquals("1", object(answer, "metrics").get("completedJobs"));
            matched += expected.size();
        }
        assertTrue(matched > 500, "matched=" + matched);
    }

    private String summary(long trace) {
        List<Span> spans = of(trace);
        Span root = spans.get(0);
        long start = spans.stream().mapToLong(Span::start).min().orElseThrow();
        long end = spans.stream().mapToLong(Span::end).max().orElseThrow();
        return "{traceID=" + root.traceId() + ", rootServiceName=" + root.service() + ", rootTraceName=" + root.name()
                + ", startTimeUnixNano=" + start + ", durationMs=" + (end - start) / 1_000_000 + "}";
    }

    /** The spans of a trace that were asked for, the last sent first. */
    private String spanSet(long trace, Predicate<Span> condition, int max) {
        List<Span> matched = new ArrayList<>(of(trace));
        matched.removeIf(condition.negate());
        Collections.reverse(matched);
        return " set=" + matched.size() + ' '
                + matched.stream()
                        .limit(max)
                        .map(span -> span.spanId() + "/" + span.name() + '/' + span.start() + '/'
                                + (span.end() - span.start()) + '/' + span.service())
                        .toList();
    }

    /** A trace as the two above have it. */
    private static String found(Map<String, @Nullable Object> trace) {
        Map<String, @Nullable Object> rest = new LinkedHashMap<>(trace);
        Map<String, @Nullable Object> set = SentSpans.list(rest, "spanSets").get(0);
        assertEquals(set, rest.remove("spanSet"));
        rest.remove("spanSets");
        return rest + " set=" + set.get("matched") + ' '
                + SentSpans.list(set, "spans").stream()
                        .map(span -> span.get("spanID") + "/" + span.get("name") + '/' + span.get("startTimeUnixNano")
                                + '/' + span.get("durationNanos") + '/'
                                + object(SentSpans.list(span, "attributes").get(0), "value")
                                        .get("stringValue"))
                        .toList();
    }

    @Test
    void shouldFindTracesByTags() throws Exception {
        sent.send(random, TRACES);
        for (String tags : List.of("", "route=/r1 http.status=500", "name=\"POST /pay\" host=h1", "error=true")) {
            List<String> expected = new ArrayList<>();
            for (long trace = TRACES; trace > 0; trace--) {
                if (of(trace).stream().anyMatch(span -> switch (tags) {
                    case "" -> true;
                    case "error=true" -> span.status() == 2;
                    case "route=/r1 http.status=500" ->
                        "/r1".equals(span.attributes().get("route"))
                                && span.attributes().get("http.status").equals(500L);
                    default -> span.name().equals("POST /pay");
                })) {
                    expected.add(summary(trace));
                }
            }
            assertEquals(
                    expected,
                    SentSpans.list(sent.object("/tempo/api/search?limit=100&tags=" + SentSpans.encoded(tags)), "traces")
                            .stream()
                            .map(trace -> found(trace).replaceAll(" set=.*", ""))
                            .toList(),
                    tags);
        }
    }

    @Test
    void shouldOfferValuesThatCanBeFound() throws Exception {
        Span span =
                new Span(1, 1, 0, "s", "n", 0, 0, SentSpans.BEGIN_NS, SentSpans.BEGIN_NS, Map.of("k", 1L), List.of());
        for (String value : List.of(
                "{\"arrayValue\":{\"values\":[{\"stringValue\":\"python\"},{\"stringValue\":\"app.py\"},{\"intValue\":\"7\"}]}}",
                "{\"kvlistValue\":{\"values\":[{\"key\":\"a\",\"value\":{\"stringValue\":\"x\"}}]}}",
                "{\"bytesValue\":\"/w==\"}",
                "{\"bytesValue\":\"YWJj\"}", // abc
                "{\"stringValue\":\"text\"}")) {
            sent.post(SentSpans.json(span).replace("{\"intValue\":\"1\"}", value));
        }
        List<Map<String, @Nullable Object>> values =
                SentSpans.list(sent.object("/tempo/api/v2/search/tag/span.k/values"), "tagValues");
        assertEquals(
                "[{type=int, value=7}, {type=string, value=abc}, {type=string, value=app.py}, {type=string, value=python},"
                        + " {type=string, value=text}]",
                values.toString());
        for (Map<String, @Nullable Object> each : values) {
            String written = each.get("type").equals("int") ? each.get("value") + "" : "\"" + each.get("value") + "\"";
            String query = "/tempo/api/search?q=" + SentSpans.encoded("{ span.k = " + written + " }");
            assertEquals(1, SentSpans.list(sent.object(query), "traces").size(), each::toString);
        }
    }

    @Test
    void shouldNameTagsAndTheirValues() throws Exception {
        assertEquals(
                List.of(),
                sent.object("/tempo/api/v2/search/tag/resource.service.name/values")
                        .get("tagValues"));
        sent.send(random, TRACES);
        assertEquals(
                "[{name=span, tags=[http.status, load, retry, route]}, {name=resource, tags=[host, service.name]},"
                        + " {name=intrinsic, tags=[duration, kind, name, status, statusMessage]}]",
                String.valueOf(sent.object("/tempo/api/v2/search/tags").get("scopes")));
        assertEquals(
                "[{name=resource, tags=[host, service.name]}]",
                String.valueOf(
                        sent.object("/tempo/api/v2/search/tags?scope=resource").get("scopes")));
        assertEquals(
                "[duration, host, http.status, kind, load, name, retry, route, service.name, status, statusMessage]",
                String.valueOf(sent.object("/tempo/api/search/tags").get("tagNames")));
        List<String> services =
                List.copyOf(new TreeSet<>(sent.spans.stream().map(Span::service).toList()));
        for (String name : List.of("service.name", ".service.name", "resource.service.name")) {
            assertEquals(
                    services,
                    sent.object("/tempo/api/search/tag/" + name + "/values").get("tagValues"),
                    name);
        }
        TreeSet<String> ofWeb = new TreeSet<>();
        sent.spans.stream()
                .filter(span -> span.service().equals("web") && span.status() == 2)
                .forEach(span -> ofWeb.add("{type=string, value=" + span.name() + "}"));
        assertEquals(
                ofWeb.toString(),
                String.valueOf(sent.object("/tempo/api/v2/search/tag/name/values?q="
                                + SentSpans.encoded("{resource.service.name=\"web\" && status=error}"))
                        .get("tagValues")));
        for (String[] each : new String[][] {
            {"span.http.status", "int"}, {"span.load", "float|int"}, {"span.retry", "bool"}, {"status", "keyword"}
        }) {
            List<Map<String, @Nullable Object>> values =
                    SentSpans.list(sent.object("/tempo/api/v2/search/tag/" + each[0] + "/values"), "tagValues");
            assertTrue(
                    !values.isEmpty()
                            && values.stream().allMatch(value -> ((String) value.get("type")).matches(each[1])),
                    each[0]);
        }
        Span first = sent.spans.get(0);
        sent.post(SentSpans.json(first)
                .replaceFirst(
                        "\"http.status\",\"value\":.\"\\w+\":\"\\d+\"",
                        "\"http.status\",\"value\":{\"stringValue\":\"77\""));
        sent.post(SentSpans.json(first)
                .replaceFirst(
                        "\"http.status\",\"value\":.\"\\w+\":\"\\d+\"",
                        "\"http.status\",\"value\":{\"intValue\":\"77\""));
        String statuses = String.valueOf(
                sent.object("/tempo/api/v2/search/tag/span.http.status/values").get("tagValues"));
        assertTrue(statuses.contains("{type=int, value=77}, {type=string, value=77}"), statuses);
        for (Map<String, @Nullable Object> duration :
                SentSpans.list(sent.object("/tempo/api/v2/search/tag/duration/values"), "tagValues")) {
            assertTrue(
                    !SentSpans.list(
                                    sent.object("/tempo/api/search?q="
                                            + SentSpans.encoded("{ duration = " + duration.get("value") + " }")),
                                    "traces")
                            .isEmpty(),
                    duration::toString);
        }
        assertEquals(
                List.of(),
                sent.object("/tempo/api/v2/search/tag/span.nothing/values").get("tagValues"));
        long last = SentSpans.BEGIN_NS / 1_000_000_000 + TRACES;
        assertEquals(
                List.copyOf(new TreeSet<>(sent.spans.stream()
                        .filter(span -> span.end() >= last * 1_000_000_000)
                        .map(Span::name)
                        .toList())),
                sent.object("/tempo/api/search/tag/name/values?start=" + last + "&end=" + (last + 9))
                        .get("tagValues"));
    }

    @Test
    void shouldSayWhatItIs() throws Exception {
        assertEquals("echo", SentSpans.text(sent.get("/tempo/api/echo")));
        assertEquals(
                "2.6.0",
                JsonObject.parse(sent.get("/tempo/api/status/buildinfo").body()).get("version"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            value = {
                "x; 400; expected {, found x: position=0, query=x",
                "{; 400; expected a field, found the end: position=1",
                "{ name = ; 400; expected a value, found the end: position=8",
                "{ name = \"a\" ; 400; expected }, found the end: position=12",
                "{ name = \"a; 400; text does not end: position=9",
                "{ name = \"\\q\" }; 400; unknown escape \\q: position=10",
                "{ name = a }; 400; expected a value, found a: position=9",
                "{ name > }; 400; expected a value, found }: position=9",
                "{ name } ; 400; expected one of = != > >= < <= =~ !~, found }: position=7",
                "{ foo = 1 }; 400; not a field of one span that is supported: foo",
                "{ rootServiceName = \"a\" }; 400; not a field of one span that is supported: rootServiceName",
                "{ traceDuration > 1s }; 400; position=2",
                "{ span. = 1 }; 400; not a field of one span that is supported: span.",
                "{ duration > 5 }; 400; expected a duration with its unit, as 100ms, found 5: position=13",
                "{ span.a > 5s }; 400; only duration is compared with a duration: position=11",
                "{ status = \"error\" }; 400; expected one of error, ok, unset, found \"error\": position=11",
                "{ status > error }; 400; such values have no order, expected = or !=: position=9",
                "{ kind = boss }; 400; expected one of unspecified",
                "{ name = 5 }; 400; expected a text in quotes, found 5: position=9",
                "{ .a =~ 5 }; 400; expected a regular expression in quotes, found 5: position=8",
                "{ .a =~ \"(\" }; 400; position=8",
                "{ .a =~ \"\\\\Qa\" }; 400; position=8",
                "{ duration =~ \"1\" }; 400; field has no text: duration: position=11",
                "{ .a = 1 } | count() > 2; 400; only one set of spans is supported, found |: position=11",
                "{ .a = 1 } && { .b = 2 }; 400; only one set of spans is supported, found &&: position=11",
                "{ .a = 1 } >> { .b = 2 }; 400; found >>: position=11",
                "{ .a + 1 = 2 }; 400; position=5",
                "{ 1 = .a }; 400; not a field",
                "{ .a = 1 && }; 400; expected a field, found }: position=12",
                "{ (.a = 1 }; 400; expected ), found }: position=10",
                "{ ! .a = 1 }; 400; expected a field, found !: position=2",
                "{ .a >= true }; 400; such values have no order",
                "{ .a = 99999999999999999999 }; 400; expected a value",
                "{ duration > 99999999999h }; 400; position=13",
            })
    void shouldSayWhereAQueryIsWrong(String query, int status, String message) throws Exception {
        sent.send(new Random(1), 1);
        for (String path : List.of("search?q=", "v2/search/tag/name/values?q=")) {
            HttpResponse<byte[]> answer = sent.get("/tempo/api/" + path + SentSpans.encoded(query));
            assertEquals(status, answer.statusCode(), SentSpans.text(answer));
            assertTrue(SentSpans.text(answer).contains(message), SentSpans.text(answer));
        }
    }

    @Test
    void shouldBoundQueries() throws Exception {
        sent.send(new Random(1), 1);
        for (String query : List.of(
                "{" + "(".repeat(33) + ".a=1" + ")".repeat(33) + "}",
                "{ .a = \"" + "x".repeat(3_000) + "\" || ",
                "{ .a =~ \"(x{1000}){1000}\" }")) {
            HttpResponse<byte[]> answer = sent.get("/tempo/api/search?q=" + SentSpans.encoded(query));
            assertEquals(400, answer.statusCode(), SentSpans.text(answer));
            assertTrue(answer.body().length < 4_500, SentSpans.text(answer));
        }
        String nested = "{" + "(".repeat(32) + ".a=1" + ")".repeat(32) + "}";
        assertEquals(
                200,
                sent.get("/tempo/api/search?q=" + SentSpans.encoded(nested)).statusCode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "search?limit=0; 400; limit=0",
                "search?limit=1001; 400; limit=1001",
                "search?start=x; 400; start=x",
                "search?spss=0; 400; spss=0",
                "search?spss=101; 400; spss=101",
                "search?start=-5; 400; start=-5",
                "search?end=9223372036854775807; 400; end=9223372036854775807",
                "search?start=20&end=10; 400; start is after end",
                "search?minDuration=1s; 400; minDuration and maxDuration of traces are not supported",
                "search?q=%7B%7D&tags=a%3Db; 400; q and tags are both given",
                "search?tags=a; 400; expected KEY=VALUE: position=0",
                "search?tags=a%3D1%20a%3D2; 400; tag is given twice: position=4",
                "search?tags=a%3D%22b; 400; text does not end: position=2",
                "search?tags=%3D; 400; expected KEY=VALUE: position=0",
                "search?color=red; 400; parameter is not supported: color",
                "search/tags?scope=event; 400; scope is not one of",
                "v2/search/tags?start=x; 400; start=x",
                "v2/search/tag/foo/values; 400; not a tag that is supported: foo",
                "search/tag//values; 400; ",
                "v2/search/tag/name/values?limit=99999; 400; limit=99999",
                "traces/xyz; 400; not a trace id: xyz",
                "traces/; 404; no such path",
                "traces/abc; 404; trace not found: abc",
                "v2/traces/abc; 404; trace not found: abc",
                "v2/traces/abc?start=x; 400; start=x",
                "v2/traces/00000000000000000000000000000000; 400; not a trace id",
                "metrics/query_range?q=x; 404; no such path",
                "search/tag/values; 404; no such path",
                "overrides; 404; no such path",
            })
    void shouldRefuseWhatItCanNotAnswer(String path, int status, @Nullable String message) throws Exception {
        sent.send(new Random(1), 1);
        HttpResponse<byte[]> answer = sent.get("/tempo/api/" + path);
        assertEquals(status, answer.statusCode(), SentSpans.text(answer));
        assertTrue(message == null || SentSpans.text(answer).contains(message), SentSpans.text(answer));
    }
}
