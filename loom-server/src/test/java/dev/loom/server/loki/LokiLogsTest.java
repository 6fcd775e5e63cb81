package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.TestClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OTLP logs as streams, and what a server says of all streams. */
final class LokiLogsTest {
    private static final long BEGIN_S = 1_700_000_000L;
    private static final String START = BEGIN_S + "";
    private static final String END = (BEGIN_S + 100) + "";
    /** Severities in turn: one of each level, the first and last of info, and none. */
    private static final int[] SEVERITIES = {1, 5, 9, 12, 13, 17, 24, 0};

    private static final List<String> LEVELS =
            List.of("trace", "debug", "info", "info", "warn", "error", "fatal", "unknown");
    private static final String LOGS = "{source=\"otlp.logs\"}";

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private SharedWriter writer;
    private LoomServer server;
    private LokiAnswers loki;

    @BeforeEach
    void start() throws Exception {
        Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
        int requests = loom.defineSource("requests", Formats.parse("struct:latency_ns:i64,op:utf8?,ok:bool"));
        loom.push(requests, new byte[0]); // a record without fields
        writer = new SharedWriter(loom);
        Endpoint any = Endpoint.parse("127.0.0.1:0");
        server = LoomServer.start(
                writer, ServerSettings.builder().api(any).otlpHttp(any).build());
        loki = new LokiAnswers(server);
        for (int i = 0; i < 16; i++) {
            send(i, i % 2 == 0 ? "web" : "cart");
        }
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        writer.loom().close();
    }

    private void send(int i, String service) throws Exception {
        String body = "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
                + "{\"stringValue\":\"" + service + "\"}}]},\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\""
                + (BEGIN_S + i) + "000000000\",\"severityNumber\":" + SEVERITIES[i % 8]
                + ",\"body\":{\"stringValue\":\"line " + i + "\"},\"attributes\":[{\"key\":\"http.route\",\"value\":"
                + "{\"stringValue\":\"/r" + i % 3 + "\"}},{\"key\":\"ms\",\"value\":{\"intValue\":\"" + i
                + "\"}}]}]}]}]}";
        HttpResponse<String> answer = http.postOtlp(server, "/v1/logs", body);
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private List<String> lines(String query) throws Exception {
        return loki.lines("query", query, "start", START, "end", END, "direction", "forward").stream()
                .sorted(Comparator.comparingLong(LokiAnswers.Line::timeNs))
                .map(LokiAnswers.Line::text)
                .toList();
    }

    private static List<String> numbered(int... numbers) {
        return Arrays.stream(numbers).mapToObj(i -> "line " + i).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "{source=\"otlp.logs\"} |= \"line 1\" | attr_ms > 10\u00a711,12,13,14,15",
                "{service_name=\"cart\"} | attr_ms <= 3\u00a71,3",
                "{service_name=\"cart\", level=\"error\"}\u00a75,13",
                "{service_name=~\"c.*\", level=~\"error|debug\"}\u00a71,5,9,13",
                "{source=\"otlp.logs\"} | level=\"unknown\"\u00a77,15",
                "{source=\"otlp.logs\", level!=\"info\", level!~\"trace|debug|warn|error|fatal\"}\u00a77,15",
                "{source=\"otlp.logs\"} | attr_http_route=\"/r0\" | attr_ms=\"9\" or attr_ms=12\u00a79,12",
                "{source=\"otlp.logs\"} | attr_http_route!=\"/r0\" | attr_ms < 3\u00a71,2",
                "{source=\"otlp.logs\"} | resource_service_name=\"web\" | severity >= 17\u00a76,14",
                "{source=\"otlp.logs\"} | attr_absent=\"\" | attr_ms=3\u00a73",
                "{source=\"otlp.logs\"} |~ \"^line [12]$\"\u00a71,2",
                "{source=\"otlp.logs\"} !~ \"[0-9]{2}\" != \"8\" | attr_ms > 6\u00a77,9",
                "{source=~\"otlp.logs|requests\"} | attr_ms = 3\u00a73",
            })
    void shouldFindLogs(String query, String expected) throws Exception {
        int[] numbers =
                Arrays.stream(expected.split(",")).mapToInt(Integer::parseInt).toArray();
        assertEquals(numbered(numbers), lines(query));
    }

