package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.loom.otlp.tls.ClientTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that ask for much and take nothing of it. */
final class IdleReadersTest {
    private static int tests;

    /** Of answers that no buffer on the way takes as a whole. */
    private static final int LINES = 3000;

    private static final String SCAN = "{\"source\":\"lines\"}";
    private static final String FOLLOW = "{\"source\":\"lines\",\"follow\":true,\"lines\":3000}";

    @TempDir
    Path temp;

    private final List<Socket> sockets = new ArrayList<>();
    private TestClient http = new TestClient();
    private LoomServer sidecar;
    private String origin = "";

    @BeforeEach
    void fill() {
        TestServers.store(temp, "lines", "x".repeat(8000), LINES);
    }

    @AfterAll
    static void count() {
        System.out.println("row=R31 faults=" + tests + " checked=" + tests + " seed=0");
    }

    @AfterEach
    void close() throws IOException {
        tests++;
        for (Socket socket : sockets) {
            socket.close();
        }
        sidecar.close();
    }

    private void start(String writeTimeout, String api) throws IOException {
        start(writeTimeout, api, "idle_timeout: 1m");
    }

    private void start(String writeTimeout, String api, String server) throws IOException {
        String yaml = "api: {max_queries: 2, max_followers: 2, " + api + "}\nserver: {write_timeout: " + writeTimeout
                + ", " + server + "}\n";
        sidecar = LoomServer.open(
                TestServers.settings(temp, yaml, TestServers.API).build());
        origin = "http://" + address();
    }

    private String address() {
        return String.valueOf(sidecar.addresses().get("http"));
    }

