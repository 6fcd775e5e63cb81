package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a sidecar while the disk takes nothing: the next segment's file can't be made. */
final class StalledCloseTest {
    private static final int LENGTH = 60_000;
    private static final String LOG =
            "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"" + "x".repeat(LENGTH)
                    + "\"}}]}]}]}";
    /** Twice as many as the ring has room for. */
    private static final int REQUESTS = 40;

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();

    @Test
    void shouldAnswerRequestsThatWaitForRoom() throws Exception {
        String yaml = "store: {record_ring_mib: 1, segment_mib: 1, min_free: none}\n";
        Path records = temp.resolve("store/record");
        ExecutorService threads = Executors.newFixedThreadPool(REQUESTS + 1);
        try (LoomServer sidecar =
                LoomServer.open(TestServers.settings(temp, yaml, TestServers.OTLP_HTTP, TestServers.API)
                        .build())) {
            assertEquals("{}", http.postOtlp(sidecar, "/v1/logs", LOG).body()); // loads what is needed at first
            Files.move(records, temp.resolve("away"));
            Files.createFile(records);
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                answers.add(threads.submit(() -> http.postOtlp(sidecar, "/v1/logs", LOG)));
            }
            long done = 0;
            while (done + inFlight(sidecar) < REQUESTS) {
                done = answers.stream().filter(Future::isDone).count();
            }
            Future<?> closing = threads.submit(() -> {
                sidecar.close(Duration.ofSeconds(4));
                return null;
            });
            int refused = 0;
            try {
                for (Future<HttpResponse<String>> each : answers) {
                    HttpResponse<String> answer = each.get();
                    boolean taken = answer.statusCode() == 200;
                    assertTrue(taken || answer.statusCode() == 503, answer.toString());
                    assertEquals(
                            !taken, answer.headers().firstValue("Retry-After").isPresent());
                    refused += taken ? 0 : 1;
                }
            } finally {
                Files.delete(records);
                Files.move(temp.resolve("away"), records);
            }
            closing.get();
            assertTrue(refused > 0);
        } finally {
            threads.shutdown();
        }
    }

    /** How many requests are in the server, complete or nearly so. */
    private long inFlight(LoomServer sidecar) throws Exception {
        return http.get(sidecar, "/metrics")
                        .body()
                        .lines()
                        .filter(line -> line.startsWith("loom_otlp_in_flight_bytes "))
                        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                        .sum()
                / LENGTH;
    }
}
