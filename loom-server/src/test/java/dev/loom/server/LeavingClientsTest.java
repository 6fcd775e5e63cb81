package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.server.ClientTls;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.otlp.server.TlsConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that leave before they get an answer, as dashboards do when somebody looks at another hour. */
final class LeavingClientsTest {
    @TempDir
    Path temp;

    /** Answers with the path, once it is told to. */
    private static final class Waiting extends Handler.Abstract.NonBlocking {
        final CountDownLatch gone = new CountDownLatch(1);
        final BlockingQueue<Runnable> asked = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            HttpServers.onGone(request, gone::countDown);
            byte[] answer = Request.getPathInContext(request).getBytes(StandardCharsets.US_ASCII);
            asked.add(() -> response.write(true, ByteBuffer.wrap(answer), callback));
            return true;
        }

        void answer() throws InterruptedException {
            asked.take().run();
        }
    }

    private static HttpServers start(Waiting handler, ServerProtection protection) throws IOException {
        return HttpServers.start(
                protection,
                List.of(new HttpServers.Listener(Endpoint.parse("127.0.0.1:0"), handler, ApiHandler.refusals())),
                Throwable::printStackTrace);
    }

    private static void send(Socket socket, String path) throws IOException {
        String request = "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private static void requireAnswer(Socket socket, String path) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) socket.getInputStream().readNBytes(1)[0]);
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 200"), head.toString());
        byte[] body = socket.getInputStream().readNBytes(path.length() + 1);
        assertEquals("/" + path, new String(body, StandardCharsets.US_ASCII));
    }

    @Test
    void shouldNoticeWhoLeavesAnEncryptedConnection() throws Exception {
        TestIdentity identity = TestIdentity.create(temp, "own");
        Waiting handler = new Waiting();
        ServerProtection protection = ServerProtection.builder()
                .tls(new TlsConfig(identity.cert(), identity.key()))
                .build();
        ClientTls tls = new ClientTls(identity.cert(), null, null);
        try (HttpServers server = start(handler, protection)) {
            try (Socket beneath = new Socket(InetAddress.getLoopbackAddress(), server.port(0));
                    Socket socket = tls.context().getSocketFactory().createSocket(beneath, "localhost", 0, true)) {
                send(socket, "first");
                handler.answer();
                requireAnswer(socket, "first");
                send(socket, "second");
                handler.asked.take();
            }
            assertTrue(handler.gone.await(1, TimeUnit.MINUTES));
        }
    }

    /** Asks for what would take hours, and leaves. */
    @ParameterizedTest
    @ValueSource(strings = {"loki", "csv", "mcp"})
    void shouldEndTheQueriesOfThoseWhoLeave(String kind) throws Exception {
        TestServers.store(temp, "lines", "x".repeat(2_000), 20_000);
        try (LoomServer server =
                LoomServer.open(TestServers.settings(temp, "api: {max_queries: 1, query_timeout: 24h}", TestServers.API)
                        .build())) {
            String where = "line =~ '" + "(x|xx|x*)*y".repeat(20) + "'";
            String request = switch (kind) {
                case "loki" ->
                    "GET /loki/api/v1/query?query="
                            + URLEncoder.encode(
                                    "sum(count_over_time({source=\"lines\"} |~ \"" + "(x|xx|x*)*y".repeat(20)
                                            + "\" [1h]))",
                                    StandardCharsets.UTF_8)
                            + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
                case "csv" -> post("/v1/scan", "text/csv", "{\"source\":\"lines\",\"where\":\"" + where + "\"}");
                default ->
                    post(
                            "/mcp",
                            "application/json",
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"scan\","
                                    + "\"arguments\":{\"source\":\"lines\",\"timeout\":\"24h\",\"where\":\"" + where
                                    + "\"}}}");
            };
            String address = String.valueOf(server.addresses().get("http"));
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            try (Socket running = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket waiting = new Socket(InetAddress.getLoopbackAddress(), port)) {
                running.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
                awaitMetric(server, "running", 1);
                waiting.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
                awaitMetric(server, "queued", 1);
            }
            awaitMetric(server, "queued", 0);
            awaitMetric(server, "running", 0);
        }
    }

    private static String post(String path, String accept, String body) {
        return String.join(
                "\r\n",
                "POST " + path + " HTTP/1.1",
                "Host: localhost",
                "Accept: " + accept,
                "Content-Type: application/json",
                "Content-Length: " + body.length(),
                "",
                body);
    }

    private static void awaitMetric(LoomServer server, String what, int expected) throws Exception {
        URI metrics = URI.create("http://" + server.addresses().get("http") + "/metrics");
        String line = "loom_queries_" + what + "{kind=\"query\"} " + expected + "\n";
        long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        String text = "";
        HttpClient client = HttpClient.newHttpClient();
        while (!text.contains(line)) {
            assertTrue(System.nanoTime() < deadlineNs, line + text);
            text = client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                    .body();
        }
    }
}
