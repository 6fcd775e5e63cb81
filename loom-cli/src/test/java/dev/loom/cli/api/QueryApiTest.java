package dev.loom.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomReader;
import dev.loom.cli.Cli;
import dev.loom.cli.text.JsonObject;
import dev.loom.query.model.QueryMemory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class QueryApiTest {
    @TempDir
    Path directory;

    @BeforeEach
    void fill() {
        StringBuilder rows = new StringBuilder("op,latency_ns\n");
        for (int i = 1; i <= 1_000; i++) {
            rows.append(i % 2 == 0 ? "GET," : "SET,").append(i * 1_000).append('\n');
        }
        Cli.on(directory).importText("requests", "csv", rows.toString()).ok();
        Cli.on(directory).run("index", "add", "requests", "latency_ns").ok();
    }

    private List<String> answer(String command, String body) {
        return answer(command, body, Duration.ofMinutes(1));
    }

    private List<String> answer(String command, String body, Duration timeMax) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new QueryApi(directory, () -> LoomReader.attach(directory), timeMax, QueryMemory.UNLIMITED)
                .new Run(command, body.getBytes(StandardCharsets.UTF_8), out)
                .run();
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private void requireSameAsCommand(String command, String body, String... arguments) {
        List<String> lines = answer(command, body);
        assertEquals(Cli.on(directory).run(arguments).ok().lines(), lines.subList(0, lines.size() - 1));
        Map<?, ?> end = (Map<?, ?>) JsonObject.parse(lines.get(lines.size() - 1).getBytes(StandardCharsets.UTF_8))
                .get("end");
        assertEquals(true, end.get("complete"));
        assertEquals("0", end.get("lost"));
        assertTrue(end.get("stats") instanceof Map<?, ?> stats && stats.containsKey("pages_read"));
    }

    @Test
    void shouldAnswerAsTheCommandsDo() {
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
    }

    private void requireFailure(int status, String message, String command, String body) {
        ApiFailure failure = assertThrows(ApiFailure.class, () -> answer(command, body));
        assertEquals(status, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure.getMessage());
    }

    @Test
    void shouldTellWhatIsWrongWithARequest() {
        requireFailure(400, "not JSON", "scan", "{");
        requireFailure(400, "not a JSON object", "scan", "[]");
        requireFailure(400, "Missing required parameter", "scan", "{}");
        requireFailure(404, "no such source: none", "scan", "{\"source\":\"none\"}");
        requireFailure(404, "unknown query: verify", "verify", "{}");
        requireFailure(400, "unknown member: dir", "scan", "{\"source\":\"requests\",\"dir\":\"/\"}");
        requireFailure(400, "unknown member: output", "scan", "{\"source\":\"requests\",\"output\":\"raw\"}");
        requireFailure(400, "unknown member: nonsense", "scan", "{\"source\":\"requests\",\"nonsense\":1}");
        requireFailure(400, "limit", "scan", "{\"source\":\"requests\",\"limit\":\"many\"}");
        requireFailure(400, "limit", "scan", "{\"source\":\"requests\",\"limit\":true}");
        requireFailure(400, "asc", "scan", "{\"source\":\"requests\",\"asc\":\"yes\"}");
        requireFailure(400, "where", "scan", "{\"source\":\"requests\",\"where\":{\"a\":1}}");
        requireFailure(400, "latency_ns >", "scan", "{\"source\":\"requests\",\"where\":\"latency_ns >\"}");
        requireFailure(
                400, "expected ) to close", "search", "{\"source\":\"requests\",\"query\":\"(a\",\"field\":\"op\"}");
        requireFailure(400, "timeout", "scan", "{\"source\":\"requests\",\"timeout\":\"soon\"}");
        requireFailure(404, "no such source: --help", "scan", "{\"source\":\"--help\"}");
    }

    @Test
    void shouldSayThatTimeIsOverWhenNothingWasFoundUntilThen() {
        ApiFailure failure =
                assertThrows(ApiFailure.class, () -> answer("scan", "{\"source\":\"requests\"}", Duration.ofNanos(1)));
        assertEquals(504, failure.status());
    }

    @Test
    void shouldSayThatTheAnswerIsIncompleteWhenABudgetEndsIt() {
        List<String> lines = answer("agg", "{\"source\":\"requests\",\"field\":\"latency_ns\",\"max-bytes-read\":1}");
        assertTrue(lines.get(lines.size() - 1).startsWith("{\"end\":{\"complete\":false"), lines.toString());
    }

    private void requireRefused(int status, QueryMemory memory, String command, String body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        QueryApi.Run run = new QueryApi(directory, () -> LoomReader.attach(directory), Duration.ofMinutes(1), memory)
        .new Run(command, body.getBytes(StandardCharsets.UTF_8), out);
        ApiFailure failure = assertThrows(ApiFailure.class, run::run);
        assertEquals(status, failure.status(), failure.getMessage());
        assertTrue(
                failure.getMessage().matches("query memory is exhausted: needed=\\d+, left=\\d+, max=\\d+"),
                failure.getMessage());
    }

    @Test
    void shouldRefuseWhatNeedsMoreMemoryThanThereIs() {
        QueryMemory memory = new QueryMemory(4 << 20);
        requireRefused(413, new QueryMemory(1 << 20), "scan", "{\"source\":\"requests\"}");
        memory.reserve(3 << 20);
        requireRefused(429, memory, "scan", "{\"source\":\"requests\"}");
        memory.release(3 << 20);
        assertEquals(0, memory.reserved());
    }

    @Test
    void shouldAnswerInTheMemoryThereIsAndGiveItBack() {
        QueryMemory memory = new QueryMemory(4 << 20);
        for (String command : List.of("scan", "tail", "sources", "agg", "hist", "top")) {
            boolean field = List.of("agg", "hist", "top").contains(command);
            String body = command.equals("sources")
                    ? "{}"
                    : "{\"source\":\"requests\"" + (field ? ",\"field\":\"latency_ns\"}" : "}");
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new QueryApi(directory, () -> LoomReader.attach(directory), Duration.ofMinutes(1), memory)
                    .new Run(command, body.getBytes(StandardCharsets.UTF_8), out)
                    .run();
            assertEquals(
                    answer(command, body).size(),
                    out.toString(StandardCharsets.UTF_8).lines().count(),
                    command);
            assertEquals(0, memory.reserved(), command);
        }
    }
}
