package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.server.api.JsonBodies;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import java.io.IOException;
import java.io.InterruptedIOException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries that say nothing for longer than a connection, or a stream, may be silent. */
final class SilentQueriesTest {
    private static final int IDLE_MS = 1_000;
    private static final QueryPool.Limits LIMITS = new QueryPool.Limits(1, 1, Duration.ofMinutes(1), 1);

    private final QueryPool pool = new QueryPool(LIMITS, Set.of("slow"));
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore proceed = new Semaphore(0);
    private final Server server = new Server();
    private final HttpConfiguration http = new HttpConfiguration();
    private final HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
    private final ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http), http2);

    /** Answers when it may, whether its client is still there. */
    private final class SlowRoute implements Route {
        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Load load(HttpCall call) {
            return Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            begun.release();
            try {
                proceed.acquire();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            String text = call.cancelled() ? "cancelled" : "done";
            call.begin(200, "text/plain").write(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private final class SlowApi implements HttpApi {
        @Override
        public Set<String> names() {
            return Set.of("slow");
        }

        @Override
        public Route route(String method, String path) {
            return new SlowRoute();
        }

        @Override
        public boolean reads(String type) {
            return true;
        }

        @Override
        public Reply failure(ApiFailure failure) {
            return JsonBodies.failure(failure);
        }
    }

    @BeforeEach
    void start() throws Exception {
        http2.setStreamIdleTimeout(IDLE_MS);
        connector.setIdleTimeout(IDLE_MS);
        server.addConnector(connector);
        server.setHandler(new ApiHandler(
                List.of(new SlowApi()),
                pool,
                new Health(() -> "", List.of()),
                () -> "",
                new ApiHandler.AnswerTimes(Duration.ofMinutes(1), Duration.ofMinutes(1))));
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
        pool.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeAnswered(HttpClient.Version version) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(version).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + connector.getLocalPort() + "/"))
                .build();
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(request, BodyHandlers.ofString());
        begun.acquire();
        awaitIdleTimes();
        proceed.release();
        assertEquals("done", answer.get().body());
        assertEquals(version, answer.get().version());
    }

    /** Returns once connections that came after the query have been ended, one after the other, for being silent. */
    private void awaitIdleTimes() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (Socket silent = new Socket("localhost", connector.getLocalPort())) {
                assertEquals(-1, silent.getInputStream().read());
            }
        }
    }
}
