package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.SeriesRequest;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.SeriesTexts;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics that came by OTLP as series, at the command line and over HTTP. */
class SeriesCommandTest {
    private static final long S = 1_000_000_000L;
    private static final long BEGIN = 1_700_000_000L * S;
    private static final int ROUNDS = 30;

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    private LoomConfig config() {
        return LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(1 << 18)
                .build();
    }

    /** Two services of two routes each report every 10 s; the second one restarts in between. */
    @BeforeEach
    void fill() {
        cli = Cli.onSmallStore(directory);
        try (Loom loom = Loom.open(config())) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults());
            for (int round = 1; round <= ROUNDS; round++) {
                ExportMetricsServiceRequest.Builder request = ExportMetricsServiceRequest.newBuilder();
                for (int service = 0; service < 2; service++) {
                    boolean restarted = service == 1 && round > 15;
                    long start = restarted ? BEGIN + 151 * S : BEGIN;
                    request.addResourceMetrics(ResourceMetrics.newBuilder()
                            .setResource(Resource.newBuilder().addAttributes(text("service.name", "svc" + service)))
                            .addScopeMetrics(ScopeMetrics.newBuilder()
                                    .setScope(InstrumentationScope.newBuilder().setName("test"))
                                    .addAllMetrics(
                                            metrics(start, BEGIN + round * 10L * S, restarted ? round - 15 : round))));
                }
                byte[] message = request.build().toByteArray();
                ExportOutcome outcome = new ExportOutcome();
                ingester.export(Signal.METRICS, new UnsafeBuffer(message), 0, message.length, outcome);
                assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
            }
            loom.defineSource("texts", Formats.parse("text"));
        }
    }

    private static KeyValue text(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    private static List<Metric> metrics(long start, long time, int rounds) {
        Sum.Builder requests = Sum.newBuilder()
                .setIsMonotonic(true)
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        Gauge.Builder queue = Gauge.newBuilder();
        Histogram.Builder latency = Histogram.newBuilder()
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        ExponentialHistogram.Builder size = ExponentialHistogram.newBuilder()
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA);
        for (int route = 0; route < 2; route++) {
            List<KeyValue> attributes = new ArrayList<>(List.of(text("route", "/" + route), text("method", "GET")));
            if (rounds % 2 == 0) {
                attributes.add(attributes.remove(0));
            }
            requests.addDataPoints(NumberDataPoint.newBuilder()
                    .setStartTimeUnixNano(start)
                    .setTimeUnixNano(time)
                    .setAsInt(rounds * (route + 1L))
                    .addAllAttributes(attributes));
            queue.addDataPoints(NumberDataPoint.newBuilder()
                    .setTimeUnixNano(time)
                    .setAsDouble(rounds / 2.0)
                    .addAllAttributes(attributes));
            latency.addDataPoints(HistogramDataPoint.newBuilder()
                    .setStartTimeUnixNano(start)
                    .setTimeUnixNano(time)
                    .setCount(10L * rounds)
                    .setSum(100)
                    .addExplicitBounds(5)
                    .addExplicitBounds(10)
                    .addExplicitBounds(25)
                    .addBucketCounts(4L * rounds)
                    .addBucketCounts(5L * rounds)
                    .addBucketCounts(rounds)
                    .addBucketCounts(0)
                    .addAllAttributes(attributes));
            size.addDataPoints(ExponentialHistogramDataPoint.newBuilder()
                    .setStartTimeUnixNano(time - 10 * S)
                    .setTimeUnixNano(time)
                    .setCount(4)
                    .setScale(route)
                    .setZeroCount(1)
                    .setPositive(ExponentialHistogramDataPoint.Buckets.newBuilder()
                            .setOffset(3 << route)
                            .addBucketCounts(3))
                    .addAllAttributes(attributes));
        }
        return List.of(
                Metric.newBuilder()
                        .setName("requests")
                        .setUnit("1")
                        .setSum(requests)
                        .build(),
                Metric.newBuilder().setName("queue").setGauge(queue).build(),
                Metric.newBuilder()
                        .setName("latency")
                        .setUnit("ms")
                        .setHistogram(latency)
                        .build(),
                Metric.newBuilder()
                        .setName("size")
                        .setExponentialHistogram(size)
                        .build());
    }

    private List<String> lines(String... arguments) {
        return cli.run(arguments).ok().lines();
    }

    /** The rows, which HTTP gives too. */
    private List<Map<String, @Nullable Object>> ask(String command, String members, String... arguments)
            throws Exception {
        List<String> all = new ArrayList<>(List.of(command, "otlp.metrics"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("-o", "json"));
        List<String> lines = lines(all.toArray(String[]::new));
        try (LoomServer server = LoomServer.open(ServerSettings.builder()
                .store(config())
                .api(Endpoint.parse("localhost:0"))
                .build())) {
            URI uri = URI.create("http://" + server.addresses().get("http") + "/v1/" + command);
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"source\":\"otlp.metrics\"" + members + "}"))
                    .build();
            List<String> answer = HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .toList();
            assertEquals(lines, answer.subList(0, answer.size() - 1));
            assertTrue(answer.get(answer.size() - 1).startsWith("{\"end\":{\"complete\":true,"), answer::toString);
        }
        return lines.stream().map(RowParser::parse).toList();
    }

    private static double number(Map<String, @Nullable Object> row, String name) {
        return ((BigDecimal) Objects.requireNonNull(row.get(name), row::toString)).doubleValue();
    }

    private static double estimate(Map<String, @Nullable Object> row, String p, String part) {
        Map<?, ?> percentiles = (Map<?, ?>) Objects.requireNonNull(row.get("percentiles"));
        Map<?, ?> estimate = (Map<?, ?>) Objects.requireNonNull(percentiles.get(p), row::toString);
        return ((BigDecimal) Objects.requireNonNull(estimate.get(part), row::toString)).doubleValue();
    }

    @Test
    void shouldListMetrics() throws Exception {
        List<Map<String, @Nullable Object>> rows = ask("metrics", "");
        assertEquals(
                List.of("latency", "queue", "requests", "size"),
                rows.stream().map(row -> row.get("name")).toList());
        assertEquals(
                "{\"name\":\"requests\",\"kind\":\"sum\",\"unit\":\"1\",\"temporality\":\"cumulative\",\"monotonic\":true,"
                        + "\"points\":120,\"series\":4,\"first\":" + (BEGIN + 10 * S) + ",\"last\":" + (BEGIN + 300 * S)
                        + "}",
                lines("metrics", "otlp.metrics", "-o", "json").get(2));
        assertTrue(lines("metrics", "otlp.metrics", "-o", "json")
                .get(1)
                .contains("\"temporality\":null,\"monotonic\":null,"));
        assertTrue(cli.run("metrics", "otlp.metrics", "-o", "table").ok().out().contains("exponential_histogram"));
        cli.run("metrics", "otlp.metrics", "--series-max", "16").ok();
        cli.run("metrics", "otlp.metrics", "--series-max", "15")
                .exit(4)
                .says(
                        "too many series: found=16, max=15, records read=16; --series-max sets the cap, --where leaves series out");
        cli.run("metrics", "texts")
                .exit(2)
                .says("source holds no points of metrics: source=texts, format=text, missing=name");
        cli.run("metrics", "otlp.metrics", "--series-max", "0").exit(2).says("--series-max must be 1 to 1048576: 0");
    }

    @Test
    void shouldAddUpSumsAcrossRestarts() throws Exception {
        // each of two routes: 30 rounds of 1 and 2; the service that restarts counts 15 rounds twice
        List<Map<String, @Nullable Object>> all = ask("series", ",\"name\":\"requests\"", "requests");
        assertEquals(1, all.size());
        // the first points are not known to be whole: the range begins with them
        assertEquals(29 * 3 + (14 + 15) * 3, number(all.get(0), "increase"));
        assertEquals(30 * 3 + 15 * 3, number(all.get(0), "last"));
        List<Map<String, @Nullable Object>> whole = ask(
                "series",
                ",\"name\":\"requests\",\"from\":\"" + BEGIN
                        + "\",\"by\":\"service.name,attr.route\",\"fn\":[\"increase\"]",
                "requests",
                "--from",
                BEGIN + "",
                "--by",
                "service.name,attr.route",
                "--fn",
                "increase");
        assertEquals(4, whole.size());
        for (Map<String, @Nullable Object> row : whole) {
            int route = row.toString().contains("/1") ? 2 : 1;
            assertEquals(30 * route, number(row, "increase"), row.toString());
            assertEquals(1, number(row, "series"));
            assertEquals(30, number(row, "points"));
        }
        List<Map<String, @Nullable Object>> steps = ask(
                "series",
                ",\"name\":\"requests\",\"from\":\"" + BEGIN + "\",\"to\":\"" + (BEGIN + 301 * S)
                        + "\",\"step\":\"60s\",\"fn\":\"rate,last\"",
                "requests",
                "--from",
                BEGIN + "",
                "--to",
                BEGIN + 301 * S + "",
                "--step",
                "60s",
                "--fn",
                "rate,last");
        assertEquals(6, steps.size());
        assertEquals(5 * 6 / 60.0, number(steps.get(0), "rate"), 1e-12);
        assertEquals(6 * 6 / 60.0, number(steps.get(1), "rate"), 1e-12);
        assertEquals(6.0, number(steps.get(5), "rate"), 1e-12);
        assertEquals(5 * 6, number(steps.get(0), "last"));
    }

    @Test
    void shouldReadWhatLiesBeforeTheRange() throws Exception {
        String from = BEGIN + 200 * S + "";
        String members = ",\"name\":\"requests\",\"fn\":\"increase\",\"from\":\"" + from + "\",\"lookback\":\"";
        List<Map<String, @Nullable Object>> known =
                ask("series", members + "15s\"", "requests", "--fn", "increase", "--from", from, "--lookback", "15s");
        assertEquals(11 * 6, number(known.get(0), "increase"));
        List<Map<String, @Nullable Object>> unknown =
                ask("series", members + "5s\"", "requests", "--fn", "increase", "--from", from, "--lookback", "5s");
        assertEquals(10 * 6, number(unknown.get(0), "increase"));
        // the last value is of the range, or not older than the lookback
        String to = BEGIN + 400 * S + "";
        List<Map<String, @Nullable Object>> late = ask(
                "series",
                ",\"name\":\"queue\",\"fn\":\"last\",\"from\":\"" + (BEGIN + 310 * S) + "\",\"to\":\"" + to + "\"",
                "queue",
                "--fn",
                "last",
                "--from",
                BEGIN + 310 * S + "",
                "--to",
                to);
        assertEquals(2 * (15 + 7.5), number(late.get(0), "last"));
        List<Map<String, @Nullable Object>> stepped = ask(
                "series",
                ",\"name\":\"queue\",\"fn\":\"last\",\"step\":\"30s\",\"from\":\"" + (BEGIN + 310 * S) + "\",\"to\":\""
                        + to + "\"",
                "queue",
                "--fn",
                "last",
                "--step",
                "30s",
                "--from",
                BEGIN + 310 * S + "",
                "--to",
                to);
        assertEquals(3, stepped.size(), "of 30 s each");
        for (Map<String, @Nullable Object> step : stepped) {
            assertEquals(2 * (15 + 7.5), number(step, "last"));
        }
        assertTrue(cli.run(
                        "series",
                        "otlp.metrics",
                        "queue",
                        "--from",
                        BEGIN + 310 * S + "",
                        "--to",
                        to,
                        "--lookback",
                        "1s")
                .ok()
                .err()
                .endsWith("no points of queue in the range\n"));
    }

    @Test
    void shouldEstimatePercentilesWithTheirBounds() throws Exception {
        List<Map<String, @Nullable Object>> rows = ask(
                "series",
                ",\"name\":\"latency\",\"fn\":[\"p50\",\"p99\",\"increase\"]",
                "latency",
                "--fn",
                "p50,p99,increase");
        assertEquals((29 + 29) * 20, number(rows.get(0), "increase"));
        assertEquals(5, estimate(rows.get(0), "50", "lower"));
        assertEquals(10.0, estimate(rows.get(0), "50", "upper"));
        assertEquals(6.0, estimate(rows.get(0), "50", "estimate"));
        assertEquals(25.0, estimate(rows.get(0), "99", "upper"));
        // both scales are brought to the lower one: 8 to 16
        List<Map<String, @Nullable Object>> size =
                ask("series", ",\"name\":\"size\",\"fn\":\"p20,p90\"", "size", "--fn", "p20,p90");
        assertEquals(0.0, estimate(size.get(0), "20", "upper"));
        assertEquals(8.0, estimate(size.get(0), "90", "lower"));
        assertEquals(16.0, estimate(size.get(0), "90", "upper"));
    }

    @Test
    void shouldPrintTablesChartsAndCsv() {
        assertEquals(
                List.of(
                        "service.name,from,to,series,points,increase",
                        "svc0," + (BEGIN + 10 * S) + "," + (BEGIN + 300 * S + 1) + ",2,60,87",
                        "svc1," + (BEGIN + 10 * S) + "," + (BEGIN + 300 * S + 1) + ",2,60,87"),
                lines("series", "otlp.metrics", "requests", "--by", "service.name", "--fn", "increase", "-o", "csv"));
        String table = cli.run(
                        "series", "otlp.metrics", "latency", "--by", "service.name", "--fn", "p50", "-o", "table")
                .ok()
                .out();
        assertTrue(table.contains("p50.lower"), table);
        assertTrue(table.contains("svc1"), table);
        String chart = cli.run(
                        "series", "otlp.metrics", "requests", "--by", "service.name", "--step", "30s", "-o", "table")
                .ok()
                .out();
        assertTrue(chart.contains("last of requests in steps of 30s"), chart);
        assertTrue(chart.contains("rate of requests in steps of 30s"), chart);
        assertTrue(chart.lines().filter(line -> line.startsWith("svc0")).count() == 2, chart);
        String gauge = cli.run("series", "otlp.metrics", "queue", "--step", "30s", "-o", "table")
                .ok()
                .out();
        assertTrue(gauge.contains("last of queue") && !gauge.contains("rate"), gauge);
    }

    /** One SDK sends a number where another sends its text. */
    @Test
    void shouldDrawGroupsApartWhoseLabelsLookAlike() {
        try (Loom loom = Loom.open(config())) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults());
            Gauge.Builder gauge = Gauge.newBuilder();
            for (AnyValue code : List.of(
                    AnyValue.newBuilder().setIntValue(200).build(),
                    AnyValue.newBuilder().setStringValue("200").build())) {
                for (int i = 0; i < 3; i++) {
                    gauge.addDataPoints(NumberDataPoint.newBuilder()
                            .setTimeUnixNano(BEGIN + i * 10L * S)
                            .setAsInt(i)
                            .addAttributes(KeyValue.newBuilder().setKey("code").setValue(code)));
                }
            }
            byte[] message = ExportMetricsServiceRequest.newBuilder()
                    .addResourceMetrics(ResourceMetrics.newBuilder()
                            .addScopeMetrics(ScopeMetrics.newBuilder()
                                    .addMetrics(
                                            Metric.newBuilder().setName("mixed").setGauge(gauge))))
                    .build()
                    .toByteArray();
            ExportOutcome outcome = new ExportOutcome();
            ingester.export(Signal.METRICS, new UnsafeBuffer(message), 0, message.length, outcome);
            assertEquals(6, outcome.accepted());
        }
        String chart = cli.run("series", "otlp.metrics", "mixed", "--by", "attr.code", "--step", "10s", "-o", "table")
                .ok()
                .out();
        assertEquals(2, chart.lines().filter(line -> line.startsWith("200 ")).count(), chart);
    }

    @Test
    void shouldDrawNoMoreValuesThanItMayHold() {
        cli = Cli.on(directory);
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            SeriesRequest request = new RequestBuilder(
                            reader, snapshot, RequestTimes.ALL, Cli.NOW_NS, QueryLimits.NONE, remark -> {})
                    .series(
                            "otlp.metrics",
                            "queue",
                            List.of(),
                            new SeriesTexts(List.of("service.name"), "10s", List.of("last"), null, null));
            int values = 2 * ROUNDS;
            assertTrue(drawn(snapshot, request, values).contains("svc1"));
            GroupLimitException refused =
                    assertThrows(GroupLimitException.class, () -> drawn(snapshot, request, values - 1));
            assertEquals(GroupLimitException.Cap.GROUPS_AND_STEPS, refused.cap());
            assertEquals(values, refused.found());
        }
    }

    private String drawn(Snapshot snapshot, SeriesRequest request, int valuesMax) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = cli.console(out, OutputStream.nullOutputStream());
        SeriesChart chart = new SeriesChart(console, request, new TimePrinter(ZoneOffset.UTC), valuesMax);
        new QueryService(EventTime::clock, new QueryMemory(64 << 20), () -> false)
                .run(snapshot, request, new ResultHandler() {
                    @Override
                    public void onSeries(SeriesRequest asked, SeriesStep step) {
                        chart.add(step);
                    }
                });
        chart.draw();
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldRefuseWhatCannotBeAnswered() {
        cli.run("series", "otlp.metrics", "requests", "--fn", "mean")
                .exit(2)
                .says("--fn is none of last, increase, rate or a percentile such as p99: mean");
        cli.run("series", "otlp.metrics", "requests", "--time", "arrival")
                .exit(2)
                .says("--time must be event: series go by the times of their points");
        cli.run("series", "otlp.metrics", "requests", "--by", "name,name")
                .exit(2)
                .says("--by names a field twice: name,name");
        cli.run("series", "otlp.metrics", "requests", "--series-max", "3")
                .exit(4)
                .says(
                        "too many series: found=4, max=3, records read=4; --series-max sets the cap, --where leaves series out");
        String unseen = cli.run("series", "otlp.metrics", "requests", "--by", "attr.rout")
                .ok()
                .err();
        assertTrue(unseen.contains("no record that was read has a value in attr.rout"), unseen);
        assertTrue(unseen.endsWith("; did you mean attr.route?\n"), unseen);
        assertEquals(
                "",
                cli.run("series", "otlp.metrics", "requests", "--by", "attr.route")
                        .ok()
                        .err());
        cli.run("series", "otlp.metrics", "none").ok().says("no points of none in the range");
        assertTrue(cli.run("series", "texts", "requests").exit(2).err().contains("source holds no points of metrics"));
        assertTrue(cli.run("series", "otlp.metrics", "requests", "--by", "nam")
                .exit(2)
                .err()
                .contains("did you mean name?"));
    }
}
