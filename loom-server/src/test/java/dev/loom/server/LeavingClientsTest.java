package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.TlsConfig;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.server.api.JsonBodies;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that leave before they get an answer, as dashboards do when somebody looks at another hour. */
final class LeavingClientsTest {
    private static int tests;

    private static final Duration EVER = Duration.ofHours(1);

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

    private static ApiHandler endless(QueryPool pool) {
        return new ApiHandler(
                List.of(new Endless()),
                pool,
                new Health(() -> "", List.of()),
                () -> "",
                new ApiHandler.AnswerTimes(EVER, EVER));
    }

    private static HttpServers start(Handler handler, ServerProtection protection) throws IOException {
        return HttpServers.start(
                protection,
                List.of(new HttpServers.Listener(Endpoint.parse("127.0.0.1:0"), handler, ApiHandler.refusals())),
                Throwable::printStackTrace);
    }

    private static void send(Socket socket, String path, String... headers) throws IOException {
        String request = "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n" + String.join("", headers) + "\r\n";
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

    @AfterEach
    void count() {
        tests++;
    }

    @AfterAll
    static void tell() {
        System.out.println("row=R31 faults=" + tests + " checked=" + tests + " seed=0");
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
            server.close(Duration.ZERO); // nobody answers the second request
        }
    }

    /** Answers once nobody waits any more. */
    private static final class Endless implements HttpApi, Route {
        @Override
        public Set<String> names() {
            return Set.of(name());
        }

        @Override
        public Route route(String method, String path) {
            return this;
        }

        @Override
        public boolean reads(String type) {
            return true;
        }

        @Override
        public Reply failure(ApiFailure failure) {
            return JsonBodies.failure(failure);
        }

        @Override
        public String name() {
            return "endless";
        }

        @Override
        public Load load(HttpCall call) {
            return Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            while (!call.cancelled()) {
                Thread.onSpinWait();
            }
            call.begin(200, "text/plain").write('x');
        }
    }

    private static HttpRequest ask(HttpServers server, String path) {
        return HttpRequest.newBuilder(URI.create("https://localhost:" + server.port(0) + path))
                .build();
    }

    /** A query that waits for its turn has no answer yet, and its connection stays. */
    @Test
    void shouldEndQueriesThatWaitOfAClientOfHttp2() throws Exception {
        TestIdentity identity = TestIdentity.create(temp, "own");
        ServerProtection protection = ServerProtection.builder()
                .tls(new TlsConfig(identity.cert(), identity.key()))
                .build();
        HttpClient client = HttpClient.newBuilder()
                .sslContext(new ClientTls(identity.cert(), null, null).context())
                .version(HttpClient.Version.HTTP_2)
                .build();
        try (QueryPool pool = new QueryPool(new QueryPool.Limits(1, 2, EVER, 1), Set.of("endless"))) {
            try (HttpServers server = start(endless(pool), protection)) {
                HttpResponse<String> health = client.send(ask(server, "/healthz"), BodyHandlers.ofString());
                assertEquals(HttpClient.Version.HTTP_2, health.version());
                CompletableFuture<?> runs = client.sendAsync(ask(server, "/first"), BodyHandlers.ofString());
                while (pool.running(Load.QUERY) == 0) {
                    Thread.onSpinWait();
                }
                CompletableFuture<?> waits = client.sendAsync(ask(server, "/second"), BodyHandlers.ofString());
                while (pool.queued(Load.QUERY) == 0) {
                    Thread.onSpinWait();
                }
                waits.cancel(true);
                client.send(ask(server, "/healthz"), BodyHandlers.ofString()); // behind it on the same connection
                runs.cancel(true);
                requireEnd(pool);
            }
        }
    }

    private static void requireEnd(QueryPool pool) {
        long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (pool.running(Load.QUERY) + pool.queued(Load.QUERY) > 0) {
            assertTrue(System.nanoTime() < deadlineNs, "a query still runs");
            Thread.onSpinWait();
        }
    }

    /** Who asks whether the process lives must not wait for a disk. */
    @Test
    void shouldLiveWhileNobodyKnowsWhetherItIsReady() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Health health = new Health(
                () -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return "";
                },
                List.of());
        try (QueryPool pool = new QueryPool(new QueryPool.Limits(1, 2, EVER, 1), Set.of())) {
            ApiHandler handler =
                    new ApiHandler(List.of(), pool, health, () -> "", new ApiHandler.AnswerTimes(EVER, EVER));
            try (HttpServers server = start(handler, ServerProtection.builder().build());
                    Socket ready = new Socket(InetAddress.getLoopbackAddress(), server.port(0))) {
                send(ready, "readyz");
                while (pool.running(Load.READINESS) == 0) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 16; i++) { // of each selector
                    try (Socket live = new Socket(InetAddress.getLoopbackAddress(), server.port(0))) {
                        live.setSoTimeout(60_000);
                        send(live, "healthz");
                        assertEquals("HTTP/1.1 200", status(live));
                    }
                }
                release.countDown();
                assertEquals("HTTP/1.1 200", status(ready));
            } finally {
                release.countDown();
            }
        }
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                // as Java's client asks by default, and curl --http2
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
            })
    void shouldEndQueriesThatRunAndThoseThatWait(String headers) throws Exception {
        try (QueryPool pool = new QueryPool(new QueryPool.Limits(1, 2, EVER, 1), Set.of("endless"))) {
            try (HttpServers server =
                    start(endless(pool), ServerProtection.builder().build())) {
                try (Socket running = new Socket(InetAddress.getLoopbackAddress(), server.port(0));
                        Socket waiting = new Socket(InetAddress.getLoopbackAddress(), server.port(0))) {
                    send(running, "first", headers);
                    while (pool.running(Load.QUERY) == 0) {
                        Thread.onSpinWait();
                    }
                    String post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
                    waiting.getOutputStream().write(post.getBytes(StandardCharsets.US_ASCII));
                    while (pool.queued(Load.QUERY) == 0) {
                        Thread.onSpinWait();
                    }
                }
                requireEnd(pool);
            }
        }
    }

    /** Whoever comes next must not be refused for those who have left. */
    @Test
    void shouldLeaveTheQueueToOthers() throws Exception {
        try (QueryPool pool = new QueryPool(new QueryPool.Limits(1, 2, EVER, 1), Set.of("endless"))) {
            try (HttpServers server =
                            start(endless(pool), ServerProtection.builder().build());
                    Socket running = new Socket(InetAddress.getLoopbackAddress(), server.port(0))) {
                send(running, "first");
                while (pool.running(Load.QUERY) == 0) {
                    Thread.onSpinWait();
                }
                try (Socket second = new Socket(InetAddress.getLoopbackAddress(), server.port(0));
                        Socket third = new Socket(InetAddress.getLoopbackAddress(), server.port(0))) {
                    send(second, "second");
                    send(third, "third");
                    while (pool.queued(Load.QUERY) < 2) {
                        Thread.onSpinWait();
                    }
                }
                long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
                while (pool.queued(Load.QUERY) > 0) {
                    assertTrue(System.nanoTime() < deadlineNs, "those who have left still wait");
                    Thread.onSpinWait();
                }
                assertEquals(1, pool.running(Load.QUERY));
            }
            requireEnd(pool);
        }
    }
}
