package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.server.prometheus.promql.Json;
import dev.loom.server.time.EventTime;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server as clients of Prometheus see it, compared with what was put in. */
final class PrometheusApiTest {
    private static final long BEGIN_S = 1_700_000_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final PayloadFormat FORMAT = Formats.struct("ts_ns:i64,latency_ns:i64,shard:i64");
    private static final int RECORDS = 6_000;
    private static final String PATHS = "/prometheus/api/v1/";

    @TempDir
    Path temp;

    private final HttpClient connections = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build(); // as Grafana: a connection for each panel
    private final TestClient http = new TestClient(connections);
    private final List<long[]> records = new ArrayList<>();
    private @Nullable LoomServer server;

    /** Requests every 10 ms, some of them at full seconds exactly. */
    @BeforeEach
    void start() throws Exception {
        Random random = new Random(7);
        try (Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build())) {
            int id = loom.defineSource("requests", FORMAT, new EventTime("ts_ns", null).attributes());
            IndexFunction latency = IndexFunction.field(FORMAT, "latency_ns");
            loom.defineIndex(id, "latency", latency, Bins.logLinear());
            loom.defineIndex(id, "latency-by-shard", latency, Bins.logLinear(), List.of("shard"));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[24]);
            for (int i = 0; i < RECORDS; i++) {
                long[] record = {
                    BEGIN_S * NS_PER_S + i * 10_000_000L, Math.round(Math.exp(random.nextGaussian() + 10)), i % 3
                };
                records.add(record);
                for (int field = 0; field < record.length; field++) {
                    payload.putLong(field * Long.BYTES, record[field], ByteOrder.LITTLE_ENDIAN);
                }
                loom.push(id, payload, 0, payload.capacity());
            }
        }
        server = LoomServer.open(TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
    }

    /** Doubles on both sides of zero, and integers of which some are beyond the bins, which arrive now. */
    private static void storeNumbers(Loom loom, List<double[]> numbers) {
        PayloadFormat format = Formats.struct("d:f64,n:i64");
        int id = loom.defineSource("numbers", format);
        loom.defineIndex(id, "d", IndexFunction.field(format, "d"), Bins.logLinear());
        loom.defineIndex(id, "n", IndexFunction.field(format, "n"), Bins.linear(-100, 100, 8));
        Random random = new Random(9);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[16]);
        for (int i = 0; i < 2_000; i++) {
            double edge = Math.scalb((double) (random.nextInt(5) - 2), random.nextInt(6) - 3);
            double d = switch (i % 4) {
                case 0 -> edge;
                case 1 -> Math.nextUp(edge);
                case 2 -> Math.nextDown(edge);
                default -> random.nextGaussian();
            };
            long n = Math.round(random.nextGaussian() * 90);
            numbers.add(new double[] {d, n});
            payload.putDouble(0, d, ByteOrder.LITTLE_ENDIAN);
            payload.putLong(8, n, ByteOrder.LITTLE_ENDIAN);
            loom.push(id, payload, 0, payload.capacity());
        }
    }

    @Test
    void shouldHaveTheEdgesOfAllKindsOfBins() throws Exception {
        server().close();
        List<double[]> numbers = new ArrayList<>();
        try (Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build())) {
            storeNumbers(loom, numbers);
        }
        server = LoomServer.open(TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
        String now = String.valueOf(System.currentTimeMillis() / 1_000 + 1);
        for (int field = 0; field < 2; field++) {
            int of = field;
            List<Object> result = result("query", "query", "loom:numbers:" + "dn".charAt(field), "time", now);
            Map<String, Object> histogram = Json.object(
                    Json.list(Json.object(result.get(0)).get("histogram")).get(1));
            assertNumber(numbers.size(), histogram.get("count"));
            TreeSet<String> rules = new TreeSet<>();
            long sum = 0;
            for (Object each : Json.list(histogram.get("buckets"))) {
                List<Object> bucket = Json.list(each);
                String rule = bucket.get(0).toString();
                double low = number(bucket.get(1));
                double high = number(bucket.get(2));
                long within = numbers.stream()
                        .mapToDouble(pair -> pair[of])
                        .filter(value -> (value > low && value < high)
                                || (value == low && !rule.equals("0"))
                                || (value == high && !rule.equals("1")))
                        .count();
                assertEquals(String.valueOf(within), bucket.get(3), bucket::toString);
                rules.add(rule);
                sum += within;
            }
            assertEquals(numbers.size(), sum);
            assertEquals(field == 0 ? "[0, 1, 3]" : "[1]", rules.toString());
        }
    }

    private static double number(Object text) {
        return Double.parseDouble(text.toString().replace("Inf", "Infinity"));
    }

    @AfterEach
    void close() throws Exception {
        server().close();
    }

    private LoomServer server() {
        return Objects.requireNonNull(server);
    }

    private static String form(String... parameters) {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < parameters.length; i += 2) {
            form.append(i > 0 ? "&" : "")
                    .append(URLEncoder.encode(parameters[i], StandardCharsets.UTF_8))
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return form.toString();
    }

    private HttpRequest.Builder request(String path) {
        return TestClient.request(server(), PATHS + path);
    }

    private HttpResponse<String> get(String path, String... parameters) throws Exception {
        return http.send(request(path + "?" + form(parameters)));
    }

    private HttpResponse<String> post(String path, String type, String body) throws Exception {
        return http.post(server(), TestClient.API, PATHS + path, type, body);
    }

    private Object data(String path, String... parameters) throws Exception {
        HttpResponse<String> got = get(path, parameters);
        assertEquals(200, got.statusCode(), got.body());
        assertEquals(got.body(), post(path, TestClient.FORM, form(parameters)).body());
        Map<String, Object> answer = Json.object(Json.parse(got.body()));
        assertEquals("success", answer.get("status"));
        return Objects.requireNonNull(answer.get("data"));
    }

    private List<Object> result(String path, String... parameters) throws Exception {
        return Json.list(Json.object(data(path, parameters)).get("result"));
    }

    private void send(String metrics) throws Exception {
        HttpResponse<String> answer = http.postOtlp(server(), "/v1/metrics", metrics);
        assertEquals(200, answer.statusCode(), answer.body());
    }

    /** A request of one metric of a service, whose points are numbered from 0. */
    private void send(String service, String metric, String kind, List<String> points) throws Exception {
        send("{\"resourceMetrics\":[{\"resource\":{\"attributes\":["
                + attribute("service.name", service)
                + ","
                + attribute("service.instance.id", "one")
                + ","
                + attribute("host.name", "h")
                + "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"lib\"},\"metrics\":[{"
                + metric
                + ",\"" + kind + "\":{"
                + (kind.equals("gauge") || kind.equals("summary") ? "" : "\"aggregationTemporality\":2,")
                + (kind.equals("sum") ? "\"isMonotonic\":true," : "")
                + "\"dataPoints\":["
                + String.join(",", points)
                + "]}}]}]}]}");
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    private static String point(long second, String rest) {
        return "{\"timeUnixNano\":\"" + (BEGIN_S + second) * NS_PER_S + "\"," + rest + "}";
    }

    private static List<String> counts(int... values) {
        return IntStream.range(0, values.length)
                .mapToObj(i -> point(
                        15L * i,
                        "\"asInt\":\"" + values[i] + "\",\"attributes\":[" + attribute("http.route", "/a") + "]"))
                .toList();
    }

    private static String at(long second) {
        return String.valueOf(BEGIN_S + second);
    }

    private static void assertValue(double expected, List<Object> result) {
        assertEquals(1, result.size(), result::toString);
        List<Object> value = Json.list(Json.object(result.get(0)).get("value"));
        assertEquals(
                expected, Double.parseDouble(value.get(1).toString()), Math.abs(expected) * 1e-12, result::toString);
    }

    @Test
    void shouldAnswerForSumsWithLabelsOfTheirResource() throws Exception {
        send("shop", "\"name\":\"http.requests\",\"unit\":\"{request}\"", "sum", counts(5, 8, 20, 3, 13));
        List<Object> found = result("query", "query", "http_requests_total", "time", at(61));
        assertEquals(
                "{__name__=http_requests_total, host_name=h, http_route=/a, instance=one, job=shop, otel_scope_name=lib}",
                Json.object(Json.object(found.get(0)).get("metric")).toString());
        assertValue(13, found);
        // both gaps are bridged: the first one up to a counter of 0, and 3 + 12 + 3 + 10 were added in 60 s
        double toZero = 60 * 5 / 28.0;
        assertValue(
                28 * (60 + Math.min(toZero, 14) + 1) / 60,
                result("query", "query", "increase(http_requests_total{job=\"shop\"}[75s])", "time", at(61)));
        // the range is open at its start, and closed at its end
        assertValue(1, result("query", "query", "count_over_time(http_requests_total[15s])", "time", at(60)));
        assertValue(2, result("query", "query", "count_over_time(http_requests_total[15001ms])", "time", at(60)));
        // the last value is valid for less than five minutes
        assertValue(13, result("query", "query", "http_requests_total", "time", BEGIN_S + 359 + ".999"));
        assertEquals(List.of(), result("query", "query", "http_requests_total", "time", at(360)));
        List<Object> range =
                result("query_range", "query", "http_requests_total", "start", at(0), "end", at(30), "step", "15");
        assertEquals(
                "[[" + at(0) + ", 5], [" + at(15) + ", 8], [" + at(30) + ", 20]]",
                String.valueOf(Json.object(range.get(0)).get("values")));
    }

    /** The counts of steps are no longer needed once a series is made of them. */
    @Test
    void shouldCountManyStepsWithLittleMemory() throws Exception {
        server().close();
        server = LoomServer.open(
                TestServers.settings(temp, "api: {query_memory_mib: 12}", TestServers.API, TestServers.OTLP_HTTP)
                        .build());
        String query = "histogram_quantile(0.99, increase(loom:requests:latency_ns:by_shard[5s]))";
        List<Object> series = result("query_range", "query", query, "start", at(10), "end", at(60), "step", "0.2");
        assertEquals(3, series.size(), series::toString);
    }

    @Test
    void shouldListFieldsWithinTheTimesOfTheirRecords() throws Exception {
        String metric = "loom:requests:latency_ns";
        assertEquals(List.of(), data("series", "match[]", metric, "start", "0", "end", "1"));
        assertEquals(
                List.of(Map.of("__name__", metric)), data("series", "match[]", metric, "start", at(59), "end", at(70)));
        assertEquals(List.of(), data("label/__name__/values", "start", at(61), "end", at(70)));
    }

    @Test
    void shouldEndASeriesWithoutRecordedValue() throws Exception {
        send("shop", "\"name\":\"queue\"", "gauge", List.of(point(0, "\"asDouble\":1.5"), point(15, "\"flags\":1")));
        assertValue(1.5, result("query", "query", "queue", "time", at(14)));
        assertEquals(List.of(), result("query", "query", "queue", "time", at(15)));
    }

    /** The attributes of a point are a set. */
    @Test
    void shouldEndASeriesWhateverTheOrderOfItsAttributes() throws Exception {
        String a = attribute("a", "1");
        String b = attribute("b", "2");
        send(
                "shop",
                "\"name\":\"queue\"",
                "gauge",
                List.of(
                        point(0, "\"asDouble\":1.5,\"attributes\":[" + a + "," + b + "]"),
                        point(15, "\"flags\":1,\"attributes\":[" + b + "," + a + "]")));
        assertValue(1.5, result("query", "query", "queue", "time", at(14)));
        assertEquals(List.of(), result("query", "query", "queue", "time", at(15)));
    }

    @Test
    void shouldTellScopesApartByTheirAttributes() throws Exception {
        for (String[] of : new String[][] {{"a", "3"}, {"b", "300"}}) {
            send("{\"resourceMetrics\":[{\"scopeMetrics\":[{\"scope\":{\"name\":\"pool\",\"attributes\":["
                    + attribute("id", of[0]) + "]},\"metrics\":[{\"name\":\"c\",\"sum\":{\"aggregationTemporality\":2,"
                    + "\"isMonotonic\":true,\"dataPoints\":[" + point(0, "\"asInt\":\"" + of[1] + "\"") + "]}}]}]}]}");
        }
        assertValue(303, result("query", "query", "sum(c_total)", "time", at(0)));
        assertValue(300, result("query", "query", "c_total{otel_scope_id=\"b\"}", "time", at(0)));
    }

    @Test
    void shouldAnswerForHistogramsOfAllKinds() throws Exception {
        send(
                "shop",
                "\"name\":\"wait\",\"unit\":\"s\"",
                "histogram",
                List.of(
                        point(
                                0,
                                "\"count\":\"0\",\"sum\":0,\"explicitBounds\":[0.1,1],\"bucketCounts\":[\"0\",\"0\",\"0\"]"),
                        point(
                                60,
                                "\"count\":\"10\",\"sum\":4,\"explicitBounds\":[0.1,1],\"bucketCounts\":[\"5\",\"4\",\"1\"]")));
        assertValue(9, result("query", "query", "wait_seconds_bucket{le=\"1\"}", "time", at(60)));
        assertValue(10, result("query", "query", "wait_seconds_bucket{le=\"+Inf\"}", "time", at(60)));
        assertValue(10, result("query", "query", "wait_seconds_count", "time", at(60)));
        assertValue(4, result("query", "query", "wait_seconds_sum", "time", at(60)));
        assertValue(
                0.1 + 0.9 * (8 - 5) / 4,
                result("query", "query", "histogram_quantile(0.8, wait_seconds_bucket)", "time", at(60)));
        send(
                "shop",
                "\"name\":\"size\"",
                "exponentialHistogram",
                List.of(
                        point(
                                0,
                                "\"count\":\"7\",\"sum\":30,\"scale\":0,\"zeroCount\":\"1\",\"positive\":{\"offset\":1,\"bucketCounts\":[\"2\",\"4\"]}")));
        Map<String, Object> exponential = Json.object(Json.list(Json.object(
                                result("query", "query", "size", "time", at(0)).get(0))
                        .get("histogram"))
                .get(1));
        assertEquals("{count=7, sum=30, buckets=[[3, 0, 0, 1], [0, 2, 4, 2], [0, 4, 8, 4]]}", exponential.toString());
        send(
                "shop",
                "\"name\":\"load\"",
                "summary",
                List.of(point(0, "\"count\":\"3\",\"sum\":6,\"quantileValues\":[{\"quantile\":0.5,\"value\":2}]")));
        assertValue(2, result("query", "query", "load{quantile=\"0.5\"}", "time", at(0)));
        assertValue(3, result("query", "query", "load_count", "time", at(0)));
    }

    @Test
    void shouldRefuseToMixSeriesOfTheSameLabels() throws Exception {
        send("shop", "\"name\":\"a.b\"", "gauge", List.of(point(0, "\"asInt\":\"1\"")));
        send("shop", "\"name\":\"a_b\"", "gauge", List.of(point(0, "\"asInt\":\"2\"")));
        HttpResponse<String> answer = get("query", "query", "a_b", "time", at(0));
        assertEquals(422, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("two series of OTLP have the same labels: a_b{"), answer.body());
    }

    @Test
    void shouldRefuseToMixSeriesThatALabelHides() throws Exception {
        send(
                "shop",
                "\"name\":\"runs\"",
                "gauge",
                List.of(
                        point(0, "\"asInt\":\"1\",\"attributes\":[" + attribute("job", "nightly") + "]"),
                        point(0, "\"asInt\":\"2\",\"attributes\":[" + attribute("job", "backup") + "]")));
        HttpResponse<String> hidden = get("query", "query", "runs", "time", at(0));
        assertEquals(422, hidden.statusCode(), hidden.body());
        send(
                "shop",
                "\"name\":\"codes\"",
                "gauge",
                List.of(
                        point(0, "\"asInt\":\"1\",\"attributes\":[{\"key\":\"code\",\"value\":{\"intValue\":\"1\"}}]"),
                        point(0, "\"asInt\":\"2\",\"attributes\":[" + attribute("code", "1") + "]")));
        HttpResponse<String> types = get("query", "query", "codes", "time", at(0));
        assertEquals(422, types.statusCode(), types.body());
    }

    @Test
    void shouldAddUpDeltas() throws Exception {
        List<String> points =
                List.of(point(15, "\"asInt\":\"4\""), point(30, "\"asInt\":\"6\""), point(45, "\"asInt\":\"1\""));
        send(
                "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"d\",\"sum\":{\"aggregationTemporality\":1,"
                        + "\"isMonotonic\":true,\"dataPoints\":[" + String.join(",", points) + "]}}]}]}]}");
        assertValue(7, result("query", "query", "increase(d_total[30s])", "time", at(45)));
        assertValue(7 / 30.0, result("query", "query", "rate(d_total[30s])", "time", at(45)));
        assertValue(6, result("query", "query", "d_total", "time", at(44)));
        HttpResponse<String> answer = get("query", "query", "irate(d_total[30s])", "time", at(45));
        assertEquals(422, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("are deltas: use increase, rate or sum_over_time"), answer.body());
    }

    /** The values of records after one moment and up to another, in nanoseconds. */
    private long[] values(long afterNs, long upToNs, long shard) {
        return records.stream()
                .filter(each -> each[0] > afterNs && each[0] <= upToNs && (shard < 0 || each[2] == shard))
                .mapToLong(each -> each[1])
                .toArray();
    }

    private static void assertHistogram(long[] values, double times, List<Object> point) {
        Map<String, Object> histogram = Json.object(point.get(1));
        assertNumber(values.length * times, histogram.get("count"));
        assertNumber(Arrays.stream(values).sum() * times, histogram.get("sum"));
        double inBuckets = 0;
        for (Object each : Json.list(histogram.get("buckets"))) {
            List<Object> bucket = Json.list(each);
            assertEquals("1", bucket.get(0)); // holds its lower end alone
            long low = Long.parseLong(bucket.get(1).toString());
            long high = Long.parseLong(bucket.get(2).toString());
            long within = Arrays.stream(values)
                    .filter(value -> value >= low && value < high)
                    .count();
            assertTrue(within > 0, bucket::toString);
            assertNumber(within * times, bucket.get(3));
            assertTrue(high - low <= Math.max(1, low / 4), bucket::toString); // as fine as the index has them
            inBuckets += Double.parseDouble(bucket.get(3).toString());
        }
        assertNumber(inBuckets, histogram.get("count"));
    }

    private static void assertNumber(double expected, @Nullable Object text) {
        double found = Double.parseDouble(String.valueOf(text));
        assertEquals(expected, found, Math.abs(expected) * 1e-12);
    }

    @Test
    void shouldCountFieldsForEachStepWithTheirExactEdges() throws Exception {
        for (String[] asked :
                new String[][] {{"10s", "5", "10000"}, {"3s", "5", "3000"}, {"7s", "7", "7000"}, {"1s", "0.333", "1000"}
                }) {
            double stepS = Double.parseDouble(asked[1]);
            String end = String.valueOf(BEGIN_S + 8 * stepS + 20);
            List<Object> result = result(
                    "query_range",
                    "query",
                    "increase(loom:requests:latency_ns[" + asked[0] + "])",
                    "start",
                    at(20),
                    "end",
                    end,
                    "step",
                    asked[1]);
            assertEquals(1, result.size());
            List<Object> points = Json.list(Json.object(result.get(0)).get("histograms"));
            assertEquals(9, points.size());
            for (int i = 0; i < points.size(); i++) {
                long atNs = (BEGIN_S + 20) * NS_PER_S + i * Math.round(stepS * 1_000) * 1_000_000;
                long rangeNs = Long.parseLong(asked[2]) * 1_000_000;
                List<Object> point = Json.list(points.get(i));
                assertNumber(atNs / 1e9, point.get(0));
                assertHistogram(values(atNs - rangeNs, atNs, -1), 1, point);
            }
        }
        List<Object> rate = result("query", "query", "rate(loom:requests:latency_ns[4s])", "time", at(30));
        assertHistogram(
                values((BEGIN_S + 26) * NS_PER_S, (BEGIN_S + 30) * NS_PER_S, -1),
                0.25,
                Json.list(Json.object(rate.get(0)).get("histogram")));
    }

    @Test
    void shouldCountMoreStepsThanAreCountedAtOnce() throws Exception {
        List<Object> result = result(
                "query_range",
                "query",
                "increase(loom:requests:latency_ns[90ms])",
                "start",
                at(5),
                "end",
                at(55),
                "step",
                "0.03");
        List<Object> points = Json.list(Json.object(result.get(0)).get("histograms"));
        assertEquals(1_667, points.size());
        for (int i = 0; i < points.size(); i++) {
            long atNs = (BEGIN_S + 5) * NS_PER_S + i * 30_000_000L;
            assertHistogram(values(atNs - 90_000_000, atNs, -1), 1, Json.list(points.get(i)));
        }
    }

    @Test
    void shouldCountFieldsUpToEachStep() throws Exception {
        List<Object> result = result(
                "query_range",
                "query",
                "loom:requests:latency_ns offset 1s",
                "start",
                at(0),
                "end",
                at(70),
                "step",
                "10");
        List<Object> points = Json.list(Json.object(result.get(0)).get("histograms"));
        assertEquals(7, points.size(), points::toString); // nothing had come at the first one
        for (int i = 0; i < points.size(); i++) {
            long[] values = values(Long.MIN_VALUE, (BEGIN_S + 9 + 10L * i) * NS_PER_S, -1);
            assertHistogram(values, 1, Json.list(points.get(i)));
        }
    }

    @Test
    void shouldTellKeysApart() throws Exception {
        String name = "loom:requests:latency_ns:by_shard";
        List<Object> result = result("query", "query", "increase(" + name + "{shard!=\"1\"}[7s])", "time", at(31));
        assertEquals(2, result.size());
        for (int i = 0; i < 2; i++) {
            Map<String, Object> series = Json.object(result.get(i));
            assertEquals(
                    "{shard=" + 2 * i + "}", Json.object(series.get("metric")).toString());
            long[] values = values((BEGIN_S + 24) * NS_PER_S, (BEGIN_S + 31) * NS_PER_S, 2L * i);
            assertHistogram(values, 1, Json.list(series.get("histogram")));
        }
        assertEquals(
                result("query", "query", "sum(increase(" + name + "[7s]))", "time", at(31))
                        .toString(),
                result("query", "query", "sum(increase(loom:requests:latency_ns[7s]))", "time", at(31))
                        .toString());
    }

    @Test
    void shouldFindAQuantileWithinTheBinThatHoldsIt() throws Exception {
        long[] values = values((BEGIN_S + 10) * NS_PER_S, (BEGIN_S + 40) * NS_PER_S, -1);
        Arrays.sort(values);
        for (double q : new double[] {0.1, 0.5, 0.9, 0.99}) {
            List<Object> result = result(
                    "query",
                    "query",
                    "histogram_quantile(" + q + ", rate(loom:requests:latency_ns[30s]))",
                    "time",
                    at(40));
            double found = Double.parseDouble(
                    Json.list(Json.object(result.get(0)).get("value")).get(1).toString());
            double exact = values[(int) Math.ceil(q * values.length) - 1];
            assertEquals(exact, found, exact / 8);
        }
    }

    @Test
    void shouldListLabelsSeriesAndMetadata() throws Exception {
        send("shop", "\"name\":\"http.requests\",\"description\":\"all of them\"", "sum", counts(5, 8));
        assertEquals(
                "[http_requests_total, loom:otlp_metrics:value, loom:requests:latency_ns, loom:requests:latency_ns:by_shard]",
                data("label/__name__/values").toString());
        assertEquals("[shop]", data("label/job/values").toString());
        assertEquals("[0, 1, 2]", data("label/shard/values").toString());
        assertEquals(
                "[]", data("label/job/values", "start", at(16), "end", at(99)).toString());
        assertEquals(
                "[shop]",
                data("label/job/values", "start", at(15), "end", at(15)).toString());
        assertEquals(
                "[]", data("label/job/values", "match[]", "{job=\"other\"}").toString());
        assertTrue(
                Json.list(data("labels")).containsAll(List.of("__name__", "job", "shard")), data("labels")::toString);
        assertEquals(
                "[{__name__=http_requests_total, host_name=h, http_route=/a, instance=one, job=shop, otel_scope_name=lib}]",
                data("series", "match[]", "{job=~\"sh.*\"}", "match[]", "http_requests_total")
                        .toString());
        Map<String, Object> metadata = Json.object(data("metadata"));
        assertEquals("[{type=counter, help=all of them, unit=}]", String.valueOf(metadata.get("http_requests_total")));
        assertEquals(
                new TreeSet<>(List.of("http_requests_total")),
                Json.object(data("metadata", "metric", "http_requests_total")).keySet());
        assertTrue(data("status/buildinfo").toString().contains("version=3.0.0"));
        for (String probe : new String[] {"", "/", "/-/healthy", "/-/ready"}) {
            assertEquals("ok\n", http.get(server(), "/prometheus" + probe).body());
        }
        assertEquals(
                "sum by (\"a.b\") ({\"a.b\"=\"x\"})", data("format_query", "query", "sum({'a.b'='x'}) by ('a.b')"));
        assertEquals("sum by (job) (rate(a[5m]))", data("format_query", "query", "sum by(job)(rate(a [5m]))"));
    }

    @Test
    void shouldAnswerTwentyPanelsAtOnce() {
        List<CompletableFuture<HttpResponse<String>>> panels = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            panels.add(connections.sendAsync(
                    request("query_range?"
                                    + form(
                                            "query",
                                            "rate(loom:requests:latency_ns[" + (i + 1) + "s])",
                                            "start",
                                            at(0),
                                            "end",
                                            at(60),
                                            "step",
                                            "1"))
                            .build(),
                    BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> panel : panels) {
            HttpResponse<String> answer = panel.join();
            assertEquals(200, answer.statusCode(), answer.body());
            assertTrue(answer.body().contains("\"histograms\""), answer.body());
        }
    }

    private void refused(int status, String type, String message, String path, String... parameters) throws Exception {
        // an address is not so long
        HttpResponse<String> answer = post(path, TestClient.FORM, form(parameters));
        assertEquals(status, answer.statusCode(), answer.body());
        Map<String, Object> error = Json.object(Json.parse(answer.body()));
        assertEquals("error", error.get("status"));
        assertEquals(type, error.get("errorType"));
        String found = String.valueOf(error.get("error"));
        assertTrue(found.contains(message), found);
        assertTrue(answer.body().length() < 4_000, answer.body());
    }

    @Test
    void shouldRefuseWhatItCannotAnswer() throws Exception {
        String[][] queries = {
            {"", "1:1: parse error: no expression found in input"},
            {"rate(a[5m]", "1:11: parse error: unexpected end of input"},
            {"rate(a)", "1:6: parse error: expected type range vector in call to rate, got instant vector"},
            {"a @ 5", "1:3: parse error: the @ modifier is not supported"},
            {"max_over_time(rate(a[5m])[1h:1m])", "parse error: subqueries are not supported"},
            {"a / on(b) group_left c", "1:11: parse error: many-to-one matching is not supported"},
            {"predict_linear(a[5m], 5)", "1:1: parse error: function is unknown or not supported: \"predict_linear\""},
            {"sum(a) by (b) by (c)", "1:15: parse error"},
            {"{a=\"\"}", "1:1: parse error: vector selector must contain at least one non-empty matcher"},
            {"a{b=~\"(\"}", "1:6: parse error: error parsing regexp"},
            {"a[5x]", "1:3: parse error: bad number or duration syntax"},
            {"a[99999999y]", "1:3: parse error: duration out of range"},
            {"a[584942418y]", "1:3: parse error: duration out of range"}, // 2^64 ms and some days
            {"\"unterminated", "1:1: parse error: unterminated quoted string"},
            {"a\n  ! b", "2:3: parse error: unexpected character"},
            {"(".repeat(500) + "a" + ")".repeat(500), "nested too deep: max=100"},
            {"-".repeat(500) + "a", "nested too deep: max=100"},
            {"1" + "+1".repeat(1_000), "too many operators: max=500"},
            {"a".repeat(20_000), "expression is too long: length=20000, max=16384"},
            {"a{b=~\"" + "(a*)*".repeat(100) + "\",c=~\"(x{1000}){1000}\"}", "error parsing regexp"},
            {"1 == 1", "1:3: parse error: comparisons between scalars must use BOOL modifier"},
            {"a offset 5m offset 5m", "1:13: parse error: offset may not be set multiple times"},
        };
        for (String[] query : queries) {
            refused(400, "bad_data", "invalid parameter \"query\": ", "query", "query", query[0]);
            refused(400, "bad_data", query[1], "query", "query", query[0]);
            refused(400, "bad_data", query[1], "query_range", "query", query[0], "start", "0", "end", "1", "step", "1");
            refused(400, "bad_data", query[1], "format_query", "query", query[0]);
        }
        refused(422, "execution", "needs samples", "query", "query", "delta(loom:requests:latency_ns[5m])");
        refused(422, "execution", "has no samples of its own", "query", "query", "loom:requests:latency_ns[5m]");
        refused(
                422,
                "execution",
                "invalid destination label",
                "query",
                "query",
                "label_replace(vector(1), \"\", \"\", \"\", \"\")");
        String twice = "$1".repeat(2_000);
        refused(
                422,
                "execution",
                "label value of label_replace() is too long: label=a, max=65536",
                "query",
                "query",
                "label_replace(label_replace(vector(1), \"a\", \"%s\", \"\", \"\"), \"a\", \"%s\", \"a\", \"(.*)\")"
                        .formatted("x".repeat(1_000), twice));
        refused(
                400,
                "bad_data",
                "invalid expression type \"range vector\"",
                "query_range",
                "query",
                "a[5m]",
                "start",
                "0",
                "end",
                "1",
                "step",
                "1");
    }

    @Test
    void shouldRefuseHostileParameters() throws Exception {
        String[][] ranges = {
            {"", "1", "1", "invalid parameter \"start\""},
            {"0", "", "1", "invalid parameter \"end\""},
            {"0", "1", "", "invalid parameter \"step\""},
            {"5", "1", "1", "end timestamp must not be before start time"},
            {"0", "1", "0", "zero or negative query resolution step"},
            {"0", "1", "-1", "zero or negative query resolution step"},
            {"0", "1", "NaN", "duration is out of range"},
            {"0", "11001", "1", "exceeded maximum resolution of 11000 points"},
            {"x", "1", "1", "cannot parse x to a valid timestamp"},
            {"1e300", "1e301", "1", "time is out of range"},
            {"-1e300", "1", "1", "time is out of range"},
            {"Inf", "1", "1", "time is out of range"},
            {"-9223372036", "9223372036", "0.001", "exceeded maximum resolution"},
            {"0", "1", "1000000000000y", "cannot parse"},
            {"2026-13-01T00:00:00Z", "1", "1", "to a valid timestamp"},
        };
        for (String[] range : ranges) {
            refused(
                    400,
                    "bad_data",
                    range[3],
                    "query_range",
                    "query",
                    "a",
                    "start",
                    range[0],
                    "end",
                    range[1],
                    "step",
                    range[2]);
        }
        refused(400, "bad_data", "invalid parameter \"time\"", "query", "query", "a", "time", "yesterday");
        refused(400, "bad_data", "no match[] parameter provided", "series");
        refused(400, "bad_data", "invalid parameter \"match[]\": 1:1", "series", "match[]", "rate(a[5m])");
        refused(400, "bad_data", "invalid parameter \"match[]\": 1:2", "labels", "match[]", "{");
        refused(400, "bad_data", "limit must be non-negative", "labels", "limit", "-1");
        refused(400, "bad_data", "cannot parse", "labels", "limit", "x");
        refused(404, "not_found", "no such path", "nothing");
        refused(404, "not_found", "no such path", "label/values");
        refused(504, "timeout", "timed out", "query", "query", "a", "timeout", "0");
        HttpResponse<String> both = post("query?query=1", TestClient.FORM, "query=2");
        assertTrue(both.body().contains("\"2\""), "as Go's servers read forms: " + both.body());
        HttpResponse<String> deleted = http.send(request("query?query=a").DELETE());
        assertEquals(405, deleted.statusCode());
        assertEquals("GET, POST", deleted.headers().firstValue("Allow").orElse(""));
        assertEquals(415, post("query?query=a", TestClient.JSON, "{}").statusCode());
    }

    @Test
    void shouldReserveWhatItHolds() throws Exception {
        server().close();
        server = LoomServer.open(
                TestServers.settings(temp, "api: {query_memory_mib: 4}", TestServers.API, TestServers.OTLP_HTTP)
                        .build());
        assertEquals(
                200,
                get("query", "query", "rate(loom:requests:latency_ns[5s])", "time", at(9))
                        .statusCode());
        // each point of the answer is a histogram
        refused(
                413,
                "execution",
                "memory",
                "query_range",
                "query",
                "loom:requests:latency_ns",
                "start",
                at(0),
                "end",
                at(60),
                "step",
                "0.006");
    }

    @Test
    void shouldAnswerAtTheEndsOfTime() throws Exception {
        for (String time : new String[] {"-9223372036", "0", "9223372036", "9223371000.5"}) {
            for (String query :
                    new String[] {"a", "rate(a[5m])", "a offset 100y", "a offset -100y", "count_over_time(a[200y])"}) {
                HttpResponse<String> answer = get("query", "query", query, "time", time);
                assertTrue(
                        answer.statusCode() == 200 || answer.statusCode() == 422,
                        query + " at " + time + ": " + answer.body());
            }
        }
        assertEquals(
                "[]",
                data("label/job/values", "start", "-9223372036", "end", "9223372036")
                        .toString());
    }
}
