package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomReader;
import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo.Loss;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar whose store drops records while the disk takes none: the next segment's file can't be made. */
final class DropNewestTest {
    private static final String LINE = "x".repeat(60_000);

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();

    private LoomServer start(String policy) throws IOException {
        String yaml = "store: {record_ring_mib: 1, segment_mib: 1, min_free: none, policy: " + policy + "}\n";
        return LoomServer.open(
                TestServers.settings(temp, yaml, TestServers.OTLP_HTTP, TestServers.API, TestServers.INGEST)
                        .build());
    }

    private HttpResponse<String> ask(LoomServer sidecar, String path) throws Exception {
        return http.get(sidecar, path);
    }

    private HttpResponse<String> log(LoomServer sidecar) throws Exception {
        String body = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"" + LINE
                + "\"}}]}]}]}";
        return http.postOtlp(sidecar, "/v1/logs", body);
    }

    private static long sum(String metrics, String series) {
        try (Stream<String> lines = metrics.lines()) {
            return lines.filter(line -> line.startsWith(series + ' '))
                    .mapToLong(line -> Long.parseLong(line.substring(series.length() + 1)))
                    .sum();
        }
    }

    @Test
    void shouldDropAndCountWhileTheDiskTakesNothing() throws Exception {
        String lostLines = "loom_store_lost_records_total{source=\"lines\",reason=\"store_full\"}";
        String lostLogs = "loom_store_lost_records_total{source=\"otlp.logs\",reason=\"store_full\"}";
        Path records = temp.resolve("store/record");
        Path away = temp.resolve("away");
        int lines = 0;
        int logs = 0;
        try (LoomServer sidecar = start("drop-newest");
                LoomReader reader = LoomReader.attach(temp.resolve("store"))) {
            assertEquals(1, sum(ask(sidecar, "/metrics").body(), "loom_ready"));
            TestServers.send(sidecar, "lines", LINE);
            lines++;
            Files.move(records, away);
            Files.createFile(records);
            while (sum(ask(sidecar, "/metrics").body(), lostLines) < 2) {
                TestServers.send(sidecar, "lines", LINE);
                lines++;
            }
            HttpResponse<String> dropped = log(sidecar);
            logs++;
            assertEquals(200, dropped.statusCode());
            assertTrue(dropped.body().contains("1 log record rejected: the store is full"), dropped.body());
            String metrics = ask(sidecar, "/metrics").body();
            assertEquals(1, sum(metrics, lostLogs), metrics);
            assertEquals(0, sum(metrics, "loom_ready"), metrics);
            assertEquals(List.of(), MetricsLint.complaints(metrics));
            assertEquals(503, ask(sidecar, "/readyz").statusCode());
            assertEquals(
                    Pressure.DROP_NEWEST, reader.info().session().orElseThrow().pressure());
            List<Loss> losses = reader.info().session().orElseThrow().losses();
            assertEquals(2, losses.size(), losses.toString());
            assertEquals(LossReason.STORE_FULL, losses.get(0).reason());
            assertEquals(2, losses.get(0).records());
            Files.delete(records);
            Files.move(away, records);
            while (ask(sidecar, "/readyz").statusCode() != 200) {
                Thread.onSpinWait();
            }
            assertEquals(1, sum(ask(sidecar, "/metrics").body(), "loom_ready"));
            TestServers.send(sidecar, "lines", LINE);
            lines++;
            assertEquals("{}", log(sidecar).body());
            logs++;
        }
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                Snapshot snapshot = reader.snapshot()) {
            assertOffered(snapshot, "lines", lines, 2);
            assertOffered(snapshot, "otlp.logs", logs, 1);
        }
    }

    private static void assertOffered(Snapshot snapshot, String name, int offered, int lost) {
        Source source = snapshot.source(name).orElseThrow();
        assertEquals(lost, snapshot.statistics(source.id()).lost());
        int kept = 0;
        try (QueryCursor cursor = RawScan.of(snapshot, source).open()) {
            while (cursor.next()) {
                kept++;
            }
            assertEquals(lost, cursor.completeness().lost(), "marked in the log");
        }
        assertEquals(offered, kept + lost);
    }

    @Test
    void shouldRefuseAnotherWord() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> start("drop-oldest"));
        assertEquals(
                "bad setting: name=store.policy, value=drop-oldest, expected=wait or drop-newest",
                refused.getMessage());
    }
}
