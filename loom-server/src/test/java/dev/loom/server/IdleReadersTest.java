package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask for much and take nothing of it. */
final class IdleReadersTest {
    /** Of answers that no buffer on the way takes as a whole. */
    private static final int LINES = 3000;

    private static final String SCAN = "{\"source\":\"lines\"}";
    private static final String FOLLOW = "{\"source\":\"lines\",\"follow\":true,\"lines\":3000}";

    @TempDir
    Path temp;

    private final List<Socket> sockets = new ArrayList<>();
    private final TestClient http = new TestClient();
    private LoomServer sidecar;

    @BeforeEach
    void fill() {
        TestServers.store(temp, "lines", "x".repeat(8000), LINES);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sidecar.close();
    }

    private void start(String writeTimeout, String api) throws IOException {
        String yaml =
                "api: {max_queries: 2, max_followers: 2, " + api + "}\nserver: {write_timeout: " + writeTimeout + "}\n";
        sidecar = LoomServer.open(
                TestServers.settings(temp, yaml, TestServers.API).build());
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
        return TestClient.request(sidecar, path).timeout(Duration.ofSeconds(30));
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
        assertEquals(200, ask("/v1/scan", SCAN).statusCode());
        // a follower that finds nothing in its time has been let in
        awaitStatus(504, "/v1/tail", "{\"source\":\"lines\",\"follow\":true,\"lines\":0,\"timeout\":\"1ms\"}");
    }

    @Test
    void shouldCutOffWhoTakesNothing() throws Exception {
        start("500ms", "queue_timeout: 20s");
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_query_duration_seconds_count{query=\"scan\"} 1");
        InputStream answer = sockets.get(0).getInputStream();
        String end = "";
        try {
            String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
            end = text.substring(text.length() - 20);
        } catch (IOException e) {
            end = String.valueOf(e.getMessage());
        }
        assertTrue(!end.contains("\"stats\""), end);
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
    void shouldRefuseOnceTheQueueIsFullOrItsTimeIsOver() throws Exception {
        start("30s", "max_queued_queries: 1, queue_timeout: 1s");
        ignore("/v1/scan", SCAN);
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_queries_running{kind=\"query\"} 2");
        ignore("/v1/scan", SCAN);
        awaitMetric("loom_queries_queued{kind=\"query\"} 1");
        assertEquals(429, ask("/v1/scan", SCAN).statusCode());
        InputStream refused = sockets.get(2).getInputStream();
        assertTrue(new String(refused.readNBytes(12), StandardCharsets.UTF_8).endsWith("429"));
    }

    @Test
    void shouldEndTheStreamAloneOfWhoSharesAConnection() throws Exception {
        start("500ms", "queue_timeout: 20s");
        awaitMetric(
                "loom_query_duration_seconds_count{query=\"scan\"} 0"); // by a request that can be upgraded to HTTP/2
        HttpResponse<InputStream> ignored = http.send(post("/v1/scan", SCAN), BodyHandlers.ofInputStream());
        awaitMetric("loom_query_duration_seconds_count{query=\"scan\"} 1");
        awaitMetric("loom_http_connections 1");
        assertEquals(HttpClient.Version.HTTP_2, ignored.version());
        assertThrows(IOException.class, () -> ignored.body().readAllBytes());
    }
}
