package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.api.JsonBodies;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client sees of an answer that fails. */
final class BrokenAnswerTest {
    /** Fails before its thread has it. */
    private static final String UNLOADED = "unloaded";

    /** Fails by a failure that can't be told. */
    private static final String UNREPORTED = "unreported";

    private static final QueryPool.Limits LIMITS = new QueryPool.Limits(2, 2, Duration.ofSeconds(5), 1);

    private final QueryPool pool = new QueryPool(LIMITS, Set.of("lines", "data", "early", UNLOADED, UNREPORTED));
    private final Server server = new Server();
    private final HttpConfiguration http = new HttpConfiguration();
    private final ServerConnector connector =
            new ServerConnector(server, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));

    @BeforeEach
    void start() throws Exception {
        server.addConnector(connector);
        server.setHandler(new ApiHandler(
                List.of(new FailingApi()),
                pool,
                new Health(() -> "", List.of()),
                () -> "",
                new ApiHandler.AnswerTimes(Duration.ofSeconds(30), Duration.ofSeconds(30))));
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
        pool.close();
    }

    /** Fails behind the first part of each answer. */
    private static final class FailingApi implements HttpApi {
        @Override
        public Set<String> names() {
            return Set.of("lines", "data", "early", UNLOADED, UNREPORTED);
        }

        @Override
        public Route route(String method, String path) {
            return new FailingRoute(path.substring(1));
        }

        @Override
        public boolean reads(String type) {
            return type.equals("text/plain");
        }

        @Override
        public Reply failure(ApiFailure failure) {
            if (String.valueOf(failure.getMessage()).contains(UNREPORTED)) {
                throw new OutOfMemoryError("for a moment");
            }
            return JsonBodies.failure(failure);
        }
    }

    private record FailingRoute(String name) implements Route {
        @Override
        public Load load(HttpCall call) {
            if (name.equals(UNLOADED)) {
                throw new IllegalStateException("defect");
            }
            return Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            if (name.equals(UNREPORTED)) {
                throw new ApiFailure(503, "test", UNREPORTED);
            }
            call.answerTrailer("Loom-Outcome", () -> null);
            OutputStream out = name.equals("lines") ? call.beginLines("text/plain") : call.beginData("text/plain");
            if (!name.equals("early")) {
                out.write("first part\n".getBytes(StandardCharsets.US_ASCII));
            }
            throw new ApiFailure(503, "test", "out of luck");
        }
    }

    private String get(String name) throws IOException {
        try (Socket socket = new Socket("localhost", connector.getLocalPort())) {
            String request = "GET /" + name + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldBreakOffDataWithoutTheLastChunk() throws IOException {
        String answer = get("data");
        assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n") && answer.contains("first part\n"), answer);
        assertFalse(answer.contains("\r\n0\r\n"), answer);
        assertFalse(answer.contains("out of luck"), answer);
    }

    @Test
    void shouldResetTheStreamOfHttp2() throws Exception {
        HttpClient client = HttpClient.newHttpClient(); // asks for HTTP/2
        HttpResponse<String> lines = client.send(request("lines"), BodyHandlers.ofString());
        assertEquals(HttpClient.Version.HTTP_2, lines.version());
        assertTrue(lines.body().contains("out of luck"), lines.body());
        IOException reset =
                assertThrows(IOException.class, () -> client.send(request("data"), BodyHandlers.ofString()));
        assertTrue(String.valueOf(reset.getMessage()).contains("RST_STREAM"), reset.getMessage());
        HttpResponse<String> other = client.send(request("lines"), BodyHandlers.ofString());
        assertEquals(200, other.statusCode());
    }

    private HttpRequest request(String name) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + connector.getLocalPort() + "/" + name))
                .build();
    }

    @Test
    void shouldTellTheFailureInTheLastLine() throws IOException {
        String answer = get("lines");
        assertTrue(answer.contains("first part\n") && answer.contains("out of luck"), answer);
        assertTrue(answer.endsWith("\r\n0\r\n\r\n"), answer);
    }

    @Test
    void shouldTellAFailureByItsStatusBeforeAnythingWasSent() throws IOException {
        String answer = get("early");
        assertTrue(answer.startsWith("HTTP/1.1 503 ") && answer.contains("out of luck"), answer);
    }

    /** Its body comes late, so that no thread of the server's own has the request any more. */
    @Test
    void shouldEndARequestThatFailsBeforeItIsAnswered() throws Exception {
        try (Socket socket = new Socket("localhost", connector.getLocalPort())) {
            socket.setSoTimeout(60_000); // otherwise it would wait for ever
            String request = "POST /" + UNLOADED + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: text/plain\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String waits = "HTTP/1.1 100 Continue\r\n\r\n";
            assertEquals(
                    waits, new String(socket.getInputStream().readNBytes(waits.length()), StandardCharsets.US_ASCII));
            socket.getOutputStream().write("body".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.startsWith("HTTP/1.1 500 "), answer);
        }
    }

    @Test
    void shouldEndARequestWhoseFailureCannotBeTold() throws IOException {
        try (Socket socket = new Socket("localhost", connector.getLocalPort())) {
            socket.setSoTimeout(60_000); // otherwise it would wait for ever
            socket.getOutputStream()
                    .write(("GET /" + UNREPORTED + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.startsWith("HTTP/1.1 500 "), answer);
        }
    }
}
