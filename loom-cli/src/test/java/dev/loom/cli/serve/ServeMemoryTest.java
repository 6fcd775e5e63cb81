package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.LoomProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar of a small heap, and queries that could have all of it. */
final class ServeMemoryTest {
    private static final int RECORDS = 80_000;

    @TempDir
    Path temp;

    private final HttpClient http = HttpClient.newHttpClient();

    private static String await(LoomProcess process, String name) throws Exception {
        Pattern line = Pattern.compile("listening: " + name + " (\\S+)");
        while (true) {
            String err = process.errSoFar();
            Matcher found = line.matcher(err);
            if (err.contains("serving ") && found.find()) {
                return found.group(1);
            }
            assertTrue(process.alive(), err);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private CompletableFuture<HttpResponse<String>> ask(String address, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.sendAsync(request, BodyHandlers.ofString());
    }

    @Test
    void shouldGoOnTakingRecordsWhateverQueriesWant() throws Exception {
        Path store = temp.resolve("store");
        Path config = Files.writeString(temp.resolve("loom.yaml"), "store: {record_ring_mib: 8}\n");
        StringBuilder rows = new StringBuilder("ts_ns,text\n");
        for (int i = 0; i < RECORDS; i++) {
            rows.append(1_700_000_000_000_000_000L + i * 1000L)
                    .append(",x")
                    .append("y".repeat(100))
                    .append('\n');
        }
        Cli.on(store)
                .importText("events", "csv", rows.toString(), "--event-time", "ts_ns")
                .ok();
        List<String> options = List.of("-Xmx64m");
        try (LoomProcess process = LoomProcess.start(
                options,
                store,
                "serve",
                "--config",
                config.toString(),
                "--http",
                "127.0.0.1:0",
                "--ingest",
                "127.0.0.1:0")) {
            String api = await(process, "http");
            String ingest = await(process, "ingest");
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(ask(api, "/v1/scan", "{\"source\":\"events\",\"time\":\"event\",\"limit\":100000}"));
                answers.add(
                        ask(
                                api,
                                "/v1/hist",
                                "{\"source\":\"events\",\"field\":\"ts_ns\",\"by\":\"time\",\"time\":\"event\",\"step\":\"250ns\"}"));
            }
            Cli.on(temp.resolve("none"))
                    .environment("LOOM_TO_SIDECAR", ingest)
                    .importText("lines", "lines", "a\n".repeat(1000))
                    .ok();
            int whole = 0;
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                HttpResponse<String> response = answer.get(120, TimeUnit.SECONDS);
                String end = response.body().lines().reduce("", (first, second) -> second);
                boolean complete = response.statusCode() == 200 && end.startsWith("{\"end\":{\"complete\":true");
                assertTrue(complete || response.statusCode() == 429, response.statusCode() + " " + end);
                whole += complete ? 1 : 0;
            }
            assertTrue(whole > 0);
            HttpRequest ready = HttpRequest.newBuilder(URI.create("http://" + api + "/readyz"))
                    .build();
            assertEquals(200, http.send(ready, BodyHandlers.ofString()).statusCode());
            process.signal("TERM");
            assertTrue(List.of(0, 143).contains(process.exitCode()), process.err());
        }
    }
}
