package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.LoomReader;
import dev.loom.api.StoreInfo;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.client.IngestClient;
import dev.loom.server.text.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SidecarTest {
    private static final String ANY_PORT = "127.0.0.1:0";

    @TempDir
    Path temp;

    private final HttpClient http = HttpClient.newHttpClient();
    private LoomServer sidecar;

    @AfterEach
    void close() throws IOException {
        if (sidecar != null) {
            sidecar.close();
        }
    }

    private Path directory() {
        return temp.resolve("store");
    }

    private void start(String yaml, String otlpHttp, String api, String ingest) throws IOException {
        Path file = Files.writeString(temp.resolve("loom.yaml"), yaml + "\nstore: {record_ring_mib: 8}\n");
        Map<String, String> endpoints = new HashMap<>();
        endpoints.put("receivers.otlp.protocols.http.endpoint", otlpHttp);
        endpoints.put("api.endpoint", api);
        endpoints.put("receivers.loom.endpoint", ingest);
        endpoints.put("store.directory", directory().toString());
        endpoints.values().removeIf(Objects::isNull);
        sidecar = LoomServer.open(ServerSettings.read(file, Map.of(), endpoints)
                .onFailure(Throwable::printStackTrace)
                .build());
    }

    private void start() throws IOException {
        start("", ANY_PORT, ANY_PORT, ANY_PORT);
    }

    private String address(String name) {
        return Objects.requireNonNull(sidecar.addresses().get(name));
    }

    private HttpRequest.Builder to(String name, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address(name) + path));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(to("http", path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String name, String path, String body) throws Exception {
        return http.send(
                to(name, path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> ask(String path, String body) throws Exception {
        return post("http", path, body);
    }

    private static void requireError(int status, String code, HttpResponse<String> response) {
        assertEquals(status, response.statusCode(), response.body());
        Map<?, ?> error = (Map<?, ?>) JsonObject.parse(response.body().getBytes(StandardCharsets.UTF_8))
                .get("error");
        assertEquals(code, error.get("code"), response.body());
        assertTrue(error.get("message") instanceof String);
    }

    private Cli remote() {
        return Cli.on(temp.resolve("none")).environment("LOOM_TO_SIDECAR", address("ingest"));
    }

    @Test
    void shouldRewriteIndexesWhileClientsGoOn() throws Exception {
        start();
        remote().importText("requests", "csv", "op,latency_ns\nGET,5\nSET,7\nGET,9\n")
                .ok();
        try (IngestClient client = IngestClient.connect(Endpoint.parse(address("ingest")), "")) {
            int text =
                    client.defineSource("text", Formats.parse("text"), Map.of()).id();
            UnsafeBuffer payload = new UnsafeBuffer(new byte[5]);
            assertEquals(1, client.push(text, payload, new int[] {5}, 1, () -> false));
            String told = remote().run("index", "add", "requests", "latency_ns", "--backfill")
                    .ok()
                    .err();
            assertTrue(told.contains("loom: the sidecar is rebuilding all indexes"), told);
            assertEquals(1, client.push(text, payload, new int[] {5}, 1, () -> false));
        }
        String agg = "{\"source\":\"requests\",\"field\":\"latency_ns\"}";
        String answer = ask("/v1/agg", agg).body();
        assertTrue(answer.contains("\"count\":3") && answer.contains("chunks covered=1, not covered=0"), answer);
        remote().importText("requests", "csv", "op,latency_ns\nGET,5\n").ok();
        HttpResponse<String> again = ask(
                "/v1/schema",
                "{\"op\":\"define-index\",\"source\":\"requests\",\"field\":\"latency_ns\",\"backfill\":true}");
        assertTrue(again.body().contains("\"existed\":true"), again.body());
        answer = ask("/v1/agg", agg).body();
        assertTrue(answer.contains("\"count\":4") && answer.contains("chunks covered=2, not covered=0"), answer);
        requireError(
                400,
                "bad_request",
                ask(
                        "/v1/schema",
                        "{\"op\":\"define-index\",\"source\":\"requests\",\"field\":\"op\",\"backfill\":\"yes\"}"));
        assertEquals(200, get("/readyz").statusCode());
    }

    @Test
    void shouldTakeImportsAndAnswerAsTheCommandsDo() throws Exception {
        start();
        remote().importText(
                        "requests",
                        "csv",
                        "op,latency_ns\nGET,5\nSET,7\nGET,9\n",
                        "--event-time",
                        "latency_ns",
                        "--event-clock",
                        "wall")
                .ok();
        remote().run("index", "add", "requests", "latency_ns").ok();
        remote().importText(
                        "requests",
                        "csv",
                        "op,latency_ns\nDEL,11\n",
                        "--event-time",
                        "latency_ns",
                        "--event-clock",
                        "wall")
                .ok();
        remote().run("source", "add", "other", "--format", "timed:text").ok();
        remote().run("source", "add", "other", "--format", "text").exit(2);
        remote().run("source", "close", "other").ok();
        List<String> answer = ask("/v1/scan", "{\"source\":\"requests\",\"where\":\"latency_ns > 5\"}")
                .body()
                .lines()
                .toList();
        assertEquals(
                Cli.on(directory())
                        .run("scan", "requests", "--where", "latency_ns > 5")
                        .ok()
                        .lines(),
                answer.subList(0, answer.size() - 1));
        assertEquals(4, answer.size());
        assertTrue(answer.get(3).startsWith("{\"end\":{\"complete\":true,\"lost\":0"), answer.get(3));
        // the store is the sidecar's
        Cli.on(directory()).run("source", "add", "mine").exit(3);
    }

    @Test
    void shouldTakeOtlp() throws Exception {
        start();
        String logs =
                "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"hello\"}}]}]}]}";
        HttpResponse<String> response = post("otlp-http", "/v1/logs", logs);
        assertEquals(200, response.statusCode());
        assertEquals("{}", response.body());
        assertEquals(
                1,
                ask("/v1/scan", "{\"source\":\"otlp.logs\"}")
                        .body()
                        .lines()
                        .filter(line -> line.contains("\"source\":\"otlp.logs\""))
                        .count());
    }

    @Test
    void shouldAnswerWithoutMembersOfOneNameWhateverClientsSend() throws Exception {
        start();
        String twice = "{\"key\":\"a\",\"value\":{\"intValue\":1}},{\"key\":\"a\",\"value\":{\"intValue\":2}}";
        post(
                "otlp-http",
                "/v1/logs",
                "{\"resourceLogs\":[{\"resource\":{\"attributes\":[" + twice
                        + "]},\"scopeLogs\":[{\"logRecords\":[{\"attributes\":[" + twice + "]}]}]}]}");
        String scanned = ask("/v1/scan", "{\"source\":\"otlp.logs\"}")
                .body()
                .lines()
                .toList()
                .get(0);
        JsonObject.parse(scanned.getBytes(StandardCharsets.UTF_8)); // which refuses two members of one name
        assertTrue(scanned.contains("\"attributes\":{\"a\":1}"), scanned);
        assertTrue(scanned.contains("\"resource\":{\"a\":1}"), scanned);
        assertEquals(
                scanned + "\n",
                Cli.on(directory())
                        .run("scan", "otlp.logs", "-o", "json", "--where", "attr.a == 1")
                        .ok()
                        .out());
    }

    @Test
    void shouldChangeTheSchemaByRequest() throws Exception {
        start();
        String defined = ask("/v1/schema", "{\"op\":\"define-source\",\"name\":\"a\",\"format\":\"struct:v:i64\"}")
                .body();
        assertTrue(defined.startsWith("{\"source\":{\"id\":"), defined);
        String index = ask("/v1/schema", "{\"op\":\"define-index\",\"source\":\"a\",\"field\":\"v\"}")
                .body();
        assertTrue(index.contains("\"function\":\"field:i64:1:v\""), index);
        String indexes = ask("/v1/indexes", "{\"source\":\"a\"}").body();
        assertEquals(2, indexes.lines().count(), indexes);
        requireError(400, "bad_request", ask("/v1/schema", "{\"op\":\"drop\"}"));
        requireError(400, "bad_request", ask("/v1/schema", "{\"op\":\"close-source\",\"name\":\"b\"}"));
    }

    @Test
    void shouldKeepSourcesOpenThatAReceiverFeeds() throws Exception {
        start();
        String logs = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"a\"}}]}]}]}";
        for (String source : List.of("otlp.logs", "otlp.spans", "otlp.contexts")) {
            HttpResponse<String> refused = ask("/v1/schema", "{\"op\":\"close-source\",\"name\":\"" + source + "\"}");
            requireError(403, "forbidden", refused);
            assertTrue(refused.body().contains("fed by the OTLP receiver"), refused.body());
            remote().run("source", "close", source).exit(2);
        }
        HttpResponse<String> stored = post("otlp-http", "/v1/logs", logs);
        assertEquals("{}", stored.body());
        assertEquals(200, get("/readyz").statusCode());
    }

    @Test
    void shouldChangeNoSchemaWhenThatIsSwitchedOff() throws Exception {
        start("", null, null, ANY_PORT);
        remote().run("source", "add", "lines", "--format", "text").ok();
        sidecar.close();
        start("api: {schema_changes: false}\nreceivers: {loom: {schema_changes: false}}", null, ANY_PORT, ANY_PORT);
        for (String body : List.of(
                "{\"op\":\"define-source\",\"name\":\"a\",\"format\":\"text\"}",
                "{\"op\":\"close-source\",\"name\":\"lines\"}",
                "{\"op\":\"define-index\",\"source\":\"lines\",\"field\":\"line\"}",
                "{\"op\":\"close-index\",\"source\":\"lines\",\"name\":\"line\"}")) {
            HttpResponse<String> refused = ask("/v1/schema", body);
            requireError(403, "forbidden", refused);
            assertTrue(refused.body().contains("api.schema_changes"), refused.body());
        }
        assertTrue(ask("/v1/schema", "{\"op\":\"source\",\"name\":\"lines\"}")
                .body()
                .contains("text"));
        remote().run("source", "close", "lines").exit(2);
        remote().importText("other", "lines", "a\n").exit(2);
        remote().importText("lines", "lines", "a\n").ok();
    }

    @Test
    void shouldCorrectTheEventTimeOfASource() throws Exception {
        start();
        String rows = "ts_ns,u\n5001,7\n4999,9\n";
        remote().importText("s", "csv", rows, "--event-time", "ts_ns", "--event-clock", "wall")
                .ok();
        remote().run("source", "set", "s", "--event-time", "u", "--event-time-unit", "s")
                .ok()
                .says("source s has the event time u (wall, s)");
        String scan = "{\"source\":\"s\",\"time\":\"event\",\"from\":\"8\"}";
        String found = ask("/v1/scan", scan).body();
        assertTrue(found.startsWith("{\"time\":\"1970-01-01T00:00:09.000000000Z\""), found);
        assertEquals(2, found.lines().count(), found);
        remote().importText("s", "csv", "ts_ns,u\n1,10\n").ok();
        assertEquals(3, ask("/v1/scan", scan).body().lines().count());
        remote().run("source", "set", "s", "--event-time", "v").exit(2);
        remote().run("source", "set", "r", "--event-time", "u").exit(2).says("no open source: r");
        sidecar.close();

        start("receivers: {loom: {schema_changes: false}}", null, ANY_PORT, ANY_PORT);
        assertEquals(3, ask("/v1/scan", scan).body().lines().count());
        remote().run("source", "set", "s", "--event-time", "ts_ns").exit(2);
        assertEquals(3, ask("/v1/scan", scan).body().lines().count());
    }

    @Test
    void shouldAnswerHeadAsGetWithoutABody() throws Exception {
        start();
        for (String path : List.of("/healthz", "/readyz", "/metrics")) {
            HttpResponse<String> head = http.send(
                    to("http", path)
                            .method("HEAD", HttpRequest.BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
            assertEquals(200, head.statusCode(), path);
            assertEquals("", head.body(), path);
            assertEquals(
                    get(path).headers().firstValue("Content-Type"),
                    head.headers().firstValue("Content-Type"),
                    path);
        }
    }

    @Test
    void shouldSayWhyARequestIsNotServed() throws Exception {
        start();
        requireError(404, "not_found", ask("/v1/nothing", "{}"));
        requireError(404, "not_found", ask("/v1/scan", "{\"source\":\"none\"}"));
        requireError(400, "bad_request", ask("/v1/scan", "{"));
        requireError(413, "too_large", ask("/v1/scan", " ".repeat(100_000)));
        requireError(405, "method_not_allowed", get("/v1/scan"));
        requireError(405, "method_not_allowed", ask("/metrics", "{}"));
        requireError(
                415,
                "unsupported_media_type",
                http.send(
                        to("http", "/v1/scan")
                                .header("Content-Type", "text/plain")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        BodyHandlers.ofString()));
        HttpRequest streamed = to("http", "/v1/scan")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> InputStream.nullInputStream().markSupported()
                                ? InputStream.nullInputStream()
                                : new java.io.ByteArrayInputStream(new byte[100_000])))
                .build();
        requireError(413, "too_large", http.send(streamed, BodyHandlers.ofString()));
    }

    @Test
    void shouldFollowUntilTheClientLeavesAndRefuseWhatIsTooMuch() throws Exception {
        start("api: {max_queries: 1, max_followers: 1}", null, ANY_PORT, ANY_PORT);
        remote().importText("lines", "lines", "a\nb\n").ok();
        HttpResponse<InputStream> tail = http.send(
                to("http", "/v1/tail")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"source\":\"lines\",\"follow\":true}"))
                        .build(),
                BodyHandlers.ofInputStream());
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(tail.body(), StandardCharsets.UTF_8))) {
            assertTrue(lines.readLine().contains("\"a\""));
            assertTrue(lines.readLine().contains("\"b\""));
            remote().importText("lines", "lines", "c\n").ok();
            assertTrue(lines.readLine().contains("\"c\""));
            HttpResponse<String> refused = ask("/v1/tail", "{\"source\":\"lines\",\"follow\":true}");
            requireError(429, "busy", refused);
            assertTrue(refused.headers().firstValue("Retry-After").isPresent());
            assertEquals(200, ask("/v1/scan", "{\"source\":\"lines\"}").statusCode());
        }
        remote().importText("lines", "lines", "d\n").ok();
        String request = "{\"source\":\"lines\",\"follow\":true,\"lines\":0,\"timeout\":\"1ms\"}";
        int status = 429;
        while (status == 429) {
            // the server tries every few seconds whether the client is there
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            status = ask("/v1/tail", request).statusCode();
        }
        assertEquals(504, status);
    }

    @Test
    void shouldAdmitNobodyWithoutTheToken() throws Exception {
        Path token = Files.createFile(
                temp.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "secret\n");
        start("server: {auth: {token_file: " + token + "}}", ANY_PORT, ANY_PORT, ANY_PORT);
        HttpResponse<String> refused = ask("/v1/sources", "{}");
        requireError(401, "unauthenticated", refused);
        assertEquals("Bearer", refused.headers().firstValue("WWW-Authenticate").orElse(""));
        requireError(401, "unauthenticated", get("/metrics"));
        remote().importText("lines", "lines", "a\n").exit(2);
        remote().environment("LOOM_TOKEN_FILE", token.toString())
                .importText("lines", "lines", "a\n")
                .ok();
        HttpResponse<String> admitted = http.send(
                to("http", "/v1/sources")
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer secret")
                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                        .build(),
                BodyHandlers.ofString());
        assertEquals(200, admitted.statusCode(), admitted.body());
    }

    @Test
    void shouldTellOfItself() throws Exception {
        start();
        remote().importText("lines", "lines", "a\nb\n").ok();
        assertEquals("ok\n", get("/healthz").body());
        assertEquals(200, get("/readyz").statusCode());
        ask("/v1/scan", "{\"source\":\"lines\"}");
        HttpResponse<String> metrics = get("/metrics");
        while (!metrics.body().contains("loom_query_duration_seconds_count{query=\"scan\"} 1")) {
            metrics = get("/metrics"); // a query is counted once it has answered
        }
        assertEquals(
                "text/plain; version=0.0.4; charset=utf-8",
                metrics.headers().firstValue("Content-Type").orElseThrow());
        List<String> lines = metrics.body().lines().toList();
        assertTrue(lines.contains("loom_ingest_records_total 2"), metrics.body());
        assertTrue(lines.contains("loom_source_records_total{source=\"lines\"} 2"), metrics.body());
    }

    @Test
    void shouldRefuseToServeOthersUnprotected() throws Exception {
        for (String address : List.of("0.0.0.0:0", "[::]:0")) {
            assertThrows(IllegalArgumentException.class, () -> start("", null, address, null));
            assertThrows(IllegalArgumentException.class, () -> start("", address, null, null));
            assertThrows(IllegalArgumentException.class, () -> start("", null, null, address));
        }
        start("server: {insecure: true}", null, "0.0.0.0:0", "0.0.0.0:0");
        assertEquals(2, sidecar.addresses().size());
    }

    @Test
    void shouldRefuseSettingsThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> start("servre: {insecure: true}", null, ANY_PORT, null));
        assertThrows(
                IllegalArgumentException.class, () -> start("server: {tls: {cert_file: a.pem}}", null, ANY_PORT, null));
        assertThrows(IllegalArgumentException.class, () -> start("server: {idle_timeout: soon}", null, ANY_PORT, null));
        assertThrows(IllegalArgumentException.class, () -> start("", null, "nowhere", null));
    }

    @Test
    void shouldTakeLinesOfThePythonClient() throws Exception {
        assumeTrue(hasPython(), "no python3");
        start();
        String[] address = address("ingest").split(":", 2);
        Process client = new ProcessBuilder(
                        "python3",
                        Path.of("..", "docs/examples/ingest/client.py").toString(),
                        address[0],
                        address[1],
                        "numbers")
                .redirectErrorStream(true)
                .start();
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            lines.append(i).append('\n');
        }
        client.getOutputStream().write(lines.toString().getBytes(StandardCharsets.UTF_8));
        client.getOutputStream().close();
        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, client.waitFor(), printed);
        assertEquals(
                lines.toString(),
                Cli.on(directory())
                        .run("scan", "numbers", "--asc", "-o", "raw")
                        .ok()
                        .out());
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldCloseTheStoreWhenClosed() throws Exception {
        start();
        remote().importText("lines", "lines", "a\n").ok();
        sidecar.close();
        try (LoomReader reader = LoomReader.attach(directory())) {
            assertEquals(StoreInfo.State.CLOSED, reader.info().state());
        }
        assertFalse(Cli.on(directory()).run("scan", "lines").ok().out().isEmpty());
    }
}
