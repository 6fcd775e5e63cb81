package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.Recorder;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreNotFoundException;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.ServerProtection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers within applications that have the store open. */
final class LoomServerTest {
    private static final Endpoint ANY_PORT = Endpoint.parse("127.0.0.1:0");
    private static final UnsafeBuffer HELLO = new UnsafeBuffer("hello".getBytes(StandardCharsets.UTF_8));
    private static final String SCAN = "{\"source\":\"lines\"}";
    private static final String LOGS =
            "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"a\"}}]}]}]}";

    @TempDir
    Path temp;

    private Loom open() {
        return Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
    }

    private static ServerSettings.Builder api() {
        return ServerSettings.builder().api(ANY_PORT);
    }

    private static HttpResponse<String> ask(LoomServer server, String endpoint, String path, String body)
            throws Exception {
        return new TestClient().post(server, endpoint, path, TestClient.JSON, body);
    }

    private static HttpResponse<String> get(LoomServer server, String path) throws Exception {
        return new TestClient().get(server, path);
    }

    private static void requireLines(long expected, LoomServer server) throws Exception {
        HttpResponse<String> answer = ask(server, "http", "/v1/scan", SCAN);
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(expected + 1, answer.body().lines().count(), answer.body());
    }

    @Test
    void shouldServeTheStoreOfARecorder() throws Exception {
        try (Recorder recorder = Recorder.on(open()).start()) {
            int lines = recorder.defineSource("lines", Formats.text());
            try (LoomServer server = LoomServer.start(recorder, api().build())) {
                assertEquals(0, recorder.offer(lines, HELLO, 0, HELLO.capacity()));
                assertTrue(recorder.sync(Duration.ofMinutes(1)));
                requireLines(1, server);
                assertEquals("ok\n", get(server, "/readyz").body());
                assertTrue(get(server, "/metrics").body().contains("loom_source_records_total{source=\"lines\"} 1"));
                assertEquals(temp.resolve("store"), server.directory());
                assertEquals(Duration.ZERO, server.clockAhead());
            }
            assertEquals(0, recorder.offer(lines, HELLO, 0, HELLO.capacity()));
        }
    }

    @Test
    void shouldAnswerJavasOwnClientsWhichAskForAnUpgradeToHttp2() throws Exception {
        try (Loom loom = open();
                LoomServer server = LoomServer.start(loom, api().build())) {
            for (int i = 0; i < 100; i++) {
                String metrics = get(server, "/metrics").body();
                assertTrue(metrics.length() > 64 * 1024, metrics);
                assertTrue(metrics.endsWith("\n"), metrics);
            }
        }
    }

    @Test
    void shouldChangeNoSchemaOfAStoreThatTheApplicationWrites() throws Exception {
        try (Loom loom = open();
                LoomServer server = LoomServer.start(loom, api().build())) {
            loom.defineSource("lines", Formats.text());
            String defined = ask(server, "http", "/v1/schema", "{\"op\":\"source\",\"name\":\"lines\"}")
                    .body();
            assertTrue(defined.contains("\"format\":\"text\""), defined);
            HttpResponse<String> refused =
                    ask(server, "http", "/v1/schema", "{\"op\":\"close-source\",\"name\":\"lines\"}");
            assertEquals(403, refused.statusCode());
            assertTrue(refused.body().contains("store is served to readers alone"), refused.body());
        }
    }

