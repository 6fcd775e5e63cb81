package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that can be read and not, for the time being, be written: here its staging can't be made. */
final class UnwritableStoreTest {
    private static final String LOGS =
            "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"hello\"}}]}]}]}";
    private static final String DEFINE = "{\"op\":\"define-source\",\"name\":\"new\",\"format\":\"text\"}";

    @TempDir
    Path temp;

    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final TestClient http = new TestClient();
    private Path obstacle = Path.of("");
    private LoomServer sidecar;

    @BeforeEach
    void block() throws IOException {
        obstacle = Files.createFile(temp.resolve("obstacle"));
    }

    @AfterEach
    void close() throws IOException {
        if (sidecar != null) {
            sidecar.close();
        }
    }

    private void start() throws IOException {
        String yaml = "store: {record_ring_mib: 8, open_interval: 50ms, staging_directory: "
                + obstacle.resolve("staging") + "}\n";
        sidecar = LoomServer.open(
                TestServers.settings(temp, yaml, TestServers.OTLP_HTTP, TestServers.API, TestServers.INGEST)
                        .onNotice(notices::add)
                        .build());
    }

    private HttpResponse<String> post(String name, String path, String body) throws Exception {
        return http.post(sidecar, name, path, TestClient.JSON, body);
    }

    private IngestClient client() {
        return IngestClient.connect(
                Endpoint.parse(String.valueOf(sidecar.addresses().get("ingest"))), "");
    }

    private HttpResponse<String> ready() throws Exception {
        return http.get(sidecar, "/readyz");
    }

    @Test
    void shouldAnswerQueriesAndTakeRecordsOnceItCan() throws Exception {
        TestServers.store(temp, "lines", "a", 2);
        start();
        assertEquals(1, notices.size());
        assertTrue(notices.get(0).startsWith("store is not writable and is served read-only: "), notices.get(0));
        for (String path : List.of("/v1/scan", "/v1/tail")) {
            HttpResponse<String> answer = post("http", path, "{\"source\":\"lines\"}");
            assertEquals(3, answer.body().lines().count(), answer.body());
        }
        assertEquals(503, ready().statusCode());
        assertTrue(ready().body().contains("obstacle"), ready().body());
        HttpResponse<String> refused = post("otlp-http", "/v1/logs", LOGS);
        assertEquals(503, refused.statusCode());
        assertTrue(refused.headers().firstValue("Retry-After").isPresent());
        assertEquals(503, post("http", "/v1/schema", DEFINE).statusCode());
        try (IngestClient client = client()) {
            SidecarException later =
                    assertThrows(SidecarException.class, () -> client.defineSource("raw", Formats.text(), Map.of()));
            assertTrue(
                    String.valueOf(later.getMessage())
                            .startsWith("the sidecar can't do that now; try again later: store is not writable"),
                    later::toString);
        }

        byte[] follow = "{\"source\":\"lines\",\"follow\":true}".getBytes(StandardCharsets.UTF_8);
        Iterator<String> followed = http.send(
                        TestClient.request(sidecar, "/v1/tail", TestClient.JSON, follow), BodyHandlers.ofLines())
                .body()
                .iterator();
        assertTrue(followed.next().contains("\"line\":\"a\""), "it has begun");

        Files.delete(obstacle);
        while (notices.size() < 2) {
            Thread.onSpinWait();
        }
        assertEquals(200, ready().statusCode());
        assertEquals("store is open for writing and accepts records", notices.get(1));
        assertEquals(200, post("otlp-http", "/v1/logs", LOGS).statusCode());
        assertEquals(200, post("http", "/v1/schema", DEFINE).statusCode());
        assertEquals(
                3,
                post("http", "/v1/scan", "{\"source\":\"lines\"}")
                        .body()
                        .lines()
                        .count());
        TestServers.send(sidecar, "lines", "c");
        String next = "";
        while (!next.contains("\"line\":\"c\"")) {
            next = followed.next(); // to the end of what it follows, if that had one
        }
        try (IngestClient client = client()) {
            assertEquals(
                    "raw", client.defineSource("raw", Formats.text(), Map.of()).name());
        }
    }
}