    /** Of bodies that are maps; those of a text that reads like JSON can't be asked for. */
    @Test
    void shouldDetectFieldsThatCanBeAskedFor() throws Exception {
        List<String> bodies = List.of(
                "{\"kvlistValue\":{\"values\":[{\"key\":\"user\",\"value\":{\"stringValue\":\"ann\"}},{\"key\":\"in\",\"value\":"
                        + "{\"kvlistValue\":{\"values\":[{\"key\":\"ms\",\"value\":{\"intValue\":\"7\"}}]}}}]}}",
                "{\"stringValue\":\"{\\\"level\\\":\\\"x\\\",\\\"user\\\":\\\"bob\\\"}\"}");
        for (String body : bodies) {
            HttpResponse<String> sent = http.postOtlp(
                    server,
                    "/v1/logs",
                    "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
                            + "\"maps\"}}]},\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"" + BEGIN_S
                            + "000000000\",\"body\":" + body + "}]}]}]}");
            assertEquals(200, sent.statusCode(), sent.body());
        }
        String selector = "{service_name=\"maps\"}";
        String fields = loki.get("detected_fields", "query", selector, "start", START, "end", END)
                .body();
        assertEquals(
                "{\"fields\":[{\"label\":\"body_in_ms\",\"type\":\"int\",\"cardinality\":1,\"parsers\":[]},"
                        + "{\"label\":\"body_user\",\"type\":\"string\",\"cardinality\":1,\"parsers\":[]}],\"limit\":1000}",
                fields.strip());
        assertTrue(loki.get("detected_field/body_user/values", "query", selector, "start", START, "end", END)
                .body()
                .contains("\"values\":[\"ann\"]"));
        assertEquals(List.of("{\"user\":\"ann\",\"in\":{\"ms\":7}}"), lines(selector + " | body_user=\"ann\""));
        assertEquals(1, lines(selector + " | body_in_ms > 6").size());
    }

