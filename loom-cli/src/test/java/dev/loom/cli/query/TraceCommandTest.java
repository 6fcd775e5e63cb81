package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.cli.Cli;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.server.text.JsonObject;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom trace} and {@code loom traces} over what came by OTLP. {@code -Dloom.test.seed=S} sets the seed. */
class TraceCommandTest {
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;
    private static final String[] SERVICES = {"cart", "checkout", "search"};
    private static final int SPANS = 1_500;
    private static final int TRACES = 120;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Cli cli = new Cli();
    private final List<TraceSender.Sent> spans = new ArrayList<>();
    private final List<TraceSender.Said> logs = new ArrayList<>();

    @BeforeEach
    void open() {
        System.out.println("TraceCommandTest: -Dloom.test.seed=" + seed);
        cli = Cli.onSmallStore(directory);
    }

    private void send(boolean indexed) {
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(1 << 18)
                .build())) {
            TraceSender sender = new TraceSender(new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults()));
            spans.forEach(sender::send);
            logs.forEach(sender::send);
        }
        if (indexed) {
            try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
                assertTrue(loom.finishTextIndex((done, total) -> true));
            }
        }
    }

    private static String trace(int number) {
        return String.format("%016x%016x", 0xabcL << 40 | number, number + 1L);
    }

    private void fill() {
        for (int i = 0; i < SPANS; i++) {
            int trace = random.nextInt(TRACES);
            long start = BEGIN_NS + i * 1_000_000L + random.nextInt(5_000_000);
            spans.add(new TraceSender.Sent(
                    trace(trace),
                    i + 1L,
                    random.nextInt(4) == 0 ? 0 : 1L + random.nextInt(SPANS),
                    SERVICES[random.nextInt(SERVICES.length)],
                    "GET /" + random.nextInt(5),
                    start,
                    start + random.nextInt(50_000_000),
                    random.nextInt(20) == 0,
                    "/r" + random.nextInt(9),
                    List.of()));
            if (random.nextInt(10) == 0) {
                spans.add(spans.get(random.nextInt(spans.size()))); // sent again
            }
            if (random.nextInt(3) == 0) {
                logs.add(new TraceSender.Said(trace(trace), random.nextInt(SPANS), start, "said " + i));
            }
        }
    }

    private List<String> found(String... options) {
        List<String> command = new ArrayList<>(List.of("traces", "-o", "json"));
        command.addAll(List.of(options));
        if (!command.contains("-n")) {
            command.addAll(List.of("-n", "1000"));
        }
        return cli.run(command.toArray(String[]::new)).ok().lines().stream()
                .map(line -> line.replaceAll(".*\"trace_id\":\"([0-9a-f]{32})\".*", "$1"))
                .toList();
    }

    private void requireFound(Predicate<TraceSender.Sent> which, String... options) {
        Set<String> expected =
                spans.stream().filter(which).map(TraceSender.Sent::trace).collect(Collectors.toSet());
        List<String> found = found(options);
        assertEquals(expected, new HashSet<>(found), () -> "seed=" + seed + ", options=" + Arrays.toString(options));
        assertEquals(expected.size(), found.size());
        // the newest first, whatever the limit
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-n", "5"));
        assertEquals(found.subList(0, Math.min(5, found.size())), found(all.toArray(String[]::new)));
        List<String> unindexed = new ArrayList<>(List.of(options));
        unindexed.addAll(List.of("--disable-index", "text,chunk"));
        assertEquals(found, found(unindexed.toArray(String[]::new)));
    }

    @Test
    void shouldFindTracesByTheSpansThatTheyHave() {
        fill();
        send(true);
        requireFound(span -> true);
        requireFound(span -> span.service().equals("cart"), "--service", "cart");
        requireFound(span -> span.error() && span.service().equals("search"), "--error", "--service", "search");
        requireFound(
                span -> span.name().equals("GET /3") && span.durationNs() >= 40_000_000,
                "--name",
                "GET /3",
                "--min-duration",
                "40ms");
        requireFound(
                span -> span.durationNs() >= 1_000_000 && span.durationNs() <= 1_500_000,
                "--min-duration",
                "1ms",
                "--max-duration",
                "1500us");
        requireFound(span -> span.route().equals("/r4") && span.error(), "--attribute", "http.route=/r4", "--error");
        requireFound(span -> span.service().equals("cart"), "--attribute", "service.name=cart");
        requireFound(span -> span.id() < 300, "--attribute", "number.low=true");
        requireFound(span -> span.id() == 77, "--attribute", "number=77");
        requireFound(span -> span.parent() == 0 && span.error(), "--where", "parent_span_id is null", "--error");
        assertEquals(List.of(), found("--service", "nobody"));
    }

    @Test
    void shouldDescribeATraceByAllItsSpans() {
        fill();
        send(true);
        Map<String, List<TraceSender.Sent>> traces =
                spans.stream().collect(Collectors.groupingBy(TraceSender.Sent::trace));
        List<String> lines =
                cli.run("traces", "-o", "json", "-n", "1000", "--error").ok().lines();
        for (String line : lines) {
            Map<String, @Nullable Object> row = JsonObject.parse(line.getBytes(StandardCharsets.UTF_8));
            List<TraceSender.Sent> sent = traces.get(String.valueOf(row.get("trace_id")));
            Set<TraceSender.Sent> distinct = new HashSet<>(sent);
            long start =
                    distinct.stream().mapToLong(TraceSender.Sent::startNs).min().orElseThrow();
            assertEquals(Long.toString(distinct.size()), row.get("spans"), line);
            assertEquals(
                    Long.toString(
                            distinct.stream().filter(TraceSender.Sent::error).count()),
                    row.get("errors"),
                    line);
            assertEquals(Long.toString(start), row.get("start"), line);
            assertEquals(
                    Long.toString(distinct.stream()
                                    .mapToLong(TraceSender.Sent::endNs)
                                    .max()
                                    .orElseThrow()
                            - start),
                    row.get("duration"),
                    line);
            assertEquals(
                    List.copyOf(new TreeSet<>(
                            distinct.stream().map(TraceSender.Sent::service).toList())),
                    row.get("services"),
                    line);
            boolean rooted = distinct.stream().anyMatch(span -> span.parent() == 0);
            TraceSender.Sent root = distinct.stream()
                    .filter(span -> !rooted || span.parent() == 0)
                    .min((a, b) -> Long.compare(a.startNs(), b.startNs()))
                    .orElseThrow();
            assertEquals(rooted, row.get("rooted"), line);
            assertEquals(root.name(), row.get("name"), line);
            assertEquals(root.service(), row.get("service"), line);
        }
        assertTrue(lines.size() > 10, "seed=" + seed);
    }

    @Test
    void shouldPrintASpanOrLogRecordAsItWasSent() throws Exception {
        fill();
        send(random.nextBoolean());
        for (int i = 0; i < 20; i++) {
            String id = spans.get(random.nextInt(spans.size())).trace();
            requireSent(id, cli.run("trace", id, "--json").ok().lines());
            requireSent(
                    id,
                    cli.run("trace", id.toUpperCase(Locale.ROOT), "-o", "json", "--disable-index", "text")
                            .ok()
                            .lines());
            List<String> rows =
                    cli.run("trace", id, "--rows", "-o", "json").ok().lines();
            Set<String> ids = new TreeSet<>();
            int records = 0;
            for (String line : rows) {
                Map<String, @Nullable Object> row = JsonObject.parse(line.getBytes(StandardCharsets.UTF_8));
                if ("span".equals(row.get("row"))) {
                    ids.add(String.valueOf(row.get("span_id")));
                } else if ("log".equals(row.get("row"))) {
                    records++;
                }
            }
            assertEquals(
                    spans.stream()
                            .filter(span -> span.trace().equals(id))
                            .map(span -> String.format("%016x", span.id()))
                            .collect(Collectors.toCollection(TreeSet::new)),
                    ids);
            assertEquals(logs.stream().filter(log -> log.trace().equals(id)).count(), records);
            assertEquals(
                    rows.size() + 1,
                    cli.run("trace", id, "-o", "csv").ok().lines().size());
            assertEquals(
                    rows.size() + 4,
                    cli.run("trace", id, "-o", "table").ok().lines().size());
        }
        List<String> five = found("-n", "5");
        List<Span> whole = new ArrayList<>();
        for (String line : cli.run("traces", "-n", "5", "--json").ok().lines()) {
            whole.addAll(spansOf(line));
        }
        assertEquals(spans.stream().filter(span -> five.contains(span.trace())).count(), whole.size(), "seed=" + seed);
    }

    private static List<Span> spansOf(String line) throws InvalidProtocolBufferException {
        return ExportTraceServiceRequest.parseFrom(read(Signal.TRACES, line)).getResourceSpansList().stream()
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .toList();
    }

    private void requireSent(String id, List<String> lines) throws InvalidProtocolBufferException {
        List<String> found = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("{\"resourceSpans\"")) {
                spansOf(line).forEach(span -> found.add(span.toString()));
            } else {
                ExportLogsServiceRequest.parseFrom(read(Signal.LOGS, line)).getResourceLogsList().stream()
                        .flatMap(resource -> resource.getScopeLogsList().stream())
                        .flatMap(scope -> scope.getLogRecordsList().stream())
                        .map(LogRecord::toString)
                        .forEach(found::add);
            }
        }
        List<String> expected = new ArrayList<>();
        spans.stream()
                .filter(span -> span.trace().equals(id))
                .forEach(span -> expected.add(TraceSender.message(span).toString()));
        logs.stream()
                .filter(log -> log.trace().equals(id))
                .forEach(log -> expected.add(TraceSender.message(log).toString()));
        assertEquals(
                expected.stream().sorted().toList(), found.stream().sorted().toList(), "seed=" + seed);
    }

    private static byte[] read(Signal signal, String line) {
        byte[] json = line.getBytes(StandardCharsets.UTF_8);
        MessageBuffer message = new MessageBuffer(new UnsafeBuffer(new byte[1 << 20]), 0, 1 << 20);
        ExportOutcome outcome = new ExportOutcome();
        assertTrue(new JsonRequests().transcode(signal, new UnsafeBuffer(json), 0, json.length, message, outcome));
        byte[] read = new byte[message.length()];
        message.buffer().getBytes(message.offset(), read);
        return read;
    }

    private static TraceSender.Sent span(
            long id, long parent, String service, String name, long startMs, long endMs, boolean error) {
        return new TraceSender.Sent(
                trace(0),
                id,
                parent,
                service,
                name,
                BEGIN_NS + startMs * 1_000_000,
                BEGIN_NS + endMs * 1_000_000,
                error,
                "/",
                id == 3 ? List.of(BEGIN_NS + 50_000_000) : List.of());
    }

    @Test
    void shouldDrawTheWaterfall() {
        spans.addAll(List.of(
                span(1, 0, "shop", "GET /cart", 0, 100, false),
                span(2, 1, "cart", "load", 10, 40, false),
                span(3, 1, "prices", "quote \u001b[31m all", 30, 80, true),
                span(4, 3, "prices", "SELECT", 20, 20, false),
                span(5, 99, "mail", "send", 90, 95, false)));
        spans.add(spans.get(1));
        logs.add(new TraceSender.Said(trace(0), 3, BEGIN_NS + 60_000_000, "no price\nfor 7"));
        logs.add(new TraceSender.Said(trace(0), 0, BEGIN_NS + 5_000_000, "accepted"));
        send(true);
        Cli.Result drawn = cli.run("trace", trace(0), "-o", "table").ok();
        assertEquals(WATERFALL, drawn.out());
        assertEquals("""
                loom: parents that were not found: 1; they are outside of the range, lost, or were never sent
                loom: spans that start before their parent: 1; clocks may differ
                """, drawn.err());
        for (String columns : List.of("1", "40", "59", "60", "80", "200")) {
            for (String line : Cli.on(directory)
                    .environment("COLUMNS", columns)
                    .run("trace", trace(0), "-o", "table")
                    .ok()
                    .lines()) {
                assertTrue(
                        line.startsWith("trace ")
                                || line.contains(" spans,")
                                || line.length() <= Math.max(40, Integer.parseInt(columns)),
                        columns + ": " + line);
            }
        }
        String ascii = Cli.on(directory)
                .environment("LC_ALL", "C")
                .run("trace", trace(0), "-o", "table")
                .ok()
                .out();
        assertTrue(ascii.chars().allMatch(c -> c < 0x7F && (c >= 0x20 || c == '\n')), ascii);
        String coloured = cli.run("trace", trace(0), "-o", "table", "--color", "always")
                .ok()
                .out();
        assertEquals(drawn.out(), coloured.replaceAll("\u001b\\[\\d+m", ""));
        assertTrue(coloured.contains("\u001b[31m  ! quote"), coloured);
    }

    private static final String WATERFALL = """
            trace 000abc00000000000000000000000001  2023-11-14T22:13:20.000000000Z
            100ms, 5 spans, 1 error, 4 services, 2 log records

            span                              service 0                    100ms  time  self
            GET /cart                         shop    ██████████████████████████ 100ms  30ms
              load [x2]                       cart      ████████                  30ms  30ms
              ! quote \\u001b[31m all: refused prices         ██████◆███████       50ms  50ms
                SELECT [early]                prices       ▏                       0ns   0ns
                • ERROR no price\\u000afor 7                          •           +60ms
            • ERROR accepted                           •                          +5ms
            (missing 0000000000000063)                                       ··
              send                            mail                           ██    5ms   5ms
            """;

    @Test
    void shouldSayWhatIsWrong() {
        fill();
        send(true);
        cli.run("trace", "5b8efff798038103")
                .exit(2)
                .says("not a trace id: 5b8efff798038103; digits=16, expected=32; a span id has that many");
        cli.run("trace", trace(0).replace('c', 'x')).exit(2);
        Cli.Result none = cli.run("trace", "5b8efff798038103d269b633813fc60c").ok();
        assertEquals("", none.out());
        assertEquals(
                "loom: no span and no log record of the trace in the range: trace=5b8efff798038103d269b633813fc60c\n",
                none.err());
        cli.run("traces", "--service", "nobody").ok().says("no such spans in the range");
        cli.run("trace", trace(0), "-o", "raw").exit(2);
        cli.run("trace", trace(0), "--source", "none").exit(2);
        cli.run("trace", trace(0), "--records-max", "0").exit(2).says("--records-max must be 1 to 1000000: 0");
        cli.run("trace", trace(0), "--records-max", "1000001").exit(2);
        cli.run("traces", "-n", "0").exit(2).says("--limit must be 1 to 1000: 0");
        cli.run("traces", "-n", "1001").exit(2);
        cli.run("traces", "--min-duration", "soon").exit(2);
        cli.run("traces", "--attribute", "=x").exit(2);
        assertTrue(cli.run("traces", "--where", "nosuch == 1").exit(2).err().contains("unknown field"));
        long records = spans.stream()
                        .filter(span -> span.trace().equals(trace(0)))
                        .count()
                + logs.stream().filter(log -> log.trace().equals(trace(0))).count();
        cli.run("trace", trace(0), "--rows", "--records-max", Long.toString(records))
                .ok();
        String err = cli.run("trace", trace(0), "--rows", "--records-max", Long.toString(records - 1))
                .exit(4)
                .err();
        assertTrue(
                err.startsWith("loom: too many spans and log records in a trace: found=" + records + ", max="
                        + (records - 1) + ", trace=" + trace(0)),
                err);
    }

    @Test
    void shouldTakeRecordsOfOtherFormats() {
        String id = "5b8efff798038103d269b633813fc60c";
        cli.importText(
                        "steps",
                        "csv",
                        "trace_id,span_id,parent_span_id,service,name,start,duration,status\n"
                                + id.toUpperCase(Locale.ROOT)
                                + ",00000000000000aa,,shop,whole," + BEGIN_NS + ",1000,\n" + id
                                + ",00000000000000ab,00000000000000aa,cart,part," + (BEGIN_NS + 100) + ",300,ERROR\n",
                        "--types",
                        "trace_id:utf8,span_id:utf8,parent_span_id:utf8,service:utf8,name:utf8,start:i64,duration:i64,"
                                + "status:utf8")
                .ok();
        cli.importText(
                        "app",
                        "jsonl",
                        "{\"trace_id\":\"" + id
                                + "\",\"span_id\":\"00000000000000ab\",\"level\":\"warn\",\"message\":\"slow\"}\n"
                                + "{\"trace_id\":\"" + id + "\",\"span_id\":\"00000000000000ac\",\"parent_span_id\":"
                                + "\"00000000000000ab\",\"name\":\"inner\",\"start\":" + (BEGIN_NS + 150)
                                + ",\"end\":" + (BEGIN_NS + 250) + ",\"service\":{\"name\":\"db\"}}\n"
                                + "{\"trace_id\":7,\"message\":\"other\"}\n")
                .ok();
        List<String> rows = cli.run("trace", id, "--rows", "-o", "csv").ok().lines();
        assertEquals(5, rows.size(), rows.toString());
        assertTrue(rows.get(1).startsWith("span,0,00000000000000aa,,shop,whole,"), rows.get(1));
        assertTrue(rows.get(1).contains(",1000,700,false,"), rows.get(1));
        assertTrue(rows.get(2).contains(",300,200,true,"), rows.get(2));
        assertTrue(rows.get(3).startsWith("span,2,00000000000000ac,00000000000000ab,db,inner,"), rows.get(3));
        assertTrue(rows.get(4).startsWith("log,2,00000000000000ab,"), rows.get(4));
        assertTrue(rows.get(4).contains(",warn,slow,app,"), rows.get(4));
        String found = cli.run("traces", "--error", "--service", "cart", "-o", "json")
                .ok()
                .out();
        assertTrue(found.contains("\"trace_id\":\"" + id + "\"") && found.contains("\"spans\":2,\"errors\":1"), found);
        String both = cli.run("traces", "--source", "app", "--source", "steps", "-o", "json")
                .ok()
                .out();
        assertTrue(both.contains("\"spans\":3,"), both);
        cli.run("trace", id, "--time", "event").exit(2).says("--time: source has no event time: steps");
        cli.importText(
                        "timed",
                        "jsonl",
                        "{\"trace_id\":\"" + id + "\",\"message\":\"late\",\"at\":" + BEGIN_NS + "}\n",
                        "--event-time",
                        "at")
                .ok();
        Cli.Result timed =
                cli.run("trace", id, "--time", "event", "--rows", "-o", "json").ok();
        assertEquals(1, timed.lines().size(), timed.out());
        assertTrue(
                timed.err().contains("loom: steps is left out, --time: source has no event time: steps"), timed.err());
        assertTrue(timed.out().contains("\"time\":" + BEGIN_NS + ","), timed.out());
        String json = cli.run("trace", id, "--json").ok().out();
        assertTrue(json.contains("\"spans\":[{\"traceId\":\"" + id + "\",\"spanId\":\"00000000000000a"), json);
        assertEquals(4, json.lines().count());
    }

    @Test
    void shouldDrawAnyDepthAndAnyNumberOfChildren() {
        int depth = 10_000;
        StringBuilder json = new StringBuilder();
        for (int i = 1; i <= depth; i++) {
            String parent = i == 1 ? "" : String.format(",\"parent_span_id\":\"%016x\"", i - 1);
            // the deepest has as many children
            for (int id : new int[] {i, depth + i}) {
                json.append(String.format(
                        "{\"trace_id\":\"%s\",\"span_id\":\"%016x\"%s,\"name\":\"n%d\",\"start\":%d,\"end\":%d}\n",
                        trace(0),
                        id,
                        id == i ? parent : String.format(",\"parent_span_id\":\"%016x\"", depth),
                        id,
                        BEGIN_NS + i,
                        BEGIN_NS + 2L * depth));
            }
        }
        cli.importText("deep", "jsonl", json.toString()).ok();
        List<String> lines = cli.run("trace", trace(0), "-o", "table").ok().lines();
        assertEquals(2 * depth + 4, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80));
        assertTrue(lines.get(4).startsWith("n1 "), lines.get(4));
        assertTrue(lines.get(depth + 3).startsWith("+" + (depth - 1) + " n" + depth + " "), lines.get(depth + 3));
        assertTrue(lines.get(depth + 4).startsWith("+" + depth + " n"), lines.get(depth + 4));
        String last =
                cli.run("trace", trace(0), "--rows", "-o", "csv").ok().lines().get(2 * depth);
        assertTrue(last.startsWith("span," + depth + ","), last);
    }
}
