package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces that arrive at a sidecar by OTLP, while they are asked for over HTTP and by the command. */
final class LiveTraceTest {
    private static final long BEGIN_NS = 1_790_000_000_000_000_000L;
    private static final int TRACES = 60;

    @TempDir
    Path temp;

    private final HttpClient http = HttpClient.newHttpClient();
    private LoomServer sidecar;

    @BeforeEach
    void start() throws IOException {
        Path file = Files.writeString(temp.resolve("loom.yaml"), "store: {record_ring_mib: 8}\n");
        sidecar = LoomServer.open(ServerSettings.read(
                        file,
                        Map.of(),
                        Map.of(
                                "receivers.otlp.protocols.http.endpoint", "127.0.0.1:0",
                                "api.endpoint", "127.0.0.1:0",
                                "store.directory", temp.resolve("store").toString()))
                .onFailure(Throwable::printStackTrace)
                .build());
    }

    @AfterEach
    void close() throws IOException {
        sidecar.close();
    }

    private HttpResponse<String> post(String address, String path, String body) throws Exception {
        URI uri = URI.create("http://" + sidecar.addresses().get(address) + path);
        return http.send(
                HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static String trace(int number) {
        return String.format("%032x", number + 1);
    }

    /** A span of a trace, and a log record that names it. */
    private void send(int trace, int span, int parent) throws Exception {
        String ids = "\"traceId\":\"" + trace(trace) + "\",\"spanId\":\"" + String.format("%016x", span) + "\"";
        String resource = "\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"s"
                + span + "\"}}]}";
        String parentId = parent == 0 ? "" : ",\"parentSpanId\":\"" + String.format("%016x", parent) + "\"";
        assertEquals(
                200,
                post(
                                "otlp-http",
                                "/v1/traces",
                                "{\"resourceSpans\":[{" + resource + ",\"scopeSpans\":[{\"spans\":[{" + ids + parentId
                                        + ",\"name\":\"op" + span + "\",\"startTimeUnixNano\":\"" + (BEGIN_NS + span)
                                        + "\",\"endTimeUnixNano\":\"" + (BEGIN_NS + 100 - span) + "\"}]}]}]}")
                        .statusCode());
        assertEquals(
                200,
                post(
                                "otlp-http",
                                "/v1/logs",
                                "{\"resourceLogs\":[{" + resource + ",\"scopeLogs\":[{\"logRecords\":[{" + ids
                                        + ",\"timeUnixNano\":\"" + (BEGIN_NS + span)
                                        + "\",\"body\":{\"stringValue\":\"said " + span + "\"}}]}]}]}")
                        .statusCode());
    }

    private List<String> rows(int trace) throws Exception {
        return post("http", "/v1/trace", "{\"trace_id\":\"" + trace(trace) + "\",\"rows\":true}")
                .body()
                .lines()
                .toList();
    }

    @Test
    void shouldShowATraceAsFarAsItHasArrived() throws Exception {
        Cli cli = Cli.on(temp.resolve("store"));
        assertEquals(1, rows(0).size());
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        Thread others = new Thread(() -> {
            try {
                for (int i = 1; i < TRACES; i++) {
                    send(i, 1, 0);
                }
            } catch (Exception e) {
                failure.set(e);
            }
        });
        others.start();
        send(0, 2, 1);
        List<String> early = rows(0);
        assertEquals(4, early.size(), early.toString());
        assertTrue(early.get(0).startsWith("{\"row\":\"missing\",\"depth\":0,\"span_id\":\"0000000000000001\""));
        assertTrue(early.get(1).contains("\"row\":\"span\",\"depth\":1,")
                && early.get(1).contains("\"service\":\"s2\""));
        assertTrue(early.get(2).contains("\"row\":\"log\",\"depth\":2,")
                && early.get(2).contains("\"text\":\"said 2\""));
        send(0, 1, 0); // the parent comes late
        List<String> whole = rows(0);
        assertEquals(5, whole.size(), whole.toString());
        assertTrue(whole.get(0).contains("\"depth\":0,") && whole.get(0).contains("\"self\":2,"), whole.get(0));
        others.join();
        assertEquals(null, failure.get());
        for (int i = 0; i < TRACES; i++) {
            List<String> lines =
                    cli.run("trace", trace(i), "--rows", "-o", "json").ok().lines();
            assertEquals(i == 0 ? 4 : 2, lines.size(), lines.toString());
        }
        assertEquals(
                TRACES,
                cli.run("traces", "-n", "1000", "-o", "json").ok().lines().size());
        assertEquals(
                1,
                cli.run("traces", "--service", "s2", "-o", "json").ok().lines().size());
    }
}