    private void sendAttributes(String service, String... records) throws Exception {
        StringBuilder logs = new StringBuilder();
        for (String attributes : records) {
            logs.append(logs.isEmpty() ? "" : ",")
                    .append("{\"timeUnixNano\":\"" + BEGIN_S + "000000000\",\"attributes\":[" + attributes + "]}");
        }
        HttpResponse<String> answer = http.postOtlp(
                server,
                "/v1/logs",
                "{\"resourceLogs\":[{\"resource\":{\"attributes\":[" + attribute("service.name", service)
                        + "]},\"scopeLogs\":[{\"logRecords\":[" + logs + "]}]}]}");
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private static String attribute(String name, String value) {
        return "{\"key\":\"" + name + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    /** What "filter for value" of Grafana asks for, "filter out", and a panel. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-type",
                "k8s.pod.label.app-kubernetes-io/name",
                "user agent",
                "@id",
                "1st",
                "a.b.c_d.e_f.g.h",
                "end?",
            })
    void shouldAskForAttributesByTheLabelsThatLinesHave(String name) throws Exception {
        sendAttributes("signs", attribute(name, "x"), attribute(name, "y"), attribute("ms", "1"));
        String label = "attr_" + name.replaceAll("[^a-z0-9]", "_");
        String selector = "{service_name=\"signs\"}";
        String[] range = {"start", START, "end", END};
        List<String> found = new ArrayList<>();
        for (String filter : List.of("=\"x\"", "!=\"x\"", "=~\"[xy]\"")) {
            String query = selector + " | " + label + filter;
            found.add(loki.lines("query", query, range[0], range[1], range[2], range[3]).stream()
                    .map(line -> line.labels().getOrDefault(label, "none"))
                    .sorted()
                    .toList()
                    .toString());
        }
        assertEquals(List.of("[x]", "[none, y]", "[x, y]"), found);
        assertEquals(
                Map.of("{" + label + "=x}", 1.0, "{" + label + "=y}", 1.0, "{}", 1.0),
                values("sum by (" + label + ") (count_over_time(" + selector + "[1h]))", (BEGIN_S + 15) + ""));
        String fields = loki.get("detected_fields", "query", selector, "start", START, "end", END)
                .body();
        assertTrue(fields.contains("{\"label\":\"" + label + "\",\"type\":\"string\",\"cardinality\":2"), fields);
    }

    /** The names of the newest records are known, and those that have dots alone. */
    @Test
    void shouldNotOfferFieldsThatQueriesDoNotFind() throws Exception {
        sendAttributes("old", attribute("content-type", "x") + "," + attribute("http.route", "y"));
        String[] newer = new String[256];
        Arrays.fill(newer, attribute("ms", "1"));
        sendAttributes("new", newer);
        String fields = loki.get("detected_fields", "query", "{service_name=\"old\"}", "start", START, "end", END)
                .body();
        assertEquals(
                "{\"fields\":[{\"label\":\"attr_http_route\",\"type\":\"string\",\"cardinality\":1,\"parsers\":[]}],"
                        + "\"limit\":1000}",
                fields.strip());
    }

    @Test
    void shouldTellLabelsFromFieldsIfAsked() throws Exception {
        String[] asked = {"query", LOGS + " | attr_ms=9", "start", START, "end", END};
        assertEquals(
                Map.of(
                        "source",
                        "otlp.logs",
                        "service_name",
                        "cart",
                        "level",
                        "debug",
                        "attr_http_route",
                        "/r0",
                        "attr_ms",
                        "9"),
                loki.lines(asked).get(0).labels());
        String path = LokiAnswers.path("query_range", asked);
        String body = http.get(server, path, "X-Loki-Response-Encoding-Flags", "categorize-labels")
                .body();
        assertTrue(
                body.contains("\"encodingFlags\":[\"categorize-labels\"],\"result\":[{\"stream\":{\"level\":\"debug\","
                        + "\"service_name\":\"cart\",\"source\":\"otlp.logs\"},\"values\":[[\"" + (BEGIN_S + 9)
                        + "000000000\",\"line 9\",{\"structuredMetadata\":{\"attr_http_route\":\"/r0\","
                        + "\"attr_ms\":\"9\"}}]]}]"),
                body);
    }

    @Test
    void shouldGroupByLevels() throws Exception {
        String at = (BEGIN_S + 15) + "";
        Map<String, Double> expected = new TreeMap<>();
        for (int i = 0; i < 16; i++) {
            expected.merge("{level=" + LEVELS.get(i % 8) + "}", 1.0, Double::sum);
        }
        assertEquals(expected, values("sum by (level) (count_over_time(" + LOGS + "[1h]))", at));
        Map<String, Double> medians = new TreeMap<>();
        // of two values the nearest rank of the median is the lower, of four the second
        int[] lower = {0, 1, 3, 4, 5, 6, 7};
        List<String> names = List.of("trace", "debug", "info", "warn", "error", "fatal", "unknown");
        for (int i = 0; i < names.size(); i++) {
            medians.put("{level=" + names.get(i) + "}", (double) lower[i]);
        }
        assertEquals(medians, values("quantile_over_time(0.5, " + LOGS + " | unwrap attr_ms [1h]) by (level)", at));
        assertEquals(
                Map.of("{service_name=cart}", 8.0, "{service_name=web}", 8.0),
                values("sum without (source, level) (count_over_time(" + LOGS + "[1h]))", at));
        assertEquals(
                Map.of("{service_name=cart}", 15.0),
                values("topk(1, max by (service_name) (max_over_time(" + LOGS + " | unwrap attr_ms [1h])))", at));
        assertEquals(Map.of("{}", 7.0), values("count(sum by (level) (count_over_time(" + LOGS + "[1h])))", at));
        assertEquals(
                Map.of("{service_name=cart}", 50.0, "{service_name=web}", 50.0),
                values(
                        "100 * sum by (service_name) (count_over_time(" + LOGS + " | attr_ms < 8 [1h]))"
                                + " / sum by (service_name) (count_over_time(" + LOGS + "[1h]))",
                        at));
        assertEquals(Map.of("{}", 2.0), values("vector(1)+vector(1)", at));
        assertEquals(
                "[" + at + ", 7]",
                String.valueOf(((Map<?, ?>) loki.data("query", "query", "1+2*3", "time", at)).get("result")));
    }

    @Test
    void shouldPutWhatIsNoNumberLast() throws Exception {
        String at = (BEGIN_S + 15) + "";
        // the least of trace is 0
        String inverse = "1 / min by (level) (min_over_time(" + LOGS + " | unwrap attr_ms [1h]))";
        assertEquals(Double.NaN, values(inverse, at).get("{level=trace}"));
        assertEquals(Map.of("{level=debug}", 1.0, "{level=info}", 0.5), values("topk(2, " + inverse + ")", at));
        assertEquals(Map.of("{level=unknown}", 1 / 7.0), values("bottomk(1, " + inverse + ")", at));
        assertEquals(7, values("topk(7, " + inverse + ")", at).size());
        assertEquals(Map.of("{}", 1.0), values("max(" + inverse + ")", at));
        assertEquals(Map.of("{}", 1 / 7.0), values("min(" + inverse + ")", at));
        assertEquals(Map.of("{}", Double.NaN), values("min(vector(1) / 0)", at));
        assertEquals(Map.of("{}", Double.NaN), values("max(vector(1) / 0)", at));
        assertEquals(
                "[" + at + ", NaN]",
                String.valueOf(((Map<?, ?>) loki.data("query", "query", "1/0", "time", at)).get("result")));
    }

    private Map<String, Double> values(String query, String at) throws Exception {
        Map<String, Double> values = new TreeMap<>();
        for (LokiAnswers.Point point : loki.points("query", "query", query, "time", at)) {
            assertEquals(at, point.seconds().toPlainString());
            values.put(point.labels().toString(), point.value());
        }
        return values;
    }

    @Test
    void shouldListLabelsAndStreams() throws Exception {
        String[] times = {"start", START, "end", END};
        assertEquals("[level, service_name, source]", String.valueOf(loki.data("labels", times)));
        assertEquals(
                "[otlp.contexts, otlp.logs, requests]", String.valueOf(loki.data("label/source/values", "start", "0")));
        assertEquals("[otlp.logs]", String.valueOf(loki.data("label/source/values", times)));
        assertEquals("[cart, web]", String.valueOf(loki.data("label/service_name/values", times)));
        assertEquals("[]", String.valueOf(loki.data("label/nothing/values", times)));
        assertEquals(
                "[debug, error, info, unknown]",
                String.valueOf(loki.data(
                        "label/level/values", "query", "{service_name=\"cart\"}", "start", START, "end", END)));
        assertEquals(
                "[{level=debug, service_name=cart, source=otlp.logs}]",
                String.valueOf(loki.data(
                        "series", "match[]", "{service_name=\"cart\",level=\"debug\"}", "start", START, "end", END)));
        HttpResponse<String> stats = loki.get("index/stats", "query", LOGS, "start", START, "end", END);
        assertTrue(stats.body().contains("\"entries\":16"), stats.body());
        assertTrue(stats.body().contains("\"streams\":8,\"chunks\":1"), stats.body());
        List<?> series = (List<?>) loki.data("series", "match[]", LOGS, "start", START, "end", END);
        assertEquals(8, series.size());
        HttpResponse<String> volume = loki.get("index/volume", "query", LOGS, "start", START, "end", END);
        assertTrue(
                volume.body().contains("{\"metric\":{\"source\":\"otlp.logs\"},\"value\":[1700000099.999,\""),
                volume.body());
        HttpResponse<String> fields = loki.get("detected_fields", "query", LOGS, "start", START, "end", END);
        assertTrue(
                fields.body().contains("{\"label\":\"attr_ms\",\"type\":\"int\",\"cardinality\":16,\"parsers\":[]}"),
                fields.body());
        HttpResponse<String> values =
                loki.get("detected_field/attr_http_route/values", "query", LOGS, "start", START, "end", END);
        assertTrue(values.body().startsWith("{\"values\":[\"/r0\",\"/r1\",\"/r2\"]"), values.body());
        HttpResponse<String> labels = loki.get("detected_labels", times);
        assertTrue(labels.body().contains("{\"cardinality\":7,\"label\":\"level\"}"), labels.body());
        assertTrue(loki.get("status/buildinfo").body().contains("\"version\":\"loom-"));
        assertEquals("{source=\"a\"} |= \"b\"", loki.data("format_query", "query", "{ source=\"a\"}|=`b`"));
    }

    /** From the start on, and no further than the end: records 2 to 14, in steps of 6, 6 and 1. */
    @Test
    void shouldCountVolumesWithinTheRange() throws Exception {
        String start = (BEGIN_S + 2) + "";
        String end = (BEGIN_S + 15) + "";
        String[] range = {"query", LOGS, "start", start, "end", end};
        LokiAnswers.Point whole = loki.points("index/volume", range).get(0);
        String last = (BEGIN_S + 14) + ".999";
        assertEquals(last, whole.seconds().toPlainString());
        String path = "index/volume_range";
        List<LokiAnswers.Point> points = loki.points(path, "query", LOGS, "start", start, "end", end, "step", "6");
        assertEquals(
                List.of((BEGIN_S + 7) + ".999", (BEGIN_S + 13) + ".999", last),
                points.stream().map(point -> point.seconds().toPlainString()).toList());
        int[] records = {6, 6, 1};
        double sum = 0;
        for (int i = 0; i < records.length; i++) {
            // whole bytes
            assertEquals(whole.value() * records[i] / 13, points.get(i).value(), 2);
            sum += points.get(i).value();
        }
        assertEquals(whole.value(), sum);
        assertEquals(List.of(whole), loki.points(path, "query", LOGS, "start", start, "end", end, "step", "1h"));
        assertEquals(List.of(), loki.points(path, "query", LOGS, "start", start, "end", start, "step", "6"));
        assertEquals(List.of(), loki.points("index/volume", "query", LOGS, "start", start, "end", start));
    }

    @Test
    void shouldTakeForms() throws Exception {
        HttpResponse<String> answer = loki.post(
                "query_range",
                "application/x-www-form-urlencoded",
                "query=%7Bsource%3D%22otlp.logs%22%7D+%7C%3D+%22line+9%22&since=1h&end=" + END);
        assertTrue(answer.body().contains("\"line 9\""), answer.body());
        assertEquals(415, loki.post("query_range", "application/json", "{}").statusCode());
        assertEquals(415, loki.post("query_range", "text/plain", "query=1").statusCode());
    }

    /** Loki counts the steps of a range, not its points. */
    @Test
    void shouldTakeElevenThousandSteps() throws Exception {
        List<LokiAnswers.Point> points = loki.points(
                "query_range", "query", "vector(1)", "start", START, "end", (BEGIN_S + 11_000) + "", "step", "1");
        assertEquals(11_001, points.size());
        assertEquals((BEGIN_S + 11_000) + "", points.get(11_000).seconds().toPlainString());
    }

    /** Refusals are texts, as Loki's clients show them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "query\u00a7\u00a7parse error : syntax error: unexpected $end: query is missing",
                "query\u00a7query={source=\"otlp.logs\"}\u00a7log queries are not supported as an instant query type",
                "query\u00a7query=1&time=yesterday\u00a7could not parse 'time' parameter: not a time: \"yesterday\"",
                "query\u00a7query=1&time=99999999999999999999\u00a7could not parse 'time' parameter: not a time",
                "query\u00a7query=1&time=9223372036854775807\u00a7could not parse 'time' parameter: time is out of range",
                "query\u00a7query=1&time=-5\u00a7could not parse 'time' parameter",
                "query_range\u00a7query={source=\"otlp.logs\"}&start=5&end=4\u00a7end timestamp must not be before start",
                "query_range\u00a7query={source=\"otlp.logs\"}&limit=0\u00a7could not parse 'limit' parameter: must be a positive",
                "query_range\u00a7query={source=\"otlp.logs\"}&limit=5001\u00a7max entries limit per query exceeded",
                "query_range\u00a7query={source=\"otlp.logs\"}&limit=99999999999999999999\u00a7could not parse 'limit'",
                "query_range\u00a7query={source=\"otlp.logs\"}&direction=up\u00a7could not parse 'direction' parameter",
                "query_range\u00a7query={source=\"otlp.logs\"}&interval=5\u00a7parameter is not supported: interval",
                "query_range\u00a7query={source=\"otlp.logs\"}&since=x\u00a7could not parse 'since' parameter: not a duration",
                "query_range\u00a7query=vector(1)&step=0\u00a7zero or negative query resolution",
                "query_range\u00a7query=vector(1)&step=-1\u00a7could not parse 'step' parameter",
                "query_range\u00a7query=vector(1)&step=1e99\u00a7could not parse 'step' parameter",
                "query_range\u00a7query=vector(1)&start=0&step=1\u00a7exceeded maximum resolution of 11000 points",
                "query_range\u00a7query=vector(1)&start=0&end=11001&step=1\u00a7exceeded maximum resolution of 11000 points",
                "query_range\u00a7query={source=\"otlp.logs\"} | json\u00a7parse error at line 1, col 24: lines of source otlp.logs",
                "query_range\u00a7query={source=\"otlp.logs\"} | attr_a_b_c_d_e_f=\"1\"\u00a7parse error at line 1, col 24: label may",
                "query_range\u00a7query={source=\"requests\"} | latency_ns=~\"5\"\u00a7parse error at line 1, col 23: source requests:",
                "query_range\u00a7query={source=\"requests\"} | op > 5\u00a7parse error at line 1, col 23: source requests:",
                "query\u00a7query=avg by (op) (rate({source=\"requests\"}[1m]))\u00a7parse error at line 1, col 1: series have no label op",
                "query\u00a7query=sum by (op) (rate({source=\"requests\"}[1m]) * 60)\u00a7parse error at line 1, col 1: series have no label op",
                "query\u00a7query=sum by (op) (2 * rate({source=\"requests\"}[1m]))\u00a7parse error at line 1, col 1: series have no label op",
                "query\u00a7query=sum by (op) (topk(5, rate({source=\"requests\"}[1m])))\u00a7parse error at line 1, col 1: series have no label op",
                "query\u00a7query=sum by (op) (sum without (level) (rate({source=\"requests\"}[1m])))\u00a7parse error at line 1, col 1: series have no label op",
                "query\u00a7query=quantile_over_time(0.5, {source=~\".+\"} | unwrap attr_ms [1m]) by ()\u00a7",
                "series\u00a7match[]={\u00a7parse error at line 1, col 2: unexpected the end",
                "index/stats\u00a7query=vector(1)\u00a7parse error at line 1, col 1: not a query for lines",
                "tail\u00a7query={source=\"otlp.logs\"}\u00a7request does not ask for a web socket",
                "tail\u00a7query={source=~\".+\"}\u00a7a tail follows one source: selected=[",
                "tail\u00a7query={source=\"nothing\"}\u00a7a tail follows one source: selected=[]",
            })
    void shouldRefuse(String path, String parameters, String message) throws Exception {
        List<String> pairs = new ArrayList<>();
        for (String pair : (parameters == null ? "" : parameters).split("&", -1)) {
            int equal = pair.indexOf('=');
            if (equal > 0) {
                pairs.add(pair.substring(0, equal).replace("[]", "%5B%5D"));
                pairs.add(pair.substring(equal + 1));
            }
        }
        HttpResponse<String> answer = loki.get(path, pairs.toArray(String[]::new));
        if (message == null) {
            assertEquals(200, answer.statusCode(), answer.body());
            return;
        }
        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(answer.body().startsWith(message), answer.body());
        assertEquals(
                "text/plain; charset=utf-8",
                answer.headers().firstValue("content-type").orElse(""));
    }

    @Test
    void shouldRefuseWhatIsHugeOrUnknown() throws Exception {
        assertEquals(404, loki.get("nothing").statusCode());
        assertEquals(404, loki.get("label/a/b/values").statusCode());
        assertEquals(404, loki.get("label_values").statusCode());
        String form = "application/x-www-form-urlencoded";
        assertEquals(
                400, loki.post("query", form, "query=" + "(".repeat(60_000)).statusCode());
        assertEquals(
                400,
                loki.post("query", form, "query=" + "1%2B".repeat(513) + "1").statusCode());
        assertEquals(
                413, loki.post("query", form, "query=" + "1".repeat(70_000)).statusCode());
        assertEquals(400, loki.post("query", form, "query=%zz").statusCode());
        assertEquals(400, loki.post("series", form, "match[]=x&".repeat(17)).statusCode());
        for (int conditions : new int[] {512, 513}) {
            String query = "{source=\"otlp.logs\"} | a=1" + " a=1".repeat(conditions - 1);
            assertEquals(
                    conditions == 512 ? 200 : 400,
                    loki.post("query_range", form, "query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                            .statusCode());
        }
    }

    /** Takes the messages of a tail. */
    private static final class Messages implements WebSocket.Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                texts.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            texts.add("closed " + code);
            return null;
        }

        String next() throws InterruptedException {
            return String.valueOf(texts.poll(1, TimeUnit.MINUTES));
        }
    }

