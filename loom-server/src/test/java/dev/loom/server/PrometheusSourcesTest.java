package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.server.prometheus.promql.Json;
import dev.loom.server.time.EventTime;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources of any format, as clients of Prometheus and Loki see them: none must be in the way of the others. */
final class PrometheusSourcesTest {
    private static final long BEGIN_S = 1_700_000_000;
    private static final long NS_PER_S = 1_000_000_000;

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer server;

    @AfterEach
    void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private Loom open() {
        return Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
    }

    private void serve(String yaml) throws Exception {
        server = LoomServer.open(TestServers.settings(temp, yaml, TestServers.API, TestServers.OTLP_HTTP)
                .build());
    }

    private HttpResponse<String> get(String path, String... parameters) throws Exception {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < parameters.length; i += 2) {
            query.append(i == 0 ? '?' : '&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return http.get(server, path + query);
    }

    private Map<String, Object> answer(String path, String... parameters) throws Exception {
        HttpResponse<String> answer = get(path, parameters);
        assertEquals(200, answer.statusCode(), answer.body());
        return Json.object(Json.parse(answer.body()));
    }

    private static void pushJson(Loom loom, int source, String json) {
        loom.push(source, json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldNotTakeRecordsThatNameTheirOwnFieldsForPoints() throws Exception {
        try (Loom loom = open()) {
            int bare = loom.defineSource("bare", Formats.json());
            pushJson(loom, bare, "{\"name\":\"x\",\"kind\":\"gauge\",\"value\":1,\"attributes\":{}}");
            int timed = loom.defineSource("timed", Formats.json(), new EventTime("ts", null).attributes());
            pushJson(
                    loom,
                    timed,
                    "{\"ts\":" + BEGIN_S * NS_PER_S
                            + ",\"name\":\"x\",\"kind\":\"gauge\",\"value\":1,\"attributes\":{}}");
            StructFormat untimed = Formats.struct("name:utf8,kind:utf8,value:f64,attributes:utf8");
            loom.push(loom.defineSource("untimed", untimed), new byte[64]);
        }
        serve("");
        HttpResponse<String> sent = http.postOtlp(
                server,
                "/v1/metrics",
                "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\",\"gauge\":{\"dataPoints\":["
                        + "{\"timeUnixNano\":\"" + BEGIN_S + "000000000\",\"asInt\":\"7\"}]}}]}]}]}");
        assertEquals(200, sent.statusCode(), sent.body());
        Object names = answer("/prometheus/api/v1/label/__name__/values").get("data");
        assertEquals(List.of("loom:otlp_metrics:value", "m"), names);
        String time = String.valueOf(BEGIN_S);
        assertTrue(answer("/prometheus/api/v1/query", "query", "m", "time", time)
                .toString()
                .contains(", 7]"));
        assertTrue(answer("/prometheus/api/v1/query", "query", "x", "time", time)
                .toString()
                .contains("result=[]"));
        answer("/prometheus/api/v1/labels");
    }

    @Test
    void shouldSayThatRecordsHaveNoTime() throws Exception {
        try (Loom loom = open()) {
            PayloadFormat json = Formats.json();
            int id = loom.defineSource("app", json, new EventTime("ts", null).attributes());
            loom.defineIndex(id, "ms", IndexFunction.field(json, "ms"), Bins.logLinear());
            pushJson(loom, id, "{\"ts\":" + BEGIN_S * NS_PER_S + ",\"ms\":1}");
            pushJson(loom, id, "{\"ms\":2}");
        }
        serve("");
        Map<String, Object> answer =
                answer("/prometheus/api/v1/query", "query", "loom:app:ms", "time", String.valueOf(BEGIN_S + 1));
        assertTrue(answer.toString().contains("count=1"), answer::toString);
        assertTrue(
                String.valueOf(answer.get("warnings")).contains("records without a time are left out"),
                answer::toString);
    }

    private static int define(Loom loom, String name) {
        PayloadFormat json = Formats.json();
        int id = loom.defineSource(name, json, new EventTime("ts", null).attributes());
        loom.defineIndex(id, "ms", IndexFunction.field(json, "ms"), Bins.logLinear());
        return id;
    }

    @Test
    void shouldAskTheLastOfSourcesThatHadOneName() throws Exception {
        try (Loom loom = open()) {
            int first = define(loom, "app");
            pushJson(loom, first, "{\"ts\":" + BEGIN_S * NS_PER_S + ",\"ms\":1}");
            loom.closeSource(first);
            int second = define(loom, "app");
            for (int i = 0; i < 3; i++) {
                pushJson(loom, second, "{\"ts\":" + BEGIN_S * NS_PER_S + ",\"ms\":5}");
            }
            loom.closeSource(second);
            define(loom, "app"); // without a record yet
        }
        serve("");
        for (String query : List.of("loom:app:ms", "{__name__=~\"loom:app.*\"}")) {
            Map<String, Object> answer =
                    answer("/prometheus/api/v1/query", "query", query, "time", String.valueOf(BEGIN_S + 1));
            assertTrue(answer.toString().contains("count=3"), answer::toString);
            assertTrue(
                    String.valueOf(answer.get("warnings")).contains("source app was defined again"), answer::toString);
        }
    }

    /** What it counts is no field that a query could read. */
    @Test
    void shouldLeaveOutIndexesOfAProgramsOwnFunctions() throws Exception {
        try (Loom loom = open()) {
            define(loom, "app");
            StructFormat format = Formats.struct("ts_ns:i64,n:i64");
            int own = loom.defineSource("own", format, new EventTime("ts_ns", null).attributes());
            loom.defineIndex(
                    own,
                    "score",
                    IndexFunction.of(
                            "score",
                            ValueType.I64,
                            ValueUnit.NONE,
                            (payload, offset, length, value) -> value.setInteger(1)),
                    Bins.logLinear());
            loom.push(own, new byte[16]);
            pushJson(loom, 1, "{\"ts\":" + BEGIN_S * NS_PER_S + ",\"ms\":1}");
            server = LoomServer.start(
                    loom, TestServers.settings(temp, "", TestServers.API).build());
            String end = String.valueOf(BEGIN_S + 10);
            assertEquals(
                    List.of("loom:app:ms"),
                    answer(
                                    "/prometheus/api/v1/label/__name__/values",
                                    "start",
                                    String.valueOf(BEGIN_S - 10),
                                    "end",
                                    end)
                            .get("data"));
            answer("/prometheus/api/v1/labels");
            answer("/prometheus/api/v1/query", "query", "{__name__=~\"loom:.*\"}", "time", end);
            server.close();
            server = null;
        }
    }

    /** Each source is searched by a scan of its own, whose memory is not that of the others. */
    @Test
    void shouldSearchManySourcesWithLittleMemory() throws Exception {
        int sources = 40;
        try (Loom loom = open()) {
            StructFormat format = Formats.struct("ts_ns:i64,line:utf8");
            StructWriter struct = new StructWriter(format);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[256 << 10]);
            for (int i = 0; i < sources; i++) {
                int id = loom.defineSource("s" + i, format, new EventTime("ts_ns", null).attributes());
                struct.begin(payload, 0);
                struct.setLong(0, (BEGIN_S + i) * NS_PER_S);
                struct.setUtf8(1, "an error" + " and more".repeat(15_000)); // longer than what has room by itself
                loom.push(id, payload, 0, struct.finish());
            }
        }
        serve("api: {query_memory_mib: 8}");
        String from = String.valueOf(BEGIN_S * NS_PER_S);
        String to = String.valueOf((BEGIN_S + 100) * NS_PER_S);
        Map<String, Object> names = answer("/loki/api/v1/label/source/values", "start", from, "end", to);
        assertEquals(sources, Json.list(names.get("data")).size());
        Map<String, Object> counted = answer(
                "/loki/api/v1/query",
                "query",
                "sum(count_over_time({source=~\"s.*\"} |= \"error\" [101s]))",
                "time",
                to);
        assertTrue(counted.toString().contains(", 40]"), counted::toString);
    }

    @Test
    void shouldSumUpAgainOnceAnInfiniteValueHasLeft() throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("PrometheusSourcesTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        double[] values = IntStream.range(0, 400)
                .mapToDouble(i -> random.nextInt(1_000) / 8.0)
                .toArray();
        values[50 + random.nextInt(40)] = Double.POSITIVE_INFINITY;
        values[150 + random.nextInt(40)] = Double.NEGATIVE_INFINITY;
        try (Loom loom = open()) {
            StructFormat format = Formats.struct("ts_ns:i64,d:f64");
            int id = loom.defineSource("s", format, new EventTime("ts_ns", null).attributes());
            loom.defineIndex(id, "d", IndexFunction.field(format, "d"), Bins.logLinear());
            StructWriter struct = new StructWriter(format);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[16]);
            for (int i = 0; i < values.length; i++) {
                struct.begin(payload, 0);
                struct.setLong(0, BEGIN_S * NS_PER_S + i * 100_000_000L);
                struct.setDouble(1, values[i]);
                loom.push(id, payload, 0, struct.finish());
            }
        }
        serve("");
        // of a time that is no multiple of the step, so that what enters and what leaves are cut differently
        String query = "histogram_sum(increase(loom:s:d[2500ms]))";
        int finite = 0;
        Map<String, Object> range = answer(
                "/prometheus/api/v1/query_range",
                "query",
                query,
                "start",
                String.valueOf(BEGIN_S + 3),
                "end",
                String.valueOf(BEGIN_S + 39),
                "step",
                "1");
        List<Object> steps = Json.list(Json.object(
                        Json.list(Json.object(range.get("data")).get("result")).get(0))
                .get("values"));
        assertEquals(37, steps.size());
        for (int step = 0; step < steps.size(); step++) {
            double sum = 0;
            int last = 10 * (3 + step);
            for (int i = last - 24; i <= last; i++) {
                sum += values[i];
            }
            String got = String.valueOf(Json.list(steps.get(step)).get(1));
            if (Double.isInfinite(sum)) {
                assertEquals("NaN", got, "step " + step);
            } else {
                assertEquals(sum, Double.parseDouble(got), 1e-6, "step " + step);
                finite++;
            }
        }
        assertTrue(finite >= 30 && finite < 37, "finite=" + finite);
        assertFalse(range.containsKey("warnings"), range::toString);
    }
}
