package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.text.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The query API and the commands answer alike. */
final class ApiAnswersTest {
    @TempDir
    Path directory;

    private static final byte[] CONTINUATION = {-1, -1, -1, -1};

    private LoomServer sidecar;

    @BeforeEach
    void start() throws IOException {
        StringBuilder rows = new StringBuilder("op,latency_ns\n");
        for (int i = 1; i <= 1_000; i++) {
            rows.append(i % 2 == 0 ? "GET," : "SET,").append(i * 1_000).append('\n');
        }
        Cli.on(directory).importText("requests", "csv", rows.toString()).ok();
        Cli.on(directory).run("index", "add", "requests", "latency_ns").ok();
        sidecar = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(directory).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
    }

    @AfterEach
    void close() throws IOException {
        sidecar.close();
    }

    private List<String> answer(String command, String body) throws Exception {
        return new String(answer(command, body, "*/*"), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    private byte[] answer(String command, String body, String accept) throws Exception {
        URI uri = URI.create("http://" + sidecar.addresses().get("http") + "/v1/" + command);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .header("Accept", accept)
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofByteArray())
                .body();
    }

    private void requireSameAsCommand(String command, String body, String... arguments) throws Exception {
        List<String> lines = answer(command, body);
        assertEquals(Cli.on(directory).run(arguments).ok().lines(), lines.subList(0, lines.size() - 1));
        Map<?, ?> end = (Map<?, ?>) JsonObject.parse(lines.get(lines.size() - 1).getBytes(StandardCharsets.UTF_8))
                .get("end");
        assertEquals(true, end.get("complete"));
        assertEquals("0", end.get("lost"));
        assertTrue(end.get("stats") instanceof Map<?, ?> stats && stats.containsKey("pages_read"));
        if (!List.of(arguments).contains("--json")) {
            requireSameInColumns(command, body, arguments);
        }
    }

    private void requireSameInColumns(String command, String body, String... arguments) throws Exception {
        assertEquals(
                Cli.on(directory).run(with("csv", arguments)).ok().out(),
                new String(answer(command, body, "text/csv"), StandardCharsets.UTF_8));
        byte[] arrow = Cli.on(directory).bytes(with("arrow", arguments));
        assertArrayEquals(
                withoutOutcome(arrow),
                withoutOutcome(answer(command, body, "application/vnd.apache.arrow.stream")),
                command);
    }

    private static String[] with(String form, String... arguments) {
        return Stream.concat(Stream.of(arguments), Stream.of("-o", form)).toArray(String[]::new);
    }

    /** A stream of Arrow without its last batch, which tells times, too. */
    private static byte[] withoutOutcome(byte[] stream) {
        byte[] key = "loom.complete".getBytes(StandardCharsets.UTF_8);
        int outcome = stream.length - key.length;
        while (!Arrays.equals(stream, outcome, outcome + key.length, key, 0, key.length)) {
            outcome--;
        }
        int message = outcome;
        for (int i = 0; i < outcome; i += Long.BYTES) {
            message = Arrays.equals(stream, i, i + 4, CONTINUATION, 0, 4) ? i : message;
        }
        return Arrays.copyOf(stream, message);
    }

    @Test
    void shouldAnswerAsTheCommandsDo() throws Exception {
        requireSameAsCommand(
                "scan",
                "{\"source\":\"requests\",\"where\":[\"latency_ns > 10us\",\"op == \\\"GET\\\"\"],\"limit\":7,\"asc\":true}",
                "scan",
                "requests",
                "--where",
                "latency_ns > 10us",
                "--where",
                "op == \"GET\"",
                "--limit",
                "7",
                "--asc");
        requireSameAsCommand(
                "agg",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"percentile\":[50,\"99.9\"]}",
                "agg",
                "requests",
                "latency_ns",
                "--percentile",
                "50",
                "--percentile",
                "99.9");
        requireSameAsCommand(
                "hist", "{\"source\":\"requests\",\"field\":\"latency_ns\"}", "hist", "requests", "latency_ns");
        requireSameAsCommand(
                "hist",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"by\":[\"time\",\"value\"]}",
                "hist",
                "requests",
                "latency_ns",
                "--by",
                "time,value");
        requireSameAsCommand(
                "agg",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"by\":\"op\",\"distinct\":\"latency_ns\"}",
                "agg",
                "requests",
                "latency_ns",
                "--by",
                "op",
                "--distinct",
                "latency_ns");
        requireSameAsCommand("values", "{\"source\":\"requests\",\"field\":\"op\"}", "values", "requests", "op");
        requireSameAsCommand(
                "diff",
                "{\"source\":\"requests\",\"where\":\"latency_ns > 900us\"}",
                "diff",
                "requests",
                "--where",
                "latency_ns > 900us");
        requireSameAsCommand(
                "scan",
                "{\"source\":\"requests\",\"where\":\"latency_ns < 0\",\"fields\":[\"latency_ns\"]}",
                "scan",
                "requests",
                "--where",
                "latency_ns < 0",
                "--fields",
                "latency_ns");
        requireSameAsCommand(
                "top",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"n\":3}",
                "top",
                "requests",
                "latency_ns",
                "-n",
                "3");
        requireSameAsCommand(
                "search",
                "{\"source\":\"requests\",\"query\":\"GET OR set*\",\"field\":\"op\",\"limit\":4}",
                "search",
                "requests",
                "GET OR set*",
                "--field",
                "op",
                "--limit",
                "4");
        requireSameAsCommand("tail", "{\"source\":\"requests\",\"lines\":2}", "tail", "requests", "-n", "2");
        requireSameAsCommand(
                "tail",
                "{\"source\":\"requests\",\"query\":\"set\",\"field\":\"op\",\"lines\":3}",
                "tail",
                "requests",
                "set",
                "--field",
                "op",
                "-n",
                "3");
        requireSameAsCommand(
                "correlate",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"above\":\"p99.9\",\"with\":\"requests\",\"within\":\"1ms\"}",
                "correlate",
                "requests",
                "latency_ns",
                "--above",
                "p99.9",
                "--with",
                "requests",
                "--within",
                "1ms");
        requireSameAsCommand(
                "correlate",
                "{\"source\":\"requests\",\"field\":\"latency_ns\",\"above\":\"p99.9\",\"with\":\"requests\",\"within\":\"1ms\","
                        + "\"with-where\":[\"op == 'SET'\",\"latency_ns > 80us\"]}",
                "correlate",
                "requests",
                "latency_ns",
                "--above",
                "p99.9",
                "--with",
                "requests",
                "--within",
                "1ms",
                "--with-where",
                "op == 'SET'",
                "--with-where",
                "latency_ns > 80us");
    }

    @Test
    void shouldAnswerAboutTracesAsTheCommandsDo() throws Exception {
        sidecar.close();
        String samples = "src/test/resources/trace/";
        Cli.on(directory)
                .run("import", "--source", "shop", "--format", "csv", "--event-time", "end", samples + "spans.csv")
                .ok();
        Cli.on(directory)
                .run("import", "--source", "app", "--format", "jsonl", "--event-time", "time", samples + "logs.jsonl")
                .ok();
        sidecar = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(directory).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
        String id = "5b8efff798038103d269b633813fc60c";
        requireSameAsCommand("trace", "{\"trace_id\":\"" + id + "\"}", "trace", id, "--json");
        requireSameAsCommand("trace", "{\"trace_id\":\"" + id + "\",\"rows\":true}", "trace", id, "--rows");
        requireSameAsCommand(
                "trace",
                "{\"trace_id\":\"" + id + "\",\"rows\":true,\"no-logs\":true,\"source\":[\"shop\"]}",
                "trace",
                id,
                "--rows",
                "--no-logs",
                "--source",
                "shop");
        requireSameAsCommand(
                "traces",
                "{\"service\":\"cart\",\"max-duration\":\"1s\",\"time\":\"event\",\"n\":1}",
                "traces",
                "--service",
                "cart",
                "--max-duration",
                "1s",
                "--time",
                "event",
                "-n",
                "1");
        requireSameAsCommand(
                "traces",
                "{\"name\":\"GET /\",\"attribute\":\"http.route=/\",\"where\":\"kind == 'server'\",\"json\":true}",
                "traces",
                "--name",
                "GET /",
                "--attribute",
                "http.route=/",
                "--where",
                "kind == 'server'",
                "--json");
        assertEquals(
                "{\"error\":{\"code\":\"bad_request\",\"message\":\"limit must be 1 to 1000: 0\"}}",
                answer("traces", "{\"limit\":0}").get(0));
        assertTrue(answer("trace", "{}").get(0).contains("Missing required parameter: trace_id"));
        assertTrue(answer("traces", "{\"trace_id\":1}").get(0).contains("unknown member: trace_id"));
        assertTrue(answer("traces", "{\"source\":\"none\"}").get(0).contains("\"code\":\"not_found\""));
    }
}
