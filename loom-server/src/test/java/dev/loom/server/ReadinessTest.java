package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.error.LoomException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether {@code /readyz} knows when records can't be taken, or don't reach the disk, though no request has failed. */
final class ReadinessTest {

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();

    private ServerSettings settings(String yaml) throws IOException {
        String all = yaml + "\nstore: {record_ring_mib: 8, open_interval: 50ms}\n";
        return TestServers.settings(temp, all, TestServers.OTLP_HTTP, TestServers.API)
                .build();
    }

    private LoomServer start(String yaml) throws IOException {
        return LoomServer.open(settings(yaml));
    }

    private HttpResponse<String> ready(LoomServer sidecar, String... headers) throws Exception {
        return http.get(sidecar, "/readyz", headers);
    }

    @Test
    void shouldNotBeReadyOnceTheEvictorHasEnded() throws Exception {
        Path other = temp.resolve("other");
        Loom.open(LoomConfig.at(other).recordRingBytes(1 << 20).build()).close();
        LoomServer sidecar = start("");
        assertEquals(200, ready(sidecar).statusCode());
        // another writer's mark, as if it had taken the store over: the evictor ends, since it may write nothing any
        // more
        Files.write(temp.resolve("store/loom.mark"), Files.readAllBytes(other.resolve("loom.mark")));
        http.post(sidecar, "/v1/schema", "{\"op\":\"define-source\",\"name\":\"a\",\"format\":\"text\"}");
        HttpResponse<String> ready = ready(sidecar);
        while (ready.statusCode() == 200) {
            ready = ready(sidecar);
        }
        assertEquals(503, ready.statusCode());
        assertTrue(ready.body().contains("another writer has taken over the store"), ready.body());
        String logs = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"a\"}}]}]}]}";
        assertEquals(503, http.postOtlp(sidecar, "/v1/logs", logs).statusCode(), "a client has to send it again");
        assertThrows(LoomException.class, sidecar::close);
    }

    @Test
    void shouldNotBeReadyWhileAnEndpointDoesNotListen() throws Exception {
        try (LoomServer sidecar = start("")) {
            HttpResponse<String> ready = readyWithoutEndpoint(sidecar);
            assertTrue(ready.body().contains("endpoint no longer listens"), ready.body());
        }
    }

    /** What it answers once the endpoint for OTLP over HTTP has been interrupted; it may not yet have begun to listen. */
    private HttpResponse<String> readyWithoutEndpoint(LoomServer sidecar) throws Exception {
        String address = String.valueOf(sidecar.addresses().get("otlp-http"));
        HttpResponse<String> ready = ready(sidecar);
        while (ready.statusCode() == 200) {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().contains("acceptor")
                            && thread.getName().contains(address + "}"))
                    .forEach(Thread::interrupt);
            ready = ready(sidecar);
        }
        return ready;
    }

    /** Of a path of an endpoint, without a token: its status. */
    private int status(LoomServer sidecar, String endpoint, String path) throws Exception {
        return http.send(HttpRequest.newBuilder(TestClient.uri(sidecar, endpoint, path)))
                .statusCode();
    }

    @Test
    void shouldAskForTheTokenOfHealthAndMetricsAsSet() throws Exception {
        String auth = "server: {auth: {token_file: " + token() + "}}";
        try (LoomServer sidecar = start(auth)) {
            assertEquals(200, status(sidecar, "http", "/healthz"));
            assertEquals(200, status(sidecar, "http", "/readyz"));
            for (String path : List.of("/metrics", "/healthz/", "/healthz/../v1/sources", "/v1/sources")) {
                assertEquals(401, status(sidecar, "http", path), path);
            }
            assertEquals(401, status(sidecar, "otlp-http", "/healthz"));
        }
        try (LoomServer sidecar = start(auth + "\napi: {token_for_health: true, token_for_metrics: false}")) {
            assertEquals(401, status(sidecar, "http", "/healthz"));
            assertEquals(401, status(sidecar, "http", "/readyz"));
            assertEquals(200, status(sidecar, "http", "/metrics"));
        }
    }

    private Path token() throws IOException {
        Path token = Files.createFile(
                temp.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(token, "secret");
    }

    @Test
    void shouldTellTheReasonToThoseWhoHaveTheTokenAlone() throws Exception {
        try (LoomServer sidecar = start("server: {auth: {token_file: " + token() + "}}")) {
            assertEquals(200, ready(sidecar).statusCode());
            HttpResponse<String> ready = readyWithoutEndpoint(sidecar);
            assertEquals(503, ready.statusCode());
            assertTrue(ready.body().contains("not ready; send the token to see why"), ready.body());
            ready = ready(sidecar, "Authorization", "Bearer secret");
            assertTrue(ready.body().contains("endpoint no longer listens"), ready.body());
        }
    }

    @Test
    void shouldLookOnAfterAFailureOfAnyKind() throws Exception {
        Path obstacle = Files.createFile(temp.resolve("obstacle"));
        Loom.open(LoomConfig.at(temp.resolve("store")).recordRingBytes(1 << 20).build())
                .close();
        LoomConfig config = LoomConfig.at(temp.resolve("store"))
                .stagingDirectory(obstacle.resolve("staging"))
                .build();
        AtomicInteger tries = new AtomicInteger();
        List<SharedWriter> writers = new ArrayList<>();
        try (ServedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {
            if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("nobody has thought of this");
            } else if (tries.get() == 2) {
                throw new OutOfMemoryError("for a moment");
            }
            writers.add(writer);
        })) {
            StoreWatch watch = new StoreWatch(store, notice -> {});
            watch.start();
            Files.delete(obstacle);
            while (store.writer().isEmpty()) {
                Thread.onSpinWait();
            }
            watch.close();
        }
        assertEquals(3, tries.get());
        assertEquals(1, writers.size());
    }
}
