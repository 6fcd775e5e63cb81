package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.StoreInfo;
import dev.loom.api.TextIndexParameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerSettingsTest {
    private static final Map<String, String> STORE = Map.of("store.directory", "D");

    @TempDir
    Path temp;

    private ServerSettings read(String yaml, Map<String, String> overrides) throws IOException {
        Path file = Files.writeString(temp.resolve("loom.yaml"), yaml);
        return ServerSettings.read(file, Map.of("A", "b", "EMPTY", ""), overrides)
                .build();
    }

    @Test
    void shouldPreferOverridesToTheFile() throws IOException {
        String yaml =
                "store: {directory: C}\napi: {endpoint: 'localhost:1'}\nserver: {insecure: false, auth: {token_file: t}}";
        ServerSettings file = read(yaml, Map.of());
        assertEquals(Path.of("C"), file.store().orElseThrow().directory());
        assertEquals(Path.of("t"), file.protection.tokenFile());
        assertFalse(file.protection.insecure());
        ServerSettings both = read(
                yaml,
                Map.of(
                        "store.directory", "D",
                        "api.endpoint", "none",
                        "receivers.loom.endpoint", "localhost:2",
                        "server.auth.token_file", "${A}",
                        "server.insecure", "true"));
        assertEquals(Path.of("D"), both.store().orElseThrow().directory());
        assertTrue(both.api().isEmpty());
        assertEquals("localhost:2", both.ingest().orElseThrow().toString());
        assertEquals(Path.of("${A}"), both.protection.tokenFile(), "only the file refers to variables");
        assertTrue(both.protection.insecure());
    }

    /** Without them the server would start unprotected. */
    @Test
    void shouldNotStartWithoutAFileThatAnEmptyVariableNames() throws IOException {
        for (String setting :
                List.of("auth: {token_file", "tls: {cert_file", "tls: {key_file", "tls: {client_ca_file")) {
            for (String value : List.of("'${env:EMPTY}'", "'${EMPTY}${EMPTY}'", "'${env:NONE:-}'", "", "null", "{}")) {
                String yaml = "server: {" + setting + ": " + value + "}}";
                IllegalArgumentException failure =
                        assertThrows(IllegalArgumentException.class, () -> read(yaml, STORE), yaml);
                assertEquals(
                        "setting is empty, or the variable it refers to is: name=server." + setting.replace(": {", ".")
                                + ", file=" + temp.resolve("loom.yaml"),
                        failure.getMessage());
            }
        }
        Map<String, String> given = Map.of("store.directory", "D", "server.auth.token_file", "t");
        for (String value : List.of("'${EMPTY}'", "null")) {
            String yaml = "server: {auth: {token_file: " + value + "}}";
            assertEquals(Path.of("t"), read(yaml, given).protection.tokenFile());
        }
        assertNull(read("server: {auth: , tls: {}}", STORE).protection.tokenFile());
    }

    @Test
    void shouldListenAtTheUsualAddressesWhenTheFileNamesNone() throws IOException {
        ServerSettings settings = read("", STORE);
        assertEquals("localhost:4317", settings.otlpGrpc().orElseThrow().toString());
        assertEquals("localhost:4318", settings.otlpHttp().orElseThrow().toString());
        assertEquals("localhost:4319", settings.api().orElseThrow().toString());
        assertTrue(settings.ingest().isEmpty());
        assertTrue(read("api: {endpoint: none}", STORE).api().isEmpty());
        assertFalse(read("api: {endpoint: none}", STORE).receives());
    }

    /** As the Collector does. */
    @Test
    void shouldListenAtTheUsualAddressOfAProtocolThatIsNamedAlone() throws IOException {
        String api = "api: {endpoint: 'localhost:1'}\nreceivers: {otlp: {protocols: ";
        ServerSettings both = read(api + "{grpc: , http: {}}}}", STORE);
        assertEquals("localhost:4317", both.otlpGrpc().orElseThrow().toString());
        assertEquals("localhost:4318", both.otlpHttp().orElseThrow().toString());
        ServerSettings one = read(api + "{grpc: , http: {endpoint: none}}}}", STORE);
        assertEquals("localhost:4317", one.otlpGrpc().orElseThrow().toString());
        assertTrue(one.otlpHttp().isEmpty());
        assertTrue(read(api + "{grpc: {endpoint: }}}}", STORE).otlpGrpc().isPresent());
        assertFalse(read(api + "}}", STORE).receives());
        ServerSettings alone = read("receivers: {otlp: {protocols: {grpc: }}}", STORE);
        assertEquals("localhost:4317", alone.otlpGrpc().orElseThrow().toString());
        assertTrue(alone.otlpHttp().isEmpty());
        assertTrue(alone.api().isEmpty());
        Map<String, String> typed = Map.of("store.directory", "D", "receivers.otlp.protocols.grpc.endpoint", "none");
        assertFalse(read(api + "{grpc: }}}", typed).receives());
    }

    /** Each takes memory for contexts. */
    @Test
    void shouldProcessAsManyRequestsAtOnceAsThereAreThreads() throws IOException {
        assertEquals(2, read("", STORE).sources.concurrency());
        assertEquals(
                5, read("receivers: {otlp: {export_threads: 5}}", STORE).sources.concurrency());
    }

    @Test
    void shouldLiftLimitsByNone() throws IOException {
        String store = "store: {directory: " + temp.resolve("store") + ", record_ring_mib: 1, segment_mib: 1, ";
        String limits = "max_size: 1GiB, max_age: 7d, min_free: 1MiB}";
        try (Loom loom = Loom.open(read(store + limits, Map.of()).store().orElseThrow())) {
            assertEquals(
                    new StoreInfo.Retention(1 << 30, Optional.of(Duration.ofDays(7)), 1 << 20),
                    loom.info().retention());
        }
        String none = "max_size: none, max_age: none, min_free: none}";
        try (Loom loom = Loom.open(read(store + none, Map.of()).store().orElseThrow())) {
            assertEquals(
                    new StoreInfo.Retention(LoomConfig.UNLIMITED, Optional.empty(), 0),
                    loom.info().retention());
        }
    }

    @Test
    void shouldCompressWhenTold() throws IOException {
        String store = "store: {directory: " + temp.resolve("store") + ", record_ring_mib: 1, compress_after: ";
        try (Loom loom = Loom.open(read(store + "none}", Map.of()).store().orElseThrow())) {
            assertEquals("1.1", loom.info().formatVersion());
        }
        ServerSettings hourly = read(store + "1h, compression_percent: 100}", Map.of());
        try (Loom loom = Loom.open(hourly.store().orElseThrow())) {
            assertEquals("2.1", loom.info().formatVersion());
        }
        assertThrows(IllegalArgumentException.class, () -> read(store + "1h, compression_percent: 101}", Map.of()));
        assertThrows(IllegalArgumentException.class, () -> read(store + "soon}", Map.of()));
    }

    @Test
    void shouldBuildTheTextIndexAsTold() throws IOException {
        String store = "store: {directory: " + temp.resolve("store") + ", text_index_";
        LoomConfig told = read(
                        store
                                + "percent: 40, text_index_memory: 8MiB, text_index_rows: false, text_index_max_size: 2GiB,"
                                + " text_index_unit_rows: 65535, text_index_list_rows: 64, text_index_list_bytes: 1,"
                                + " text_index_count_bytes: 32, text_index_prefix_length: none, text_index_cache: 5MiB}",
                        Map.of())
                .store()
                .orElseThrow();
        LoomConfig expected = LoomConfig.at(temp.resolve("store"))
                .textIndexShare(0.4)
                .textIndexMemory(8 << 20)
                .textIndexRows(false)
                .textIndexParameters(new TextIndexParameters(65_535, 64, 1, 32, 0))
                .textIndexBytes(2L << 30)
                .textIndexCacheBytes(5 << 20)
                .build();
        assertEquals(expected.toString(), told.toString());
        LoomConfig none = read(store + "percent: none}", Map.of()).store().orElseThrow();
        assertEquals(
                LoomConfig.at(temp.resolve("store")).textIndexShare(0).build().toString(), none.toString());
        for (String wrong : new String[] {
            "percent: 101",
            "percent: 0",
            "memory: 1MiB",
            "rows: 3",
            "max_size: 1KiB",
            "unit_rows: 1000",
            "unit_rows: 65536",
            "list_rows: 65",
            "list_bytes: 1025",
            "count_bytes: 33",
            "prefix_length: 17"
        }) {
            assertThrows(IllegalArgumentException.class, () -> read(store + wrong + "}", Map.of()), wrong);
        }
    }

    @Test
    void shouldSumUpRunsAsTold() throws IOException {
        String store = "store: {directory: " + temp.resolve("store") + ", rollup_percent: ";
        LoomConfig.Builder expected = LoomConfig.at(temp.resolve("store"));
        for (String percent : new String[] {"none", "1", "100"}) {
            double share = percent.equals("none") ? 0 : Integer.parseInt(percent) / 100.0;
            LoomConfig told = read(store + percent + "}", Map.of()).store().orElseThrow();
            assertEquals(expected.rollupShare(share).build().toString(), told.toString());
        }
        for (String wrong : new String[] {"101", "0", "some", "-1"}) {
            assertThrows(IllegalArgumentException.class, () -> read(store + wrong + "}", Map.of()), wrong);
        }
    }

    @Test
    void shouldListenNowhereUnlessTold() {
        ServerSettings settings = ServerSettings.builder().build();
        assertTrue(settings.api().isEmpty());
        assertFalse(settings.receives());
        assertThrows(IllegalArgumentException.class, () -> LoomServer.open(settings));
    }

    @Test
    void shouldAskForTheTokenOfMetricsAloneUnlessSet() {
        assertEquals(Set.of("/healthz", "/readyz"), ServerSettings.builder().build().openPaths);
        assertEquals(
                Set.of("/metrics"),
                ServerSettings.builder()
                        .tokenForHealth(true)
                        .tokenForMetrics(false)
                        .build()
                        .openPaths);
    }

    @Test
    void shouldRefuseNumbersOfQueriesThatNoPoolCanHave() {
        ServerSettings.Builder settings = ServerSettings.builder();
        assertThrows(IllegalArgumentException.class, () -> settings.maxQueries(0));
        assertThrows(IllegalArgumentException.class, () -> settings.maxFollowers(0));
        assertThrows(IllegalArgumentException.class, () -> settings.maxQueuedQueries(-1));
    }
}
