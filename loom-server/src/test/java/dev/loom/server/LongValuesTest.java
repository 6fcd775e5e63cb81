package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.prometheus.promql.Json;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names and values that are too long to be told apart, in lists of all APIs: they must not hide the others. */
final class LongValuesTest {
    private static final long BEGIN_S = 1_700_000_000;
    private static final String LONG = "x".repeat(5_000);
    private static final String LEFT_OUT = "values longer than 4,096 bytes are left out";
    private static final String TIMES = "start=" + BEGIN_S + "&end=" + (BEGIN_S + 60);

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer server;

    /** Spans and logs of one service, and of one whose names are too long. */
    @BeforeEach
    void start() throws Exception {
        server = LoomServer.open(TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
        for (String name : List.of("short", LONG)) {
            String resource = "{\"resource\":{\"attributes\":[" + attribute("service.name", name) + "]},";
            send(
                    "/v1/traces",
                    "{\"resourceSpans\":[" + resource + "\"scopeSpans\":[{\"spans\":[" + span(name) + "]}]}]}");
            send(
                    "/v1/traces",
                    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[" + attribute("service.name", "shop")
                            + "]},\"scopeSpans\":[{\"spans\":[" + span(name) + "]}]}]}");
            send(
                    "/v1/logs",
                    "{\"resourceLogs\":[" + resource + "\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"" + BEGIN_S
                            + "000000000\",\"severityNumber\":9,\"body\":{\"stringValue\":\"a line\"},\"attributes\":["
                            + attribute("db.statement", name) + "]}]}]}]}");
        }
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    private static String span(String name) {
        return "{\"traceId\":\"0123456789abcdef0123456789abcdef\",\"spanId\":\"0123456789abcdef\",\"name\":\"" + name
                + "\",\"startTimeUnixNano\":\"" + BEGIN_S + "000000000\",\"endTimeUnixNano\":\"" + BEGIN_S
                + "000001000\",\"attributes\":[" + attribute("db.statement", name) + "]}";
    }

    private void send(String path, String json) throws Exception {
        HttpResponse<String> answer = http.postOtlp(server, path, json);
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private Map<String, Object> get(String path) throws Exception {
        HttpResponse<String> answer = http.get(server, path);
        assertEquals(200, answer.statusCode(), answer.body());
        return Json.object(Json.parse(answer.body()));
    }

    /** What a list has, and what it says it lacks. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/jaeger/api/services; data; [shop, short]; errors",
                "/jaeger/api/operations?service=shop; data; [{name=short, spanKind=}]; errors",
                "/jaeger/api/services/shop/operations; data; [short]; errors",
                "/tempo/api/v2/search/tag/name/values; tagValues; [{type=string, value=short}]; warnings",
                "/tempo/api/search/tag/db.statement/values; tagValues; [short]; warnings",
                "/prometheus/api/v1/label/service_name/values; data; [shop, short]; warnings",
                "/prometheus/api/v1/label/name/values; data; [short]; warnings",
                "/prometheus/api/v1/labels; data; [__name__, name, service_name]; warnings",
                "/loki/api/v1/label/service_name/values; data; [short]; warnings",
                "/loki/api/v1/series; data;"
                        + " [{level=info, service_name=short, source=otlp.logs}, {source=otlp.spans}]; warnings",
                "/loki/api/v1/detected_labels; detectedLabels; [{cardinality=1, label=level},"
                        + " {cardinality=1, label=service_name}, {cardinality=2, label=source}]; warnings",
            })
    void shouldLeaveOutOfLists(String path, String list, String expected, String warnings) throws Exception {
        Map<String, Object> answer = get(path + (path.startsWith("/loki") ? "?" + TIMES : ""));
        List<Object> found = Json.list(answer.get(list)).stream()
                .map(each -> each instanceof Map<?, ?> ? new TreeMap<>(Json.object(each)) : each)
                .toList();
        assertEquals(expected, found.toString(), answer::toString);
        assertTrue(String.valueOf(answer.get(warnings)).contains(LEFT_OUT), answer::toString);
    }

    @Test
    void shouldListOtherLabelsWithoutLookingAtKeys() throws Exception {
        assertEquals(
                "{status=success, data=[]}",
                get("/prometheus/api/v1/label/job/values").toString());
        Map<String, Object> names = get("/prometheus/api/v1/label/__name__/values");
        assertTrue(
                new TreeSet<>(Json.list(names.get("data"))).contains("loom:otlp_spans:duration:by_service_name_name"),
                names::toString);
        assertEquals(2, names.size(), names::toString);
    }

    @Test
    void shouldCountAsOtherInQueriesOfLoki() throws Exception {
        String at = "&time=" + (BEGIN_S + 1);
        for (String[] each : new String[][] {
            {"count_over_time({source=\"otlp.logs\"}[1h])", "{level=info, service_name=short, source=otlp.logs}"},
            {"sum by (attr_db_statement) (count_over_time({source=\"otlp.logs\"}[1h]))", "{attr_db_statement=short}"}
        }) {
            Map<String, Object> answer = get("/loki/api/v1/query?query=" + encoded(each[0]) + at);
            List<Object> series = Json.list(Json.object(answer.get("data")).get("result"));
            List<String> found = series.stream()
                    .map(one -> Json.object(one).get("metric") + " "
                            + Json.list(Json.object(one).get("value")).get(1))
                    .sorted()
                    .toList();
            String other = each[1].replace("=info", "=(other)").replace("=short", "=(other)");
            assertEquals(List.of(other + " 1", each[1] + " 1"), found, answer::toString);
            assertTrue(
                    String.valueOf(answer.get("warnings"))
                            .contains("values of labels longer than 4,096 bytes are counted as (other)"),
                    answer::toString);
        }
        Map<String, Object> volume = get("/loki/api/v1/index/volume?" + TIMES + "&query="
                + encoded("{source=\"otlp.logs\"}") + "&targetLabels=service_name");
        assertEquals(2, Json.list(Json.object(volume.get("data")).get("result")).size(), volume::toString);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void shouldStillRefuseTooManyGroups() throws Exception {
        server.close();
        server = LoomServer.open(
                TestServers.settings(temp, "api: {max_groups: 1}", TestServers.API, TestServers.OTLP_HTTP)
                        .build());
        HttpResponse<String> answer = http.get(server, "/jaeger/api/services");
        assertEquals(413, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("too many groups"), answer.body());
    }
}
