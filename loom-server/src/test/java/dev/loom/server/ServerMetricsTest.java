package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code /metrics} tells. */
final class ServerMetricsTest {

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer sidecar;

    @BeforeEach
    void start() throws IOException {
        sidecar = LoomServer.open(
                TestServers.settings(temp, "", TestServers.OTLP_HTTP, TestServers.API, TestServers.INGEST)
                        .build());
    }

    @AfterEach
    void close() throws IOException {
        sidecar.close();
    }

    private String metrics() throws Exception {
        return http.get(sidecar, "/metrics").body();
    }

    private void post(String name, String path, String body) throws Exception {
        assertEquals(200, http.post(sidecar, name, path, TestClient.JSON, body).statusCode());
    }

    private static double value(String metrics, String series) {
        return metrics.lines()
                .filter(line -> line.startsWith(series + ' '))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such series: " + series + '\n' + metrics));
    }

    @Test
    void shouldHaveTheMetricsThatTheGuideLists() throws Exception {
        Pattern listed = Pattern.compile("`(loom_[a-z_]+)`");
        Pattern told = Pattern.compile("(?m)^# TYPE (loom_[a-z_]+) ");
        assertEquals(names(listed, Files.readString(Path.of("../docs/http-api.md"))), names(told, metrics()));
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldHaveNothingThatALinterComplainsOf() throws Exception {
        TestServers.send(sidecar, "a\\\"b", "a");
        post("otlp-http", "/v1/logs", "{\"resourceLogs\":[]}");
        post("http", "/v1/info", "{}");
        String metrics = metrics();
        assertTrue(metrics.contains("{source=\"a\\\\\\\"b\"} 1"), metrics);
        assertEquals(List.of(), MetricsLint.complaints(metrics), metrics);
    }

    @Test
    void shouldTellOfProcessAndVirtualMachineAsPrometheusClientsDo() throws Exception {
        String metrics = metrics();
        assertTrue(value(metrics, "process_cpu_seconds_total") > 0);
        assertEquals(
                (double) ProcessHandle.current()
                        .info()
                        .startInstant()
                        .orElseThrow()
                        .getEpochSecond(),
                value(metrics, "process_start_time_seconds"),
                60);
        assertTrue(value(metrics, "process_open_fds") > 3);
        assertTrue(value(metrics, "process_max_fds") >= value(metrics, "process_open_fds"));
        if (Files.exists(Path.of("/proc/self/status"))) {
            assertTrue(value(metrics, "process_resident_memory_bytes") > 1 << 20);
            assertTrue(value(metrics, "process_virtual_memory_bytes") > 1 << 20);
        }
        assertTrue(value(metrics, "jvm_memory_used_bytes{area=\"heap\"}") > 1 << 20);
        assertEquals(
                (double) Runtime.getRuntime().maxMemory(),
                value(metrics, "jvm_memory_max_bytes{area=\"heap\"}"),
                1 << 20);
        assertTrue(value(metrics, "jvm_buffer_pool_used_bytes{pool=\"direct\"}") >= 0);
        assertTrue(value(metrics, "jvm_threads_current") >= value(metrics, "jvm_threads_daemon"));
        assertTrue(value(metrics, "jvm_threads_state{state=\"RUNNABLE\"}") >= 1);
        for (String name : List.of(
                "jvm_gc_collection_seconds_count{gc=",
                "jvm_gc_collection_seconds_sum{gc=",
                "jvm_memory_pool_used_bytes{pool=",
                "jvm_runtime_info{version=\"" + System.getProperty("java.runtime.version") + '"',
                "jvm_threads_peak ",
                "jvm_threads_started_total ")) {
            assertTrue(metrics.contains('\n' + name), name + '\n' + metrics);
        }
    }

    @Test
    void shouldTellOfItsBuildItsDiskAndItsClock() throws Exception {
        String metrics = metrics();
        assertEquals(1, value(metrics, "loom_build_info{version=\"(development)\"}"));
        assertTrue(value(metrics, "loom_store_disk_free_bytes") > 0);
        assertTrue(value(metrics, "loom_store_disk_size_bytes") >= value(metrics, "loom_store_disk_free_bytes"));
        assertTrue(metrics.contains("\nloom_clock_skew_seconds "), metrics);
    }

    /** More than any disk has. Records are taken all the same. */
    @Test
    void shouldTellThatTooLittleIsFreeAndNothingIsLeftToDelete() throws Exception {
        assertEquals(0, value(metrics(), "loom_store_min_free_missed"));
        close();
        sidecar = LoomServer.open(
                TestServers.settings(temp, "store: {min_free: 1000TiB}\n", TestServers.API, TestServers.INGEST)
                        .build());
        while (value(metrics(), "loom_store_min_free_missed") < 1) {
            Thread.onSpinWait(); // until the evictor has ticked
        }
        assertEquals(200, http.get(sidecar, "/readyz").statusCode());
        String info =
                http.post(sidecar, "http", "/v1/info", TestClient.JSON, "{}").body();
        assertTrue(
                info.contains("\"min_free_missed\":\"less free than min_free, and nothing left to delete: free="),
                info);
        assertFalse(info.contains("\"error\""), info);
    }

    @Test
    void shouldCountHowLongQueriesAndExportsTook() throws Exception {
        post("otlp-http", "/v1/logs", "{\"resourceLogs\":[]}");
        post("http", "/v1/sources", "{}");
        post("http", "/v1/schema", "{\"op\":\"define-source\",\"name\":\"a\",\"format\":\"text\"}");
        String metrics = metrics();
        while (value(metrics, "loom_query_duration_seconds_count{query=\"schema\"}") < 1
                || value(metrics, "loom_query_duration_seconds_count{query=\"sources\"}") < 1) {
            metrics = metrics(); // one is counted once it has answered
        }
        assertEquals(1, value(metrics, "loom_query_duration_seconds_bucket{query=\"sources\",le=\"+Inf\"}"));
        assertTrue(value(metrics, "loom_query_duration_seconds_sum{query=\"sources\"}") > 0);
        assertEquals(1, value(metrics, "loom_otlp_export_duration_seconds_count{signal=\"logs\"}"));
        assertTrue(value(metrics, "loom_otlp_export_duration_seconds_sum{signal=\"logs\"}") > 0);
        assertEquals(0, value(metrics, "loom_otlp_export_duration_seconds_count{signal=\"traces\"}"));
        assertFalse(metrics.contains("query=\"/metrics\""), metrics);
    }

    /** The linter's own mistakes would let others through. */
    @Test
    void shouldComplainOfWhatIsWrong() {
        for (String wrong : List.of(
                "# HELP a_total x\n# TYPE a_total gauge\na_total 1\n",
                "# HELP a x\n# TYPE a counter\na 1\n",
                "# HELP a x\n# TYPE a gauge\na 1\na 2\n",
                "# HELP a x\n# TYPE a gauge\nb 1\n",
                "# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1\n",
                "# TYPE a gauge\na 1\n",
                "a 1\n",
                "# HELP a x\n# TYPE a gauge\na{b=\"c\"d} 1\n",
                "# HELP a x\n# TYPE a gauge\na 1\n# HELP b x\n# TYPE b gauge\nb 1\na 2\n",
                "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
                "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n")) {
            assertFalse(MetricsLint.complaints(wrong).isEmpty(), wrong);
        }
        assertEquals(
                List.of(),
                MetricsLint.complaints(
                        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"));
    }
}