    /** Asks, and never reads. */
    private void ignore(String path, String body) throws IOException {
        send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + "Content-Length: "
                + body.length() + "\r\n\r\n" + body);
    }

    private void send(String request) throws IOException {
        String[] address = address().split(":", 2);
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(address[0], Integer.parseInt(address[1])));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(origin + path)).timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> ask(String path, String body) throws Exception {
        return http.send(post(path, body));
    }

    private HttpRequest.Builder post(String path, String body) {
        return to(path).header("Content-Type", TestClient.JSON).POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private void awaitStatus(int expected, String path, String body) throws Exception {
        int status = 429;
        while (status == 429) {
            status = ask(path, body).statusCode();
        }
        assertEquals(expected, status);
    }

    private void awaitMetric(String line) throws Exception {
        String metrics = "";
        while (!metrics.lines().toList().contains(line)) {
            metrics = http.send(to("/metrics")).body();
        }
    }

    @Test
    void shouldAnswerOthersWhenClientsTakeNothing() throws Exception {
        start("500ms", "queue_timeout: 20s");
        for (int i = 0; i < 2; i++) {
            ignore("/v1/scan", SCAN);
            ignore("/v1/tail", FOLLOW);
        }
        assertEquals(200, ask("/v1/sources", "{}").statusCode());
        assertEquals(200, ask("/v1/scan", "{\"source\":\"lines\",\"limit\":1}").statusCode());
        // a follower that finds nothing in its time has been let in
        awaitStatus(504, "/v1/tail", "{\"source\":\"lines\",\"follow\":true,\"lines\":0,\"timeout\":\"1ms\"}");
    }

    /** Whoever reads nothing of a short answer, such as a file of the page, holds up no thread: there are few for them. */
    @ParameterizedTest
    @CsvSource({"/page/vendor/uPlot.iife.min.js, page", "/loki/api/v1/labels, loki_labels", "/metrics, /metrics"})
    void shouldLookUpForOthersWhenClientsTakeNothingOfLookups(String path, String name) throws Exception {
        start("30m", "queue_timeout: 20s");
        try (Http2Streams client = new Http2Streams(address())) {
            for (int i = 0; i < 2 * QueryPool.LOOKUPS_MAX; i++) {
                client.get(path);
            }
            if (!name.equals(path)) {
                awaitMetric("loom_query_duration_seconds_count{query=\"" + name + "\"} " + 2 * QueryPool.LOOKUPS_MAX);
            }
            assertEquals(200, ask("/v1/sources", "{}").statusCode());
        }
    }

    /** What many clients send, a little each, is bounded in all; it takes nothing from requests without a body. */
    @Test
    void shouldBoundWhatUnfinishedRequestsHold() throws Exception {
        start("30m", "queue_timeout: 20s");
        List<Http2Streams> clients = new ArrayList<>();
        byte[] body = new byte[60_000];
        int status = 200;
        while (status == 200) { // until 8 MiB are held, by some 130 requests
            Http2Streams client = new Http2Streams(address());
            clients.add(client);
            for (int i = 0; i < 16; i++) {
                client.begin("/v1/scan", body);
            }
            status = ask("/v1/sources", "{}").statusCode();
            assertTrue(clients.size() < 20);
        }
        assertEquals(429, status);
        assertTrue(clients.size() >= 8, "clients=" + clients.size());
        assertEquals(200, http.send(to("/metrics")).statusCode());
        assertEquals(200, http.send(to("/loki/api/v1/labels")).statusCode());
        for (Http2Streams client : clients) {
            client.close();
        }
        awaitStatus(200, "/v1/sources", "{}");
    }

    /** Ask for all lines in each form that answers have. */
    private static Stream<Arguments> forms() {
        String scan = String.join(
                "\r\n",
                "POST /v1/scan HTTP/1.1",
                "Host: localhost",
                "Content-Type: application/json",
                "Content-Length: " + SCAN.length(),
                "Accept: %s",
                "",
                SCAN);
        String loki = String.join(
                "\r\n",
                "GET /loki/api/v1/query_range?limit=3000&query=%7Bsource%3D%22lines%22%7D HTTP/1.1",
                "Host: localhost",
                "",
                "");
        return Stream.of(
                arguments("scan", String.format(scan, "application/jsonl")),
                arguments("scan", String.format(scan, "application/json")),
                arguments("scan", String.format(scan, "text/csv")),
                arguments("scan", String.format(scan, "application/vnd.apache.arrow.stream")),
                arguments("loki_query_range", loki));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void shouldCutOffWhoTakesNothing(String query, String request) throws Exception {
        start("500ms", "queue_timeout: 20s");
        send(request);
        awaitMetric("loom_query_duration_seconds_count{query=\"" + query + "\"} 1");
        InputStream answer = sockets.get(0).getInputStream();
        String end = "";
        try {
            String text = new String(answer.readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(text.startsWith("HTTP/1.1 200"), text.substring(0, 100));
            end = text.substring(text.length() - 20);
        } catch (IOException e) {
            end = String.valueOf(e.getMessage());
        }
        assertTrue(!end.contains("\"stats\"") && !end.endsWith("0\r\n\r\n"), end);
    }

    @Test
    void shouldCloseWhileClientsTakeNothing() throws Exception {
        Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
        start("30m", "queue_timeout: 20s");
        for (Arguments form : forms().skip(3).toList()) {
            send((String) form.get()[1]);
        }
        ignore("/v1/tail", FOLLOW);
        awaitMetric("loom_queries_running{kind=\"query\"} 2");
        awaitMetric("loom_queries_running{kind=\"follower\"} 1");
        send((String) forms().toList().get(0).get()[1]);
        awaitMetric("loom_queries_queued{kind=\"query\"} 1");
        sidecar.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("loom-") && !before.contains(thread)) {
                thread.join(Duration.ofMinutes(1).toMillis());
                assertFalse(thread.isAlive(), thread.getName());
            }
        }
    }

    @Test
    void shouldCutOffWhoFollowsByAWebSocketAndTakesNothing() throws Exception {
        start("500ms", "queue_timeout: 20s");
        for (int i = 0; i < 2; i++) {
            String request = String.join(
                    "\r\n",
                    "GET /loki/api/v1/tail?limit=3000&query=%7Bsource%3D%22lines%22%7D HTTP/1.1",
                    "Host: localhost",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
            send(request + "\r\n\r\n");
            InputStream begun = sockets.get(i).getInputStream();
            assertTrue(new String(begun.readNBytes(12), StandardCharsets.UTF_8).endsWith("101"));
        }
        awaitMetric("loom_queries_running{kind=\"follower\"} 0");
    }

    @Test
    void shouldLeaveLookupsAndQueriesFreeOfFollowers() throws Exception {
        start("30s", "queue_timeout: 20s");
        ignore("/v1/tail", FOLLOW);
        ignore("/v1/tail", FOLLOW);
        awaitMetric("loom_queries_running{kind=\"follower\"} 2");
        assertEquals(429, ask("/v1/tail", FOLLOW).statusCode());
        assertEquals(200, ask("/v1/scan", "{\"source\":\"lines\",\"limit\":1}").statusCode());
        for (String path : List.of("/v1/sources", "/v1/indexes", "/v1/info")) {
            assertEquals(200, ask(path, "{}").statusCode(), path);
        }
    }

    @Test
    void shouldRefuseOnceTheQueueIsFull() throws Exception {
        start("30s", "max_queued_queries: 1, queue_timeout: 30s");
        ignore("/v1/scan", SCAN);
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_queries_running{kind=\"query\"} 2");
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_queries_queued{kind=\"query\"} 1");
        assertEquals(429, ask("/v1/scan", SCAN).statusCode());
    }

    @Test
    void shouldRefuseOnceTheTimeInTheQueueIsOver() throws Exception {
        start("30s", "queue_timeout: 1s");
        ignore("/v1/scan", SCAN);
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_queries_running{kind=\"query\"} 2");
        ignore("/v1/scan", SCAN);
        InputStream refused = sockets.get(2).getInputStream();
        assertTrue(new String(refused.readNBytes(12), StandardCharsets.UTF_8).endsWith("429"));
    }

    @Test
    void shouldEndTheStreamAloneOfWhoSharesAConnection() throws Exception {
        TestIdentity identity = TestIdentity.create(temp, "localhost");
        start(
                "500ms",
                "queue_timeout: 20s",
                "tls: {cert_file: " + identity.cert() + ", key_file: " + identity.key() + "}");
        http = new TestClient(HttpClient.newBuilder()
                .sslContext(new ClientTls(identity.cert(), null, null).context())
                .build());
        origin = "https://localhost:" + address().split(":", 2)[1];
        HttpResponse<InputStream> ignored = http.send(post("/v1/scan", SCAN), BodyHandlers.ofInputStream());
        awaitMetric("loom_query_duration_seconds_count{query=\"scan\"} 1");
        awaitMetric("loom_http_connections 1");
        assertEquals(HttpClient.Version.HTTP_2, ignored.version());
        assertThrows(IOException.class, () -> ignored.body().readAllBytes());
    }
}
