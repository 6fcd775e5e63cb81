package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.Cli;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands over records that came by OTLP. {@code -Dloom.test.seed=S} sets the seed. */
class OtlpCommandsTest {
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;
    private static final String[] SERVICES = {"cart", "checkout", "search"};
    private static final int SPANS = 1_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Cli cli = new Cli();
    private final List<Sent> sent = new ArrayList<>();

    private record Sent(String id, String service, int zone, long start, long duration, boolean error) {}

    @BeforeEach
    void fill() {
        System.out.println("OtlpCommandsTest: -Dloom.test.seed=" + seed);
        cli = Cli.onSmallStore(directory);
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(1 << 18)
                .build())) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults());
            for (int i = 0; i < SPANS; ) {
                i += export(ingester, i);
            }
            export(ingester, Signal.LOGS, logs());
            export(ingester, Signal.METRICS, metrics());
        }
    }

    @Test
    void shouldNameTheAttributesThatWereSeenWhereOneIsUnknown() {
        String err = cli.run("scan", "otlp.spans", "--where", "atr.http.route == '/1'")
                .exit(2)
                .err();
        assertTrue(
                err.startsWith("loom: --where: unknown field: field=atr.http.route, format=otlp-span, fields=["), err);
        assertTrue(err.contains("attr.*, "), err);
        assertTrue(err.contains(", seen=[attr.http.route, resource."), err);
        assertTrue(err.endsWith("; did you mean attr.http.route?\n"), err);
        String unseen = cli.run("scan", "otlp.spans", "--where", "attr.http.rout == '/1'")
                .ok()
                .err();
        assertTrue(unseen.contains("no record that was read has a value in attr.http.rout, seen=["), unseen);
        assertTrue(unseen.endsWith("; did you mean attr.http.route?\n"), unseen);
        assertTrue(cli.run("tail", "otlp.spans", "--where", "route == 1")
                .exit(2)
                .err()
                .endsWith("; did you mean attr.http.route?\n"));
        assertTrue(cli.run("index", "add", "otlp.spans", "durations")
                .exit(2)
                .err()
                .endsWith("; did you mean duration?\n"));
    }

    /** All fields, also those of resources and attributes, but those that choose; each count is that of a scan. */
    @Test
    void shouldTellWhatDiffersInResourcesAndAttributes() {
        Cli.Result result = cli.run("diff", "otlp.spans", "--where", "service.name == 'cart'", "--explain")
                .ok();
        String compared = result.err().substring(result.err().indexOf("\"fields\":["));
        compared = compared.substring(0, compared.indexOf("\"more_fields\""));
        for (String field : List.of("attr.http.route", "resource.zone", "duration", "status", "start", "name")) {
            assertTrue(compared.contains('"' + field + '"'), compared);
        }
        for (String field : List.of("attributes", "resource", "resource.service.name")) {
            assertTrue(!compared.contains('"' + field + '"'), compared);
        }
        assertTrue(compared.contains("\"fields_left_out\":[\"service.name\"]"), compared);
        long carts = sent.stream().filter(span -> span.service().equals("cart")).count();
        List<String> rows = cli.run("diff", "otlp.spans", "--where", "service.name == 'cart' or status == 'error'")
                .ok()
                .lines();
        for (String row : result.lines()) {
            assertEquals(carts, number(RowParser.parse(row).get("selected_of")), row);
        }
        for (String line : rows) {
            Map<String, ?> row = RowParser.parse(line);
            if (row.get("where") instanceof String where) {
                long found = number(row.get("selected")) + number(row.get("against"));
                assertEquals(
                        found,
                        cli.run("scan", "otlp.spans", "--where", where)
                                .ok()
                                .lines()
                                .size(),
                        line);
            }
        }
    }

    private static long number(@Nullable Object value) {
        return new BigDecimal(String.valueOf(value)).longValueExact();
    }

    @Test
    void shouldRefuseAnIndexOverWhatCanHoldNoNumber() {
        for (String field : List.of("attributes", "events", "links", "resource", "name")) {
            String err = cli.run("index", "add", "otlp.spans", field).exit(2).err();
            assertTrue(err.startsWith("loom: field is not numeric: name=" + field + ", type="), err);
        }
        cli.run("index", "add", "otlp.spans", "attr.size").ok();
    }

    private int export(OtlpIngester ingester, int from) {
        String service = SERVICES[random.nextInt(SERVICES.length)];
        int zone = random.nextInt(5);
        ScopeSpans.Builder spans = ScopeSpans.newBuilder()
                .setScope(InstrumentationScope.newBuilder().setName("http").setVersion("1.2"));
        int count = 1 + random.nextInt(20);
        for (int i = from; i < from + count; i++) {
            byte[] id = new byte[8];
            new UnsafeBuffer(id).putLong(0, i + 1L);
            long start = BEGIN_NS + i * 1_000_000L + random.nextInt(500_000);
            long duration = (long) (Math.exp(random.nextGaussian()) * 5_000_000);
            boolean error = random.nextInt(10) == 0;
            spans.addSpans(Span.newBuilder()
                    .setTraceId(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
                    .setSpanId(ByteString.copyFrom(id))
                    .setName("GET /")
                    .setKindValue(2)
                    .setStartTimeUnixNano(start)
                    .setEndTimeUnixNano(start + duration)
                    .setStatus(Status.newBuilder().setCodeValue(error ? 2 : 0))
                    .addAttributes(text("http.route", "/" + i % 7)));
            sent.add(
                    new Sent(String.format("%016x", Long.reverseBytes(i + 1L)), service, zone, start, duration, error));
        }
        export(
                ingester,
                Signal.TRACES,
                ExportTraceServiceRequest.newBuilder()
                        .addResourceSpans(ResourceSpans.newBuilder()
                                .setResource(resource(service, zone))
                                .addScopeSpans(spans))
                        .build());
        return count;
    }

    private static void export(OtlpIngester ingester, Signal signal, MessageLite request) {
        ExportOutcome outcome = new ExportOutcome();
        byte[] bytes = request.toByteArray();
        ingester.export(signal, new UnsafeBuffer(bytes), 0, bytes.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
    }

    private static KeyValue text(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    private static Resource resource(String service, int zone) {
        return Resource.newBuilder()
                .addAttributes(text("service.name", service))
                .addAttributes(KeyValue.newBuilder()
                        .setKey("zone")
                        .setValue(AnyValue.newBuilder().setIntValue(zone)))
                .build();
    }

    private static MessageLite logs() {
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .setResource(resource("cart", 1))
                        .addScopeLogs(ScopeLogs.newBuilder()
                                .addLogRecords(LogRecord.newBuilder()
                                        .setTimeUnixNano(BEGIN_NS)
                                        .setSeverityNumberValue(17)
                                        .setSeverityText("ERROR")
                                        .setBody(AnyValue.newBuilder().setStringValue("it \"broke\"")))
                                .addLogRecords(LogRecord.newBuilder()
                                        .setTimeUnixNano(BEGIN_NS + 1)
                                        .setSeverityNumberValue(9))))
                .build();
    }

    private static MessageLite metrics() {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(resource("cart", 1))
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .addMetrics(Metric.newBuilder()
                                        .setName("queue.length")
                                        .setUnit("{item}")
                                        .setGauge(Gauge.newBuilder()
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setTimeUnixNano(BEGIN_NS)
                                                        .setAsInt(12))
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setTimeUnixNano(BEGIN_NS + 1)
                                                        .setAsDouble(0.5))))))
                .build();
    }

    private List<String> ids(Predicate<Sent> which) {
        return sent.stream().filter(which).map(Sent::id).sorted().toList();
    }

    private List<String> scanned(String... arguments) {
        List<String> command = new ArrayList<>(List.of("scan", "otlp.spans", "-o", "json"));
        command.addAll(List.of(arguments));
        return cli.run(command.toArray(String[]::new)).ok().lines().stream()
                .map(line -> line.replaceAll(".*\"span_id\":\"([0-9a-f]{16})\".*", "$1"))
                .sorted()
                .toList();
    }

    @Test
    void shouldFindSpansByFieldsOfTheirOwnAndOfTheirResource() {
        for (String index : new String[] {"--explain", "--disable-index=chunk"}) {
            assertEquals(ids(span -> span.duration() > 20_000_000), scanned("--where", "duration > 20ms", index));
            assertEquals(
                    ids(span -> span.service().equals("cart") && span.error()),
                    scanned("--where", "service.name == \"cart\" and status == \"error\"", index));
            assertEquals(
                    ids(span -> span.zone() >= 3 && span.duration() < 5_000_000),
                    scanned("--where", "resource.zone >= 3 and duration < 5ms", index));
            assertEquals(List.of(), scanned("--where", "resource.absent == 1", index));
        }
    }

    @Test
    void shouldAggregateRankAndOverlapSpans() {
        Sent longest = sent.stream()
                .max((a, b) -> Long.compare(a.duration(), b.duration()))
                .orElseThrow();
        String top = cli.run("top", "otlp.spans", "duration", "-n", "1", "-o", "json")
                .ok()
                .out();
        assertTrue(top.contains("\"span_id\":\"" + longest.id() + "\""), top);
        assertTrue(top.contains("\"duration\":" + longest.duration() + ","), top);
        assertTrue(top.contains("\"service.name\":\"" + longest.service() + "\""), top);
        String all = cli.run("agg", "otlp.spans", "duration", "-o", "json").ok().out();
        assertTrue(all.contains("\"count\":" + sent.size()) && all.contains("\"max\":" + longest.duration()), all);
        String zones =
                cli.run("agg", "otlp.spans", "resource.zone", "-o", "json").ok().out();
        assertTrue(zones.contains("\"count\":" + sent.size()), zones);
        assertTrue(cli.run("hist", "otlp.spans", "duration", "-o", "table")
                .ok()
                .out()
                .contains("ms"));

        long end = longest.start() + longest.duration();
        List<String> overlapping =
                ids(span -> span.start() <= end && span.start() + span.duration() >= longest.start());
        List<String> found = cli
                .run(
                        "correlate",
                        "otlp.spans",
                        "duration",
                        "--above",
                        Long.toString(longest.duration() - 1),
                        "--with",
                        "otlp.spans",
                        "--overlap",
                        "duration,duration",
                        "--time",
                        "event",
                        "-o",
                        "json")
                .ok()
                .lines()
                .stream()
                .map(line -> line.replaceAll(".*\"span_id\":\"([0-9a-f]{16})\".*", "$1"))
                .sorted()
                .toList();
        assertEquals(overlapping, found, "seed=" + seed);
    }

    /** A field of the records that spans refer to makes groups: in a program, at the command line, and of a server. */
    @Test
    void shouldGroupSpansByFieldsOfTheirResource() throws Exception {
        Map<String, Long> expected = new TreeMap<>();
        for (Sent span : sent) {
            expected.merge(span.service() + ' ' + span.zone() + ' ' + span.error(), span.duration(), Long::sum);
        }
        List<String> fields = List.of("resource.service.name", "resource.zone", "status");
        Map<String, Long> found = new TreeMap<>();
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            Source spans = snapshot.source("otlp.spans").orElseThrow();
            IndexFunction duration = IndexFunction.field(spans.format(), "duration");
            try (Groups groups = GroupedAggregate.of(snapshot, spans.id(), duration)
                    .by(fields)
                    .run()) {
                for (Group group : groups) {
                    boolean error = group.key().get(2).text().equals("error");
                    found.put(
                            group.key().get(0).text() + ' ' + group.key().get(1).text() + ' ' + error,
                            Long.parseLong(group.sum()));
                }
            }
        }
        assertEquals(expected, found, "seed=" + seed);
        List<String> lines = cli.run("agg", "otlp.spans", "duration", "--by", String.join(",", fields), "-o", "json")
                .ok()
                .lines();
        assertEquals(expected, sums(lines), "seed=" + seed);
        String body =
                "{\"source\":\"otlp.spans\",\"field\":\"duration\",\"by\":[\"" + String.join("\",\"", fields) + "\"]}";
        try (LoomServer server = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(directory)
                        .recordRingBytes(1 << 20)
                        .timeRingBytes(1 << 20)
                        .chunkRingBytes(1 << 20)
                        .segmentBytes(1 << 18)
                        .build())
                .api(Endpoint.parse("localhost:0"))
                .build())) {
            URI uri = URI.create("http://" + server.addresses().get("http") + "/v1/agg");
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body))
                    .build();
            List<String> answer = HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .toList();
            assertEquals(lines, answer.subList(0, answer.size() - 1));
        }
    }

    /** Spans have an index by service and name from the start: it answers by either name of the service, with percentiles, and for one service. */
    @Test
    void shouldAnswerByServiceAndNameWithoutReadingSpans() {
        for (String by : List.of("service.name", "resource.service.name", "name", "name,service.name")) {
            for (String where : List.of("", "service.name == 'cart'", "resource.service.name == 'cart'")) {
                List<String> command = new ArrayList<>(List.of("agg", "otlp.spans", "duration", "--by", by));
                command.addAll(List.of("--percentile", "50,99", "-o", "json"));
                if (!where.isEmpty()) {
                    command.addAll(List.of("--where", where));
                }
                List<String> read = new ArrayList<>(command);
                read.addAll(List.of("--disable-index", "chunk"));
                command.add("--explain");
                Cli.Result answered = cli.run(command.toArray(String[]::new)).ok();
                assertEquals(
                        cli.run(read.toArray(String[]::new)).ok().lines(),
                        answered.lines(),
                        "seed=" + seed + ", by=" + by + ", where=" + where);
                String explained = answered.err();
                assertTrue(explained.contains("index duration:service.name,name #"), by + where + explained);
                assertTrue(explained.contains("\"chunks_read\":0,"), by + where + explained);
            }
        }
    }

    private static Map<String, Long> sums(List<String> lines) {
        Map<String, Long> sums = new TreeMap<>();
        for (String line : lines) {
            Matcher matcher = Pattern.compile(
                            "\"resource.service.name\":\"(\\w+)\",\"resource.zone\":(\\d+),\"status\":\"?(\\w+)"
                                    + ".*\"sum\":(\\d+)")
                    .matcher(line);
            assertTrue(matcher.find(), line);
            sums.put(
                    matcher.group(1)
                            + ' '
                            + matcher.group(2)
                            + ' '
                            + matcher.group(3).equals("error"),
                    Long.parseLong(matcher.group(4)));
        }
        return sums;
    }

    @Test
    void shouldGoByEventTimeWithoutBeingTold() {
        List<String> times = cli
                .run("scan", "otlp.spans", "--time", "event", "--asc", "--limit", "3", "-o", "csv")
                .ok()
                .lines()
                .stream()
                .skip(1)
                .map(row -> row.split(",", -1)[1])
                .toList();
        List<String> expected = sent.stream()
                .map(span -> span.start() + span.duration())
                .sorted()
                .limit(3)
                .map(String::valueOf)
                .toList();
        assertEquals(expected, times, "seed=" + seed);
        String sources = cli.run("sources", "-o", "table").ok().out();
        assertTrue(sources.contains("end (wall)") && sources.contains("otlp-context"), sources);
    }

    @Test
    void shouldShowLogsAndPoints() {
        List<String> logs =
                cli.run("scan", "otlp.logs", "--asc", "-o", "table").ok().lines();
        assertTrue(
                logs.get(0)
                        .matches("time \\S+ +severity_text +severity +service.name +body +event_name +trace_id"
                                + " +attributes *"),
                logs.get(0));
        assertTrue(logs.get(1).contains("ERROR") && logs.get(1).contains("it \"broke\""), logs.get(1));
        assertEquals(
                1,
                cli.run("scan", "otlp.logs", "--where", "severity >= 17")
                        .ok()
                        .lines()
                        .size());
        String error = cli.run("scan", "otlp.logs", "--where", "body contains \"broke\"", "-o", "json")
                .ok()
                .out();
        assertTrue(error.contains("\"resource\":{\"service.name\":\"cart\",\"zone\":1}"), error);
        List<String> points =
                cli.run("scan", "otlp.metrics", "--asc", "-o", "table").ok().lines();
        assertTrue(points.get(1).matches(".* cart +queue.length +12 +\\{item} +"), points.get(1));
        assertEquals(
                1,
                cli.run("scan", "otlp.metrics", "--where", "name == \"queue.length\" and value > 1")
                        .ok()
                        .lines()
                        .size());
    }

    @Test
    void shouldFollowReferencesInTail() {
        List<String> last =
                cli.run("tail", "otlp.metrics", "-n", "1", "-o", "json").ok().lines();
        assertEquals(1, last.size());
        assertTrue(
                last.get(0).contains("\"name\":\"queue.length\",")
                        && last.get(0).contains("\"value\":0.5"),
                last.get(0));
    }
}
