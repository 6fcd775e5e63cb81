package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.prometheus.promql.Json;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Points and spans that are rare or hostile, as clients of Prometheus see them: no series must hide the others. */
final class PrometheusOddSeriesTest {
    private static final long BEGIN_S = 1_700_000_000;

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer server;

    @BeforeEach
    void start() throws Exception {
        start("");
    }

    private void start(String yaml) throws Exception {
        server = LoomServer.open(TestServers.settings(temp, yaml, TestServers.API, TestServers.OTLP_HTTP)
                .build());
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private void send(String path, String json) throws Exception {
        HttpResponse<String> answer = http.postOtlp(server, path, json);
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private void sendPoints(String job, String metric, String... points) throws Exception {
        send(
                "/v1/metrics",
                "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\""
                        + job
                        + "\"}}]},\"scopeMetrics\":[{\"metrics\":[{"
                        + metric.formatted(String.join(",", points))
                        + "}]}]}]}");
    }

    private static String at(int second) {
        return "\"timeUnixNano\":\"" + (BEGIN_S + second) + "000000000\"";
    }

    private void sendSpans(int names) throws Exception {
        List<String> spans = IntStream.range(0, names)
                .mapToObj(i -> "{\"traceId\":\"0123456789abcdef0123456789abcdef\",\"spanId\":\"0123456789abcdef\","
                        + "\"name\":\"op" + i + "\",\"startTimeUnixNano\":\"" + BEGIN_S
                        + "000000000\",\"endTimeUnixNano\":\"" + BEGIN_S + "000001000\"}")
                .toList();
        send(
                "/v1/traces",
                "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
                        + "\"shop\"}}]},\"scopeSpans\":[{\"spans\":[" + String.join(",", spans) + "]}]}]}");
    }

    private HttpResponse<String> get(String path, String... parameters) throws Exception {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < parameters.length; i += 2) {
            query.append(i == 0 ? '?' : '&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return http.get(server, "/prometheus/api/v1/" + path + query);
    }

    private Object data(String path, String... parameters) throws Exception {
        HttpResponse<String> answer = get(path, parameters);
        assertEquals(200, answer.statusCode(), answer.body());
        return String.valueOf(Json.object(Json.parse(answer.body())).get("data"));
    }

    private static String exponential(int second, String threshold) {
        return "{" + at(second) + ",\"count\":\"1\",\"scale\":0,\"zeroCount\":\"1\",\"zeroThreshold\":" + threshold
                + "}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"NaN\"", "\"Infinity\"", "-1"})
    void shouldAnswerForThresholdsThatAreNone(String threshold) throws Exception {
        sendPoints(
                "shop",
                "\"name\":\"h\",\"exponentialHistogram\":{\"aggregationTemporality\":2,\"dataPoints\":[%s]}",
                exponential(0, threshold),
                exponential(10, "0.5"),
                exponential(20, threshold));
        for (String query : List.of("sum_over_time(h[5m])", "h + h", "rate(h[5m])", "sum(h)")) {
            assertTimeoutPreemptively(
                    Duration.ofMinutes(1),
                    () -> data("query", "query", query, "time", String.valueOf(BEGIN_S + 20)),
                    query);
        }
    }

    @Test
    void shouldAddUpBucketsWithTheGreatestNumber() throws Exception {
        String metric = "\"name\":\"h\",\"exponentialHistogram\":{\"aggregationTemporality\":2,\"dataPoints\":[%s]}";
        String point = "{%s,\"count\":\"1\",\"scale\":0,\"positive\":{\"offset\":%d,\"bucketCounts\":[\"1\"]}}";
        sendPoints("one", metric, String.format(point, at(0), Integer.MAX_VALUE - 1));
        sendPoints("two", metric, String.format(point, at(0), 3));
        String sum = data("query", "query", "sum(h)", "time", String.valueOf(BEGIN_S))
                .toString();
        assertTrue(sum.contains("count=2"), sum);
    }

    @Test
    void shouldListAllLabelsOfKeysThoughFewCanBeCounted() throws Exception {
        sendSpans(100);
        sendPoints("cart", "\"name\":\"m\",\"gauge\":{\"dataPoints\":[%s]}", "{" + at(0) + ",\"asInt\":\"7\"}");
        String names = data("label/__name__/values").toString();
        assertTrue(names.contains("loom:otlp_spans:duration:by_service_name_name") && names.contains("m"), names);
        assertTrue(data("labels").toString().contains("job"));
        assertEquals(
                100, data("label/name/values").toString().split(", ", -1).length, data("label/name/values")::toString);
        String time = String.valueOf(BEGIN_S + 1);
        assertTrue(data("query", "query", "sum({job=\"cart\"})", "time", time)
                .toString()
                .endsWith(", 7]}]}"));
        HttpResponse<String> all = get("query", "query", "loom:otlp_spans:duration:by_service_name_name", "time", time);
        assertEquals(422, all.statusCode(), all.body());
        assertTrue(all.body().contains("too many series"), all.body());
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    private List<Object> list(String path, String... parameters) throws Exception {
        HttpResponse<String> answer = get(path, parameters);
        assertEquals(200, answer.statusCode(), answer.body());
        return Json.list(Json.object(Json.parse(answer.body())).get("data"));
    }

    /** The second one has less memory than remembering all series takes. */
    @ParameterizedTest
    @ValueSource(strings = {"", "api: {query_memory_mib: 5}"})
    void shouldListNamesAndValuesOfMoreSeriesThanAQueryMayHave(String yaml) throws Exception {
        server.close();
        start(yaml);
        int pods = 10_001;
        for (int second = 0; second < 2; second++) {
            int at = second;
            sendPoints(
                    "shop",
                    "\"name\":\"up\",\"gauge\":{\"dataPoints\":[%s]}",
                    IntStream.range(0, pods)
                            .mapToObj(i -> "{" + at(at) + ",\"asInt\":\"1\",\"attributes\":["
                                    + attribute("pod", String.valueOf(i)) + "]}")
                            .toArray(String[]::new));
        }
        List<String> expected =
                IntStream.range(0, pods).mapToObj(String::valueOf).sorted().toList();
        assertEquals(expected, list("label/pod/values"));
        assertEquals(List.of("loom:otlp_metrics:value", "up"), list("label/__name__/values"));
        assertEquals(List.of("__name__", "job", "pod"), list("labels"));
        HttpResponse<String> few = get("label/pod/values", "limit", "3");
        assertTrue(few.body().contains("[\"0\",\"1\",\"10\"]"), few.body());
        assertTrue(few.body().contains("results truncated due to limit"), few.body());
        if (yaml.isEmpty()) {
            HttpResponse<String> series = get("series", "match[]", "up");
            assertEquals(10_000, series.body().split("\"pod\"", -1).length - 1);
            assertTrue(series.body().contains("\"warnings\":[\"more than 10000 series"), series.body()::toString);
            assertEquals(pods, list("series", "match[]", "up", "limit", "20000").size());
        }
        HttpResponse<String> query = get("query", "query", "count(up)", "time", String.valueOf(BEGIN_S));
        assertTrue(query.statusCode() == 422 || query.statusCode() == 413, query.body());
    }

    @Test
    void shouldListTheLabelsOfSeriesThatCannotBeToldApart() throws Exception {
        String sum = "\"name\":\"hits\",\"sum\":{\"aggregationTemporality\":%d,\"dataPoints\":[%%s]}";
        sendPoints("cumulative", String.format(sum, 2), "{" + at(0) + ",\"asInt\":\"7\"}");
        sendPoints("both", String.format(sum, 2), "{" + at(0) + ",\"asInt\":\"7\"}");
        sendPoints("both", String.format(sum, 1), "{" + at(10) + ",\"asInt\":\"1\"}");
        assertEquals(List.of("both", "cumulative"), list("label/job/values"));
        assertEquals(List.of("hits", "loom:otlp_metrics:value"), list("label/__name__/values"));
        assertEquals(List.of("__name__", "job"), list("labels"));
        assertEquals(2, list("series", "match[]", "hits").size());
        HttpResponse<String> query = get("query", "query", "hits", "time", String.valueOf(BEGIN_S + 10));
        assertEquals(422, query.statusCode(), query.body());
    }

    @Test
    void shouldTakeRangesOfSeriesWithoutAName() throws Exception {
        sendPoints("cart", "\"name\":\"m\",\"gauge\":{\"dataPoints\":[%s]}", "{" + at(0) + ",\"asInt\":\"7\"}");
        String time = String.valueOf(BEGIN_S);
        assertEquals(
                data("query", "query", "count_over_time(m[5m])", "time", time),
                data("query", "query", "count_over_time({job=\"cart\"}[5m])", "time", time));
        HttpResponse<String> answer = get("query", "query", "delta({__name__=~\"loom:otlp_m.*\"}[5m])", "time", time);
        assertEquals(422, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("delta needs samples"), answer.body());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "0.5, 0.5", "1e7, 10000000", "1e-7, 1e-7", "1e21, 1e+21", "-2.50, -2.5"})
    void shouldWriteNumbersAsLabelsLikePrometheus(String number, String label) throws Exception {
        sendPoints(
                "cart",
                "\"name\":\"m\",\"gauge\":{\"dataPoints\":[%s]}",
                "{" + at(0) + ",\"asInt\":\"7\",\"attributes\":[{\"key\":\"ratio\",\"value\":{\"doubleValue\":" + number
                        + "}}]}");
        assertEquals("[" + label + "]", data("label/ratio/values"));
    }

    @Test
    void shouldReplaceLabelsOfAnyName() throws Exception {
        assertTrue(data("query", "query", "label_replace(vector(1), \"a.b\", \"x\", \"\", \"\")")
                .toString()
                .contains("metric={a.b=x}"));
    }

    @Test
    void shouldGiveAsManySeriesAsAreWanted() throws Exception {
        for (String job : List.of("a", "b", "c")) {
            sendPoints(job, "\"name\":\"m\",\"gauge\":{\"dataPoints\":[%s]}", "{" + at(0) + ",\"asInt\":\"7\"}");
        }
        String time = String.valueOf(BEGIN_S);
        for (String[] asked : new String[][] {
            {"query", "query", "m", "time", time, "limit", "2"},
            {"query", "query", "m[1m]", "time", time, "limit", "2"},
            {"query_range", "query", "m", "start", time, "end", time, "step", "1", "limit", "2"}
        }) {
            HttpResponse<String> answer =
                    get(asked[0], List.of(asked).subList(1, asked.length).toArray(String[]::new));
            assertEquals(200, answer.statusCode(), answer.body());
            assertTrue(answer.body().contains("results truncated due to limit"), answer.body());
            assertEquals(3, answer.body().split("\"metric\"", -1).length, answer.body());
        }
        assertEquals(
                3,
                data("query", "query", "m", "time", time, "limit", "3")
                                .toString()
                                .split("job=", -1)
                                .length
                        - 1);
        HttpResponse<String> refused = get("query", "query", "m", "time", time, "lookback_delta", "30s");
        assertEquals(400, refused.statusCode(), refused.body());
        assertEquals(
                200,
                get("query", "query", "m", "time", time, "lookback_delta", "5m").statusCode());
    }
}
