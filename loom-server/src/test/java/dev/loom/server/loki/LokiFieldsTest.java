package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.format.Formats;
import dev.loom.format.StructCodec;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.service.QueryReport;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.lang.invoke.MethodHandles;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What labels mean in sources of structs and of JSON, and what answers lack. */
final class LokiFieldsTest {
    /** A record of a struct. */
    private record Request(long latencyUs, String op, boolean ok, int sizeBytes) {}

    private record Texts(String took) {}

    private record Numbers(int took) {}

    private static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class, MethodHandles.lookup());
    private static final StructCodec<Texts> STRINGS = StructCodec.of(Texts.class, MethodHandles.lookup());
    private static final StructCodec<Numbers> NUMBERS = StructCodec.of(Numbers.class, MethodHandles.lookup());

    @TempDir
    Path temp;

    private Loom loom;
    private LoomServer server;
    private LokiAnswers loki;

    @BeforeEach
    void start() throws Exception {
        loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
        int requests = loom.defineSource("requests", REQUESTS.format());
        loom.push(requests, REQUESTS, new Request(900, "GET", true, 100));
        loom.push(requests, REQUESTS, new Request(1_500, "SET", false, 5_000));
        int json = loom.defineSource("json", Formats.json());
        for (String text : List.of(
                "{\"id\":1,\"a_b\":1,\"kind\":\"x\"}",
                "{\"id\":2,\"a\":{\"b\":2},\"kind\":\"x\"}",
                "{\"id\":3,\"list\":[{\"c d\":7}],\"kind\":\"y\"}",
                "{ \"id\": 4, \"k\": \"\\u0041\\\"\", \"flag\": true, \"kind\": null }",
                "not JSON")) {
            loom.push(json, text.getBytes(StandardCharsets.UTF_8));
        }
        int timed = loom.defineSource("timed", Formats.parse("timed:text"));
        loom.push(timed, new byte[3]); // too short for a time
        server = LoomServer.start(loom, api().build());
        loki = new LokiAnswers(server);
    }

    /** Down to sixteen levels, also of lines that are nested deeper. */
    @Test
    void shouldDetectFieldsOfDeepLines() throws Exception {
        int deep = loom.defineSource("deep", Formats.json());
        StringBuilder line = new StringBuilder("{\"name\":1");
        for (int level = 1; level < 20; level++) {
            line.append(",\"in\":{\"n").append(level + 1).append("\":").append(level + 1);
        }
        loom.push(deep, line.append("}".repeat(20)).toString().getBytes(StandardCharsets.UTF_8));
        String fields = loki.get("detected_fields", "query", "{source=\"deep\"}", "since", "1h")
                .body();
        assertTrue(fields.contains("{\"label\":\"name\",\"type\":\"int\",\"cardinality\":1"), fields);
        assertTrue(fields.contains("\"label\":\"" + "in_".repeat(15) + "n16\",\"type\":\"int\""), fields);
        assertFalse(fields.contains("n17"), fields);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        loom.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "{source=\"requests\"} | latency_us > 1ms\u00a7SET",
                "{source=\"requests\"} | latency_us <= 900us\u00a7GET",
                "{source=\"requests\"} | json | ok=\"true\"\u00a7GET",
                "{source=\"requests\"} | ok!=\"true\"\u00a7SET",
                "{source=\"requests\"} | ok=\"yes\"\u00a7",
                "{source=\"requests\"} | size_bytes >= 5kb\u00a7SET",
                "{source=\"requests\"} | size_bytes < 1KiB\u00a7GET",
                "{source=\"requests\"} | size_bytes=\"100\"\u00a7GET",
                "{source=\"requests\"} | size_bytes=\"1.0E2\"\u00a7GET",
                "{source=\"requests\"} | size_bytes=\"100.5\"\u00a7",
                "{source=\"requests\"} | op=~\"S.*|x\"\u00a7SET",
                "{source=\"requests\"} | op=~\"E\"\u00a7",
                "{source=\"requests\"} | nothing=\"\"\u00a7GET,SET",
                "{source=\"requests\"} | nothing > 1\u00a7",
                "{source=\"requests\", op=\"GET\"}\u00a7",
                "{source=\"requests\", op=\"\"}\u00a7GET,SET",
            })
    void shouldCompareFieldsOfStructs(String query, String expected) throws Exception {
        List<String> found = loki.lines("query", query, "since", "1h", "direction", "forward").stream()
                .map(line -> line.text().replaceAll(".*\"op\":\"(\\w+)\".*", "$1"))
                .toList();
        assertEquals(expected == null ? List.of() : List.of(expected.split(",", -1)), found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "{source=\"json\"} | a_b > 0\u00a71,2",
                "{source=\"json\"} | json x=\"a.b\" | x > 0\u00a72",
                "{source=\"json\"} | json x=\"a_b\" | x > 0\u00a71",
                "{source=\"json\"} | json x=`list[0][\"c d\"]` | x = 7\u00a73",
                "{source=\"json\"} | kind=~\"x|y\"\u00a71,2,3",
                "{source=\"json\"} | kind!=\"x\" | id > 0\u00a73,4",
                "{source=\"json\"} | kind=\"\" | id > 0\u00a74",
                "{source=\"json\"} | flag=\"true\"\u00a74",
                "{source=\"json\"} | k=`A\"`\u00a74",
                "{source=\"json\"} |= `\"id\":4,\"k\"`\u00a74",
                "{source=\"json\"} |= `A`\u00a74",
                "{source=\"json\"} |= `\"c d\":7`\u00a73",
                "{source=\"json\"} | id=\"3\" or id=4\u00a73,4",
                "{source=\"json\"} | id=\"30E-1\"\u00a73",
            })
    void shouldCompareMembersOfJson(String query, String expected) throws Exception {
        List<String> found = loki.lines("query", query, "direction", "forward").stream()
                .map(line -> line.text().replaceAll(".*\"id\":(\\d).*", "$1"))
                .toList();
        assertEquals(List.of(expected.split(",", -1)), found);
    }

    @Test
    void shouldShowRecordsAsJson() throws Exception {
        assertEquals(
                List.of(
                        "{\"latency_us\":900,\"op\":\"GET\",\"ok\":true,\"size_bytes\":100}",
                        "{\"latency_us\":1500,\"op\":\"SET\",\"ok\":false,\"size_bytes\":5000}"),
                loki.lines("query", "{source=\"requests\"}", "direction", "forward").stream()
                        .map(LokiAnswers.Line::text)
                        .toList());
        List<String> json = loki.lines("query", "{source=\"json\"}", "direction", "forward").stream()
                .map(LokiAnswers.Line::text)
                .toList();
        assertEquals("{\"id\":4,\"k\":\"\\u0041\\\"\",\"flag\":true,\"kind\":null}", json.get(3));
    }

    @Test
    void shouldNotGuessWhichFieldIsMeant() throws Exception {
        HttpResponse<String> several =
                loki.get("query", "query", "sum by (a_b) (count_over_time({source=\"json\"}[1h]))");
        assertEquals(400, several.statusCode());
        assertTrue(
                several.body()
                        .startsWith(
                                "parse error at line 1, col 15: label names several fields: a_b, fields=[a_b, a.b]"),
                several.body());
        Map<String, Double> found = new TreeMap<>();
        loki.points(
                        "query",
                        "query",
                        "sum by (x) (sum_over_time({source=\"json\"} | json x=\"a.b\", y=\"id\" | unwrap y [1h]))")
                .forEach(point -> found.put(point.labels().toString(), point.value()));
        assertEquals(Map.of("{x=2}", 2.0, "{}", 8.0), found);
        assertEquals(
                2.0,
                loki.points("query", "query", "max_over_time({source=\"json\"} | id=2 | unwrap a_b [1h])")
                        .get(0)
                        .value());
    }

    /** What the server's settings allow, and what failures look like. */
    @Test
    void shouldKeepWithinTheServersLimits() throws Exception {
        String count = "sum by (id) (count_over_time({source=\"json\"}[1h]))";
        refused(api().queryTimeout(Duration.ofNanos(1)), count, 504, "query timed out\n");
        refused(api().queryMemoryBytes(300 << 10), count, 413, "query memory is exhausted: needed=");
        refused(api().maxGroups(2), count, 400, "maximum of series (500) reached for a single query");
        assertEquals(5, loki.points("query", "query", count).size());
    }

    private static ServerSettings.Builder api() {
        return ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0"));
    }

    private void refused(ServerSettings.Builder settings, String query, int status, String message) throws Exception {
        try (LoomServer other = LoomServer.start(loom, settings.build())) {
            HttpResponse<String> answer = new LokiAnswers(other).get("query", "query", query);
            assertEquals(status, answer.statusCode(), answer.body());
            assertTrue(answer.body().startsWith(message), answer.body());
        }
    }

    /** A field that was a text and became a number. */
    @Test
    void shouldUnwrapAFieldOfASourceThatWasDefinedAgain() throws Exception {
        int text = loom.defineSource("typed", STRINGS.format());
        loom.push(text, STRINGS, new Texts("12"));
        String query = "sum_over_time({source=\"typed\"} | unwrap took [1h])";
        assertEquals(400, loki.get("query", "query", query).statusCode());
        loom.closeSource(text);
        loom.push(loom.defineSource("typed", NUMBERS.format()), NUMBERS, new Numbers(7));
        HttpResponse<String> answer = loki.get("query", "query", query);
        assertTrue(answer.body().contains("\"result\":[{\"metric\":{\"source\":\"typed\"},\"value\":["), answer.body());
        assertTrue(
                answer.body()
                        .contains(
                                "\"warnings\":[\"incomplete answer: source=typed: records from before it was defined again"
                                        + " are left out: "),
                answer.body());
        assertEquals(7, loki.points("query", "query", query).get(0).value());
    }

    /** Members whose names have signs that labels can't have. */
    @ParameterizedTest
    @CsvSource({"user_agent, ann", "_1st, 1", "in_x_y, 2", "a_b_c_d_e_f, 3", "list, none"})
    void shouldFindMembersOfAnyName(String label, String value) throws Exception {
        int signs = loom.defineSource("signs", Formats.json());
        String line = "{\"user-agent\":\"ann\",\"1st\":1,\"in\":{\"x@y\":2},\"a.b\":{\"c-d e/f\":3}}";
        loom.push(signs, line.getBytes(StandardCharsets.UTF_8));
        boolean there = !value.equals("none");
        assertEquals(
                there ? List.of(line) : List.of(),
                loki.lines("query", "{source=\"signs\"} | json | " + label + "=\"" + value + "\"").stream()
                        .map(LokiAnswers.Line::text)
                        .toList());
        assertEquals(
                there ? "{" + label + "=" + value + "}" : "{}",
                loki.points("query", "query", "sum by (" + label + ") (count_over_time({source=\"signs\"}[1h]))")
                        .get(0)
                        .labels()
                        .toString());
    }

    @Test
    void shouldSayWhatAnAnswerLacks() throws Exception {
        HttpResponse<String> answer = loki.get("query_range", "query", "{source=\"timed\"}");
        assertTrue(
                answer.body()
                        .endsWith("},\"warnings\":[\"incomplete answer: source=timed: records without a time are"
                                + " left out\"]}\n"),
                answer.body());
        Report report = new Report();
        report.add(
                "s",
                new QueryReport(
                        new Completeness(3, 2, true, Completeness.Limit.TIME, false),
                        QueryStatistics.NONE,
                        1,
                        0,
                        true));
        assertTrue(report.timedOut());
        assertEquals(
                List.of(
                        "incomplete answer: source=s: the query ended early, limit: time",
                        "incomplete answer: source=s: records lost in the range: 3",
                        "incomplete answer: source=s: damaged pages in the range: 2",
                        "incomplete answer: source=s: part of the range is no longer retained"),
                report.warnings());
    }
}
