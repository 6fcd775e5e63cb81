package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client sees of an answer that fails. */
final class BrokenAnswerTest {
    private static final QueryPool.Limits LIMITS = new QueryPool.Limits(2, 2, Duration.ofSeconds(5), 1);

    private final QueryPool pool = new QueryPool(LIMITS, Set.of("lines", "data", "early"));
    private final Server server = new Server(0);

    @BeforeEach
    void start() throws Exception {
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
            return Set.of("lines", "data", "early");
        }

        @Override
        public Route route(String method, String path) {
            return new FailingRoute(path.substring(1));
        }

        @Override
        public boolean reads(String type) {
            return false;
        }

        @Override
        public Reply failure(ApiFailure failure) {
            return JsonBodies.failure(failure);
        }
    }

    private record FailingRoute(String name) implements Route {
        @Override
        public Load load(HttpCall call) {
            return Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            call.answerTrailer("Loom-Outcome", () -> null);
            OutputStream out = name.equals("lines") ? call.beginLines("text/plain") : call.beginData("text/plain");
            if (!name.equals("early")) {
                out.write("first part\n".getBytes(StandardCharsets.US_ASCII));
            }
            throw new ApiFailure(503, "test", "out of luck");
        }
    }

    private String get(String name) throws IOException {
        int port = ((NetworkConnector) server.getConnectors()[0]).getLocalPort();
        try (Socket socket = new Socket("localhost", port)) {
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
}