    private WebSocket tail(Messages messages, String query, String limit, String... headers) {
        WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        URI uri = TestClient.uri(server, TestClient.API, LokiAnswers.path("tail", "query", query, "limit", limit));
        return builder.buildAsync(URI.create(uri.toString().replaceFirst("http", "ws")), messages)
                .join();
    }

    @Test
    void shouldFollowWhatArrives() throws Exception {
        Messages messages = new Messages();
        WebSocket socket = tail(messages, "{source=\"otlp.logs\"} |~ \"line (1[45]|20)\"", "5");
        String first = messages.next();
        assertTrue(first.startsWith("{\"streams\":[{\"stream\":{"), first);
        assertTrue(first.contains("\"line 14\"") && first.contains("\"line 15\""), first);
        send(19, "web");
        send(20, "cart");
        String next = messages.next();
        assertTrue(next.contains("[\"" + (BEGIN_S + 20) + "000000000\",\"line 20\"]"), next);
        assertTrue(!next.contains("line 19"), next);
        socket.sendText("whatever", true).join();
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        assertEquals("closed 1000", messages.next());
        awaitNoFollower();
    }

    @Test
    void shouldFollowLinesThatAreMadeOfRecords() throws Exception {
        Messages messages = new Messages();
        WebSocket socket = tail(messages, "{source=\"requests\"} |= `\"latency_ns\":7,` !~ `\"op\":null`", "5");
        StructFormat format = Formats.struct("latency_ns:i64,op:utf8?,ok:bool");
        for (String op : List.of("", "SET", "GET")) {
            UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
            StructWriter struct = new StructWriter(format);
            struct.begin(payload, 0);
            struct.setLong(0, op.equals("SET") ? 77 : 7);
            if (!op.isEmpty()) {
                struct.setUtf8(1, op);
            }
            struct.setBoolean(2, true);
            int length = struct.finish();
            assertTrue(writer.acquire(Duration.ofMinutes(1)));
            writer.loom().push(writer.loom().source("requests").orElseThrow().id(), payload, 0, length);
            writer.release();
        }
        String first = messages.next();
        assertTrue(first.contains("\"{\\\"latency_ns\\\":7,\\\"op\\\":\\\"GET\\\",\\\"ok\\\":true}\""), first);
        assertTrue(!first.contains("null") && !first.contains("SET"), first);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        assertEquals("closed 1000", messages.next());
        awaitNoFollower();
    }

