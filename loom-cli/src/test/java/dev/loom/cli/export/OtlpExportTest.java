package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom export --format otlp}: to files, to receivers that fail, to a sidecar. */
class OtlpExportTest {
    private static final int LOGS = 2 * OtlpForm.REQUEST_RECORDS + 100;
    private static final int SPANS = 500;
    private static final int PER_REQUEST = 100;

    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Path file = Path.of("");
    private Cli cli = new Cli();
    /** The logs that were sent, each with its resource and scope. */
    private final Map<Message, Integer> logs = new HashMap<>();

    @BeforeEach
    void fill() {
        store = directory.resolve("store");
        file = directory.resolve("out.jsonl");
        cli = Cli.onSmallStore(store);
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults());
            for (int i = 0; i < LOGS; i += PER_REQUEST) {
                ExportLogsServiceRequest request = logs(i, Math.min(PER_REQUEST, LOGS - i));
                count(request, logs);
                export(ingester, Signal.LOGS, request);
            }
            export(ingester, Signal.TRACES, spans());
            export(ingester, Signal.METRICS, metrics());
            loom.defineSource("words", Formats.text());
        }
    }

    private static void export(OtlpIngester ingester, Signal signal, MessageLite request) {
        ExportOutcome outcome = new ExportOutcome();
        byte[] bytes = request.toByteArray();
        ingester.export(signal, new UnsafeBuffer(bytes), 0, bytes.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
    }

    private static Resource resource(int number) {
        return Resource.newBuilder()
                .addAttributes(KeyValue.newBuilder()
                        .setKey("service.name")
                        .setValue(AnyValue.newBuilder().setStringValue("s" + number)))
                .build();
    }

    private static ExportLogsServiceRequest logs(int from, int count) {
        ScopeLogs.Builder scope = ScopeLogs.newBuilder()
                .setSchemaUrl("http://schema")
                .setScope(InstrumentationScope.newBuilder().setName("lib").setVersion("1"));
        for (int i = from; i < from + count; i++) {
            scope.addLogRecords(LogRecord.newBuilder()
                    .setTimeUnixNano(1_700_000_000_000_000_000L + i)
                    .setSeverityNumberValue(i % 25)
                    .setBody(AnyValue.newBuilder().setStringValue("é \"line\"\n" + i)));
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .setResource(resource(from / PER_REQUEST % 3))
                        .addScopeLogs(scope))
                .build();
    }

    private static ExportTraceServiceRequest spans() {
        ScopeSpans.Builder scope = ScopeSpans.newBuilder();
        for (int i = 0; i < SPANS; i++) {
            byte[] id = {1, 2, 3, 4, 5, 6, (byte) (i >> 8), (byte) i};
            scope.addSpans(Span.newBuilder()
                    .setTraceId(ByteString.copyFrom(id).concat(ByteString.copyFrom(id)))
                    .setSpanId(ByteString.copyFrom(id))
                    .setName("op" + i)
                    .setStartTimeUnixNano(1_700_000_000_000_000_000L)
                    .setEndTimeUnixNano(1_700_000_000_000_000_000L + i));
        }
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(
                        ResourceSpans.newBuilder().setResource(resource(1)).addScopeSpans(scope))
                .build();
    }

    private static ExportMetricsServiceRequest metrics() {
        NumberDataPoint point = NumberDataPoint.newBuilder()
                .setTimeUnixNano(1_700_000_000_000_000_000L)
                .setAsDouble(Double.NaN)
                .build();
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder()
                .addMetrics(Metric.newBuilder()
                        .setName("g")
                        .setUnit("1")
                        .setGauge(Gauge.newBuilder().addDataPoints(point).addDataPoints(point)))
                .addMetrics(Metric.newBuilder()
                        .setName("s")
                        .setSum(Sum.newBuilder()
                                .setIsMonotonic(true)
                                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
                                .addDataPoints(point.toBuilder().setAsInt(Long.MIN_VALUE))));
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(
                        ResourceMetrics.newBuilder().setResource(resource(1)).addScopeMetrics(scope))
                .build();
    }

    /** Counts the records of a request, each alone in its resource and scope. */
    private static void count(ExportLogsServiceRequest request, Map<Message, Integer> into) {
        for (ResourceLogs resource : request.getResourceLogsList()) {
            for (ScopeLogs scope : resource.getScopeLogsList()) {
                for (LogRecord log : scope.getLogRecordsList()) {
                    Message alone = resource.toBuilder()
                            .clearScopeLogs()
                            .addScopeLogs(scope.toBuilder().clearLogRecords().addLogRecords(log))
                            .build();
                    into.merge(alone, 1, Integer::sum);
                }
            }
        }
    }

    private Cli.Result export(String... arguments) {
        return cli.run(Stream.concat(Stream.of("export", "--format", "otlp"), Stream.of(arguments))
                .toArray(String[]::new));
    }

    @Test
    void shouldWriteAFileThatReceiversRead() throws IOException {
        export("--source", "otlp.logs", "--output", file.toString()).ok();
        Map<Message, Integer> read = new HashMap<>();
        List<String> lines = Files.readAllLines(file);
        assertEquals(3, lines.size());
        for (String line : lines) {
            assertTrue(
                    line.startsWith("{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                            + "\"value\":{\"stringValue\":\"s"),
                    line.substring(0, 100));
            count(ExportLogsServiceRequest.parseFrom(protobuf(Signal.LOGS, line)), read);
        }
        assertEquals(logs, read);
    }

    @Test
    void shouldWriteSpansAndPoints() throws IOException {
        export("--source", "otlp.metrics", "--output", file.toString()).ok();
        String line = Files.readString(file).strip();
        assertEquals(metrics(), ExportMetricsServiceRequest.parseFrom(protobuf(Signal.METRICS, line)));
        assertTrue(
                line.contains("{\"name\":\"s\",\"sum\":{\"dataPoints\":[{\"timeUnixNano\":\"1700000000000000000\","
                        + "\"asInt\":\"-9223372036854775808\"}],\"aggregationTemporality\":1,\"isMonotonic\":true}}"),
                line);
        String spans = export("--source", "otlp.spans").ok().out().strip();
        assertEquals(spans(), ExportTraceServiceRequest.parseFrom(protobuf(Signal.TRACES, spans)));
        assertTrue(spans.contains("\"spanId\":\"0102030405060000\""), spans.substring(0, 300));
    }

    private static byte[] protobuf(Signal signal, String line) {
        byte[] json = line.getBytes(StandardCharsets.UTF_8);
        MessageBuffer message = new MessageBuffer(new UnsafeBuffer(new byte[4 << 20]), 0, 4 << 20);
        ExportOutcome outcome = new ExportOutcome();
        assertTrue(new JsonRequests().transcode(signal, new UnsafeBuffer(json), 0, json.length, message, outcome));
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
        byte[] read = new byte[message.length()];
        message.buffer().getBytes(message.offset(), read);
        return read;
    }

    @Test
    void shouldSendAllThatASidecarTakes() throws IOException {
        Path copy = directory.resolve("copy");
        Path settings = Files.writeString(directory.resolve("loom.yaml"), "store: {record_ring_mib: 8}\n");
        try (LoomServer sidecar = LoomServer.open(ServerSettings.read(
                        settings,
                        Map.of(),
                        Map.of(
                                "receivers.otlp.protocols.http.endpoint",
                                "localhost:0",
                                "store.directory",
                                copy.toString()))
                .onFailure(Throwable::printStackTrace)
                .build())) {
            int port = Endpoint.parse(String.valueOf(sidecar.addresses().get("otlp-http")))
                    .port();
            Cli.Result sent = export("--endpoint", "http://localhost:" + port + "/", "--compression", "gzip")
                    .ok();
            int records = LOGS + SPANS + 3;
            assertTrue(
                    sent.err()
                            .startsWith("loom: acknowledged: records=" + records + "\nloom: exported " + records
                                    + " records of 3 sources in "),
                    sent.err());
            assertTrue(sent.err().endsWith(" s to http://localhost:" + port + "/\n"), sent.err());
            assertEquals("", sent.out());
        }
        for (String source : List.of("otlp.logs", "otlp.spans", "otlp.metrics")) {
            assertEquals(fields(store, source), fields(copy, source));
        }
    }

    private static List<String> fields(Path of, String source) {
        return Cli.on(of).run("scan", source, "-o", "json").ok().lines().stream()
                .map(line -> line.substring(line.indexOf("\"fields\":")))
                .sorted()
                .toList();
    }

    @Test
    void shouldSayWhatIsAcknowledgedWhenItFailsAndGoOnFromThere() throws Exception {
        Map<Message, Integer> taken = new HashMap<>();
        String rest;
        try (FakeReceiver receiver =
                new FakeReceiver((number, out) -> FakeReceiver.answer(out, number == 1 ? "400 Bad" : "200 OK"))) {
            String err = export("--endpoint", receiver.url()).exit(5).err();
            Matcher text = Pattern.compile("loom: the receiver refuses the records: url=.*/v1/logs, status=400;"
                            + " acknowledged: records=8192; the rest: --source 'otlp.logs' --from (\\d+), then"
                            + " --source 'otlp.spans' --source 'otlp.metrics'\n")
                    .matcher(err);
            assertTrue(text.matches(), err);
            rest = text.group(1);
            count(ExportLogsServiceRequest.parseFrom(receiver.requests().get(0).body), taken);
        }
        assertEquals(8192, taken.values().stream().mapToInt(count -> count).sum());
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK"))) {
            export("--endpoint", receiver.url(), "--source", "otlp.logs", "--from", rest)
                    .ok();
            for (FakeReceiver.Request request : receiver.requests()) {
                count(ExportLogsServiceRequest.parseFrom(request.body), taken);
            }
        }
        // records of one time are sent again
        assertEquals(logs.keySet(), taken.keySet());
    }

    /** Another source may have its name. */
    @Test
    void shouldNameAClosedSourceByItsId() throws Exception {
        cli.run("source", "close", "otlp.logs").ok();
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "400 Bad"))) {
            String err = export("--endpoint", receiver.url()).exit(5).err();
            assertTrue(
                    err.matches("(?s).*; the rest: --source '#\\d+' --from \\d+, then --source 'otlp\\.spans'.*"), err);
        }
    }

    @Test
    void shouldSayWhatIsAcknowledgedWhenInterrupted() throws Exception {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = cli.console(new ByteArrayOutputStream(), err);
        CountDownLatch over = new CountDownLatch(1);
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> {
            if (number == 1) {
                console.interruption().request();
                over.await();
            }
            FakeReceiver.answer(out, "200 OK");
        })) {
            assertEquals(130, Main.run(console, "export", "--format", "otlp", "--endpoint", receiver.url()));
        } finally {
            over.countDown();
        }
        String said = err.toString(StandardCharsets.UTF_8);
        assertTrue(
                said.matches("loom: acknowledged: records=8192; the rest: --source 'otlp.logs' --from \\d+, then"
                        + " --source 'otlp.spans' --source 'otlp.metrics'\n"
                        + "loom: interrupted; the export is incomplete\n"),
                said);
    }

    @Test
    void shouldCountWhatIsRejected() throws Exception {
        byte[] partial = ExportTraceServiceResponse.newBuilder()
                .setPartialSuccess(ExportTracePartialSuccess.newBuilder()
                        .setRejectedSpans(7)
                        .setErrorMessage("too old"))
                .build()
                .toByteArray();
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK", partial))) {
            String err = export("--endpoint", receiver.url(), "--source", "otlp.spans")
                    .exit(4)
                    .err();
            assertTrue(
                    err.startsWith("loom: the receiver says: too old; rejected=7\nloom: acknowledged: records="
                            + (SPANS - 7) + ", rejected=7\nloom: exported " + (SPANS - 7) + " records of 1 source"),
                    err);
        }
    }

    @Test
    void shouldLeaveOutWhatIsNoRecord() throws InvalidProtocolBufferException {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            loom.push(loom.source("otlp.metrics").orElseThrow().id(), new byte[] {1, 2, 3});
        }
        Cli.Result exported = export("--source", "otlp.metrics").exit(4);
        assertTrue(
                exported.err()
                        .startsWith("loom: records that can't be read, or whose resource is lost, are left out:"
                                + " records=1\nloom: exported 3 records"),
                exported.err());
        assertEquals(
                metrics(),
                ExportMetricsServiceRequest.parseFrom(
                        protobuf(Signal.METRICS, exported.out().strip())));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        Map<String, List<String>> refused = new HashMap<>();
        refused.put(
                "a file of OTLP has either logs, spans or metrics; name the sources with --source: otlp.logs,"
                        + " otlp.spans, otlp.metrics",
                List.of());
        refused.put("otlp is for sources of OTLP records: source=words, format=text", List.of("--source", "words"));
        refused.put(
                "--endpoint is for --format otlp, without --output",
                List.of("--endpoint", "http://a", "--output", "b"));
        for (String url : List.of(
                "localhost:4318", "ftp://a", "http://", "http://u:p@a", "http://a?b", "http://a#b", "http:// a")) {
            refused.put(
                    "--endpoint is not of the form http://HOST:PORT or https://HOST:PORT: " + url,
                    List.of("--endpoint", url));
        }
        refused.put("--header is not of the form NAME=VALUE", List.of("--endpoint", "http://a", "--header", "secret"));
        refused.put("--header, --compression and --tls-... are for --endpoint", List.of("--header", "a=b"));
        refused.put(
                "a certificate needs its key: cert_file=a, key_file=null",
                List.of("--endpoint", "http://a", "--tls-cert", "a"));
        refused.forEach((message, arguments) -> assertEquals(
                "loom: " + message + "\n",
                export(arguments.toArray(String[]::new)).exit(2).err()));
        String header = export("--endpoint", "http://localhost:1", "--header", "Host=b")
                .exit(2)
                .err();
        assertTrue(header.startsWith("loom: --header: restricted header name"), header);
        assertTrue(export("--endpoint", "http://a", "--retry-for", "soon")
                .exit(2)
                .err()
                .startsWith("loom: --retry-for: "));
    }
}