    @Test
    void shouldServeAStoreThatIsOnlyRead() throws Exception {
        TestServers.store(temp, "lines", "a", 3);
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                LoomServer server = LoomServer.start(reader, api().build())) {
            requireLines(3, server);
            assertEquals("ok\n", get(server, "/readyz").body());
        }
    }

    @Test
    void shouldFollowAStoreThatOthersOpenAgainAndAgain() throws Exception {
        TestServers.store(temp, "lines", "a", 3);
        try (LoomServer server = LoomServer.attach(temp.resolve("store"), api().build())) {
            for (int stored = 3; stored < 15; stored += 4) {
                requireLines(stored, server);
                assertEquals("ok\n", get(server, "/readyz").body());
                assertTrue(get(server, "/metrics")
                        .body()
                        .contains("loom_source_records_total{source=\"lines\"} " + stored));
                TestServers.store(temp, "lines", "b", 4);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> LoomServer.attach(
                        temp.resolve("store"), api().ingest(ANY_PORT).build()));
        assertThrows(StoreNotFoundException.class, () -> LoomServer.attach(temp.resolve("none"), api().build()));
    }

    @Test
    void shouldSendThePageToAnyoneAndNothingOfTheStore() throws Exception {
        TestServers.store(temp, "lines", "a", 3);
        Path token = Files.writeString(temp.resolve("token"), "s3cret\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        ServerProtection locked = ServerProtection.builder().tokenFile(token).build();
        try (LoomServer server = LoomServer.attach(
                temp.resolve("store"), api().protection(locked).build())) {
            HttpResponse<String> index = get(server, "/");
            assertEquals(200, index.statusCode());
            assertEquals(
                    "text/html;charset=utf-8",
                    index.headers().firstValue("Content-Type").orElseThrow());
            String policy =
                    index.headers().firstValue("Content-Security-Policy").orElseThrow();
            assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
            assertFalse(policy.contains("unsafe"), policy);
            assertEquals(
                    "nosniff",
                    index.headers().firstValue("X-Content-Type-Options").orElseThrow());
            String tag = index.headers().firstValue("ETag").orElseThrow();
            TestClient client = new TestClient();
            assertEquals(304, client.get(server, "/", "If-None-Match", tag).statusCode());
            assertEquals(
                    405,
                    client.send(TestClient.request(server, "/").POST(BodyPublishers.noBody()))
                            .statusCode());
            for (String path : List.of(
                    "/page/", "/page/PageApi.class", "/page/%2e%2e/PageApi.class", "/page//main.js", "/page/vendor")) {
                assertTrue(List.of(400, 401, 404).contains(get(server, path).statusCode()), path);
            }
            assertEquals(401, ask(server, "http", "/v1/sources", "{}").statusCode());
        }
    }

    @Test
    void shouldTakeRecordsIntoTheStoreThatTheApplicationWrites() throws Exception {
        ServerSettings settings = api().ingest(ANY_PORT).otlpHttp(ANY_PORT).build();
        try (SharedWriter writer = new SharedWriter(open())) {
            try (LoomServer server = LoomServer.start(writer, settings)) {
                TestServers.send(server, "lines", "sent");
                assertTrue(writer.acquire(Duration.ofMinutes(1)));
                writer.loom().push(writer.loom().source("lines").orElseThrow().id(), HELLO, 0, HELLO.capacity());
                writer.release();
                requireLines(2, server);
                assertEquals("{}", ask(server, "otlp-http", "/v1/logs", LOGS).body());
                String define = "{\"op\":\"define-index\",\"source\":\"lines\",\"field\":\"line\",\"backfill\":true}";
                assertEquals(400, ask(server, "http", "/v1/schema", define).statusCode());
            }
            assertTrue(writer.isOpen());
            try (Snapshot snapshot = writer.loom().snapshot()) {
                assertEquals(
                        1,
                        snapshot.statistics(snapshot.source("otlp.logs")
                                        .orElseThrow()
                                        .id())
                                .records());
            }
        }
    }

    @Test
    void shouldNotReceiveRecordsForAStoreThatItMayNotWrite() {
        try (Loom loom = open()) {
            ServerSettings settings = api().ingest(ANY_PORT).build();
            assertThrows(IllegalArgumentException.class, () -> LoomServer.start(loom, settings));
            assertThrows(IllegalArgumentException.class, () -> LoomServer.open(settings));
        }
    }

    @Test
    void shouldReleaseTheStoreAndItsThreadsWhenAnEndpointIsTaken() throws Exception {
        LoomConfig config =
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint endpoint = Endpoint.parse("127.0.0.1:" + taken.getLocalPort());
            ServerSettings settings = ServerSettings.builder()
                    .store(config)
                    .ingest(ANY_PORT)
                    .otlpHttp(ANY_PORT)
                    .api(endpoint)
                    .build();
            Set<Thread> before = threads();
            IOException e = assertThrows(IOException.class, () -> LoomServer.open(settings));
            assertEquals(
                    "can't listen: address=127.0.0.1:" + taken.getLocalPort() + ", reason=Address already in use",
                    e.getMessage());
            requireNoThreadsBeside(before);
        }
        Loom.open(config).close();
    }

    @Test
    void shouldEndAllThreadsWhenClosedWhileInterruptedAndOnlyOnce() throws Exception {
        Set<Thread> before = threads();
        try (Loom loom = open()) {
            LoomServer server = LoomServer.start(loom, api().build());
            loom.defineSource("lines", Formats.text());
            Thread.currentThread().interrupt();
            server.close();
            assertTrue(Thread.interrupted());
            server.close();
        }
        requireNoThreadsBeside(before);
    }

    @Test
    void shouldNotKeepAProgramFromEndingThatDoesNotCloseIt() throws Exception {
        Set<Thread> before = threads();
        try (Loom loom = open();
                LoomServer server = LoomServer.start(loom, api().build())) {
            assertEquals(200, get(server, "/metrics").statusCode());
            Set<Thread> started = new HashSet<>(threads());
            started.removeAll(before);
            for (Thread thread : started) {
                assertTrue(thread.isDaemon() || !thread.getName().startsWith("loom-"), thread.getName());
            }
            assertTrue(
                    started.stream().anyMatch(thread -> thread.getName().startsWith("loom-http")), started.toString());
        }
    }

    /** Raw clients have the whole time; those that send requests by HTTP have it as well, and none may begin with a new one. */
    @Test
    void shouldAnswerWhatIsInFlightWhenClosedBesideASilentRawClient() throws Exception {
        ServerSettings settings = api().ingest(ANY_PORT).otlpHttp(ANY_PORT).build();
        try (SharedWriter writer = new SharedWriter(open())) {
            try (LoomServer server = LoomServer.start(writer, settings);
                    Socket silent = connect(server, "ingest");
                    Socket sending = connect(server, "otlp-http")) {
                assertEquals("{}", ask(server, "otlp-http", "/v1/logs", LOGS).body()); // loads what is needed at first
                sendText(sending, "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
                sendText(sending, "Content-Length: " + LOGS.length() + "\r\n\r\n" + LOGS.charAt(0));
                awaitBoth(server);
                FutureTask<Boolean> closing = new FutureTask<>(() -> {
                    server.close(Duration.ofSeconds(30));
                    return true;
                });
                new Thread(closing, "closing").start();
                while (accepts(server, "otlp-http")) {
                    Thread.onSpinWait();
                }
                sendText(sending, LOGS.substring(1));
                byte[] begin = sending.getInputStream().readNBytes("HTTP/1.1 200".length());
                assertEquals("HTTP/1.1 200", new String(begin, StandardCharsets.US_ASCII));
                silent.shutdownOutput();
                assertTrue(closing.get());
            }
            try (Snapshot snapshot = writer.loom().snapshot()) {
                int logs = snapshot.source("otlp.logs").orElseThrow().id();
                assertEquals(2, snapshot.statistics(logs).records());
            }
        }
    }

    @Test
    void shouldNotWaitForASilentRawClientLongerThanTold() throws Exception {
        ServerSettings settings = ServerSettings.builder().ingest(ANY_PORT).build();
        try (SharedWriter writer = new SharedWriter(open());
                LoomServer server = LoomServer.start(writer, settings);
                Socket silent = connect(server, "ingest")) {
            server.close(Duration.ofMillis(100));
            assertFalse(accepts(server, "ingest"));
            requireEnd(silent);
        }
    }

    private static Socket connect(LoomServer server, String name) throws IOException {
        Endpoint endpoint = Endpoint.parse(String.valueOf(server.addresses().get(name)));
        return new Socket(endpoint.host(), endpoint.port());
    }

    private static boolean accepts(LoomServer server, String name) {
        try (Socket socket = connect(server, name)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static void sendText(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Waits until the server has both a connection to its raw port and a part of a request. */
    private static void awaitBoth(LoomServer server) throws Exception {
        boolean both = false;
        while (!both) {
            String metrics = get(server, "/metrics").body();
            both = metrics.contains("\nloom_ingest_connections 1\n")
                    && !metrics.contains("\nloom_otlp_in_flight_bytes 0\n");
        }
    }

    private static void requireEnd(Socket socket) throws IOException {
        try {
            assertEquals(-1, socket.getInputStream().read());
        } catch (SocketException e) {
            // reset: ended as well
        }
    }

    private static Set<Thread> threads() {
        return Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    /** Waits for the end of all of the project's threads that were started since. */
    private static void requireNoThreadsBeside(Set<Thread> before) throws InterruptedException {
        for (Thread thread : threads()) {
            if (thread.getName().startsWith("loom-") && !before.contains(thread)) {
                thread.join(Duration.ofMinutes(1).toMillis());
                assertFalse(thread.isAlive(), thread.getName());
            }
        }
    }
}