    private void push(int source, String payload) throws Exception {
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        writer.loom().push(source, payload.getBytes(StandardCharsets.UTF_8));
        writer.release();
    }

    /** The source before it, whose lines are texts, has no line or one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAskASourceThatWasDefinedAgain(boolean lineBefore) throws Exception {
        int before = writer.loom().defineSource("app", Formats.text());
        if (lineBefore) {
            push(before, "a text");
        }
        writer.loom().closeSource(before);
        int app = writer.loom().defineSource("app", Formats.json());
        String line = "{\"level\":\"error\"}";
        push(app, line);
        push(app, "{\"level\":\"info\"}");
        String query = "{source=\"app\"} | json | level=\"error\"";
        HttpResponse<String> answer = loki.get("query_range", "query", query);
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(
                List.of(line),
                loki.lines("query", query).stream().map(LokiAnswers.Line::text).toList());
        String warning =
                "\"warnings\":[\"incomplete answer: source=app: records from before it was defined again are left"
                        + " out: parse error at line 1, col 18: lines of source app are texts";
        assertEquals(lineBefore, answer.body().contains(warning), answer.body());
        assertEquals(lineBefore, answer.body().contains("warnings"), answer.body());
        assertEquals("[source]", String.valueOf(loki.data("labels", "query", query)));
        assertEquals(lineBefore ? 3 : 2, loki.lines("query", "{source=\"app\"}").size());

        Messages messages = new Messages();
        WebSocket socket = tail(messages, query, "5");
        String first = messages.next();
        assertTrue(first.contains("error") && !first.contains("info"), first);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        assertEquals("closed 1000", messages.next());
    }

    private void awaitNoFollower() throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        String text = "";
        while (System.nanoTime() < deadlineNs && !text.contains("loom_queries_running{kind=\"follower\"} 0")) {
            text = http.get(server, "/metrics").body();
        }
        assertTrue(text.contains("loom_queries_running{kind=\"follower\"} 0"), text);
    }

    @Test
    void shouldEndATailWithTheServer() throws Exception {
        Messages messages = new Messages();
        tail(messages, LOGS, "1");
        assertTrue(messages.next().contains("\"line 15\""));
        server.close();
        assertTrue(messages.next().startsWith("closed "));
    }

    /** A web page of another site can't open a web socket here. */
    @Test
    void shouldRefuseAForeignPage() {
        CompletionException refused = Assertions.assertThrows(
                CompletionException.class, () -> tail(new Messages(), LOGS, "1", "Origin", "http://evil.example"));
        assertEquals(
                403,
                ((WebSocketHandshakeException) refused.getCause()).getResponse().statusCode());
    }
}
