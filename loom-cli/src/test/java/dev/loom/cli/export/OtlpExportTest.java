package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.format.Formats;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
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
import java.util.ArrayList;
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
import picocli.CommandLine;

/** {@code loom export --format otlp}: to files, to receivers that fail, to a sidecar. */
class OtlpExportTest {
    private static final int LOGS = 2 * OtlpForm.REQUEST_RECORDS + 100;
    private static final int SPANS = 500;
    private static final int PER_REQUEST = 100;
    private static final String SPANS_BEGIN = "2023-11-14T22:13:20.000000000Z";

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
    void shouldPreferATypedOutputToTheVariableOfAnEndpoint() {
        cli.environment("LOOM_ENDPOINT", "http://127.0.0.1:1").environment("LOOM_RETRY_FOR", "1ms");
        assertTrue(export("--source", "otlp.spans", "--output", "-").ok().out().contains("resourceSpans"));
        export("--source", "otlp.spans").exit(5);
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
        List<List<String>> rest;
        try (FakeReceiver receiver =
                new FakeReceiver((number, out) -> FakeReceiver.answer(out, number == 1 ? "400 Bad" : "200 OK"))) {
            String url = receiver.url();
            String err = export("--endpoint", url).exit(5).err();
            Matcher text = Pattern.compile("loom: the receiver refuses the records: url=.*/v1/logs, status=400;"
                            + " acknowledged: records=8192; the rest: (loom export --format otlp --endpoint " + url
                            + " --source otlp\\.logs --from \\S+Z; loom export --format otlp --endpoint " + url
                            + " --source otlp\\.spans --source otlp\\.metrics)\n")
                    .matcher(err);
            assertTrue(text.matches(), err);
            rest = commands(text.group(1));
            count(ExportLogsServiceRequest.parseFrom(receiver.requests().get(0).body), taken);
        }
        assertEquals(8192, taken.values().stream().mapToInt(count -> count).sum());
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK"))) {
            for (List<String> command : rest) {
                List<String> elsewhere = new ArrayList<>(command);
                elsewhere.set(elsewhere.indexOf("--endpoint") + 1, receiver.url());
                cli.run(elsewhere.toArray(String[]::new)).ok();
            }
            for (FakeReceiver.Request request : receiver.requests().subList(0, 2)) {
                count(ExportLogsServiceRequest.parseFrom(request.body), taken);
            }
            assertEquals(
                    spans(),
                    ExportTraceServiceRequest.parseFrom(receiver.requests().get(2).body));
            assertEquals(
                    metrics(),
                    ExportMetricsServiceRequest.parseFrom(receiver.requests().get(3).body));
            assertEquals(4, receiver.requests().size());
        }
        // records of one time are sent again
        assertEquals(logs.keySet(), taken.keySet());
    }

    /** The words of each command, as a shell cuts them; without its name. */
    private static List<List<String>> commands(String line) throws Exception {
        String script = "loom() { printf '%s\\0' \"$@\" ''; }; " + line;
        Process shell = new ProcessBuilder("sh", "-c", script)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String words = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, shell.waitFor());
        // no word is empty
        return Stream.of(words.split("\0\0"))
                .map(command -> List.of(command.split("\0")))
                .toList();
    }

    /** What the command that is printed asks for, of an export that ends at once. */
    private List<List<String>> rest(String... options) throws Exception {
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "400 Bad"))) {
            String[] all = Stream.concat(Stream.of("--endpoint", receiver.url()), Stream.of(options))
                    .toArray(String[]::new);
            String err = export(all).exit(5).err().strip();
            return commands(err.substring(err.indexOf("; the rest: ") + "; the rest: ".length()));
        }
    }

    /** The value may be a secret. */
    @Test
    void shouldNotPrintAHeaderThatCanNotBeSent() {
        for (String value : List.of("Bearer abc\ndef", "Bearer abc\u20acdef")) {
            Cli.Result result = cli.run(
                            "export",
                            "--format",
                            "otlp",
                            "--endpoint",
                            "http://127.0.0.1:1",
                            "--header",
                            "authorization=" + value)
                    .exit(2);
            assertEquals("loom: --header: the value can't be sent: name=authorization\n", result.err());
        }
        assertEquals(
                "loom: --header: the name can't be sent; a header is of the form NAME=VALUE\n",
                cli.run(
                                "export",
                                "--format",
                                "otlp",
                                "--endpoint",
                                "http://127.0.0.1:1",
                                "--header",
                                "Authorization: Basic dXNlcjpwYXNz=")
                        .exit(2)
                        .err());
    }

    @Test
    void shouldGoOnWithAllThatWasAskedFor() throws Exception {
        String file =
                directory.resolve("the user's CA; $(touch x) `y` \"z\" \\").toString();
        List<List<String>> rest = rest(
                "--time",
                "event",
                "--since",
                "87600h",
                "--to=now+1h",
                "--compression",
                "gzip",
                "--retry-for",
                "3s",
                "--header",
                "authorization=Bearer secret=1",
                "--header=x-scope=a",
                "--source",
                "otlp.spans",
                "--source",
                "otlp.metrics",
                "--tz",
                "Europe/Berlin",
                "--tls-ca",
                file);
        assertEquals(2, rest.size());
        String options = "export --format otlp --time event --to 2026-11-21T03:46:40.000000000Z --compression gzip"
                + " --retry-for 3s --header authorization --header x-scope --tz Europe/Berlin --tls-ca ";
        assertEquals(sorted(options + "--source otlp.spans --from " + SPANS_BEGIN, file), sorted(without(rest.get(0))));
        assertEquals(
                sorted(options + "--source otlp.metrics --from 2016-11-23T02:46:40.000000000Z", file),
                sorted(without(rest.get(1))));
        // refused until the values are filled in
        assertEquals(
                "loom: --header is not of the form NAME=VALUE\n",
                cli.run(rest.get(0).toArray(String[]::new)).exit(2).err());
    }

    @Test
    void shouldGoOnWithinTheRangeOfArrivals() throws Exception {
        List<List<String>> rest = rest("--from", "2001-01-01", "--to", "2100-01-01", "--tz", "+01:00");
        List<String> first = without(rest.get(0));
        String begin = first.get(first.indexOf("--from") + 1);
        assertEquals(arrivals("otlp.logs").get(0), begin);
        String options = "export --format otlp --tz +01:00 --to 2099-12-31T23:00:00.000000000Z ";
        assertEquals(sorted(options + "--source otlp.logs --from " + begin), sorted(first));
        assertEquals(
                sorted(options + "--source otlp.spans --source otlp.metrics --from 2000-12-31T23:00:00.000000000Z"),
                sorted(without(rest.get(1))));
    }

    private List<String> arrivals(String source) {
        return cli.run("scan", source, "--asc", "-o", "json").ok().lines().stream()
                .map(line -> line.substring("{\"time\":\"".length(), line.indexOf("\",\"ts\"")))
                .toList();
    }

    private static List<String> without(List<String> command) {
        List<String> left = new ArrayList<>(command);
        int at = left.indexOf("--endpoint");
        left.subList(at, at + 2).clear();
        return left;
    }

    private static List<String> sorted(String words, String... more) {
        return sorted(
                Stream.concat(Stream.of(words.split(" ")), Stream.of(more)).toList());
    }

    private static List<String> sorted(List<String> words) {
        return words.stream().sorted().toList();
    }

    @Test
    void shouldNotNameAnEndThatWasNotAskedFor() throws Exception {
        List<List<String>> rest = rest("--source", "otlp.logs");
        assertEquals(1, rest.size());
        assertEquals(
                List.of("export", "--format", "otlp", "--source", "otlp.logs", "--from"),
                without(rest.get(0)).subList(0, 6));
        assertEquals(7, without(rest.get(0)).size());
    }

    @Test
    void shouldNameTheSourceWithAQuote() throws Exception {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            loom.defineSource("it's", loom.source("otlp.spans").orElseThrow().format());
        }
        List<List<String>> rest = rest("--source", "otlp.spans", "--source", "it's");
        assertEquals("it's", rest.get(1).get(rest.get(1).indexOf("--source") + 1));
    }

    /** Another source may have its name. */
    @Test
    void shouldNameAClosedSourceByItsId() throws Exception {
        int id;
        try (LoomReader reader = LoomReader.attach(store)) {
            id = reader.source("otlp.logs").orElseThrow().id();
        }
        cli.run("source", "close", "otlp.logs").ok();
        List<List<String>> rest = rest();
        assertEquals("#" + id, rest.get(0).get(rest.get(0).indexOf("--source") + 1));
        assertTrue(rest.get(1).contains("otlp.spans"), rest::toString);
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
                said.matches("loom: acknowledged: records=8192; the rest: loom export --format otlp --endpoint \\S+"
                        + " --source otlp.logs --from \\S+Z; loom export --format otlp --endpoint \\S+"
                        + " --source otlp.spans --source otlp.metrics\n"
                        + "loom: interrupted; the export is incomplete\n"),
                said);
    }

    /** Between two requests: of the first, which is acknowledged, at most what has the time of its last record is sent again. */
    @Test
    void shouldGoOnBehindWhatIsAcknowledgedWhenInterrupted() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = cli.console(new ByteArrayOutputStream(), err);
        OtlpSink sink = new OtlpSink() {
            @Override
            public boolean deliver(Signal signal, byte[] request) {
                console.interruption().request();
                return true;
            }

            @Override
            public boolean hasOneSignal() {
                return false;
            }
        };
        RestCommands rest = new RestCommands(
                new CommandLine(new ExportCommand(console)).parseArgs("--endpoint", "http://a"), TimeRange.ALL);
        OtlpForm form = new OtlpForm(console, sink, rest);
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot();
                Progress progress = new Progress(console, "records exported")) {
            form.begin(List.of(snapshot.source("otlp.logs").orElseThrow()));
            new ExportedRecords(console, form, progress, 1)
                    .write(
                            snapshot,
                            new RequestBuilder(
                                            reader,
                                            snapshot,
                                            RequestTimes.ALL,
                                            Cli.NOW_NS,
                                            QueryLimits.NONE,
                                            console::say)
                                    .scan("otlp.logs", List.of(), true, Long.MAX_VALUE));
            form.finish();
        }
        assertEquals(
                "loom: acknowledged: records=8192; the rest: loom export --endpoint http://a --source otlp.logs --from "
                        + arrivals("otlp.logs").get(OtlpForm.REQUEST_RECORDS - 1) + "\n",
                err.toString(StandardCharsets.UTF_8));
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
        refused.put(
                "a certificate needs its key: cert_file=a, key_file=null",
                List.of("--endpoint", "http://a", "--tls-cert", "a"));
        refused.put(
                "can't read the certificate: file=absent.pem, reason=no such file",
                List.of("--endpoint", "https://a", "--tls-ca", "absent.pem"));
        refused.forEach((message, arguments) -> assertEquals(
                "loom: " + message + "\n",
                export(arguments.toArray(String[]::new)).exit(2).err()));
        for (String option : List.of("--header=a=b", "--compression=gzip", "--retry-for=1m", "--tls-ca=a")) {
            export(option).exit(2).says("--header, --compression, --retry-for and --tls-... are for --endpoint");
        }
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
