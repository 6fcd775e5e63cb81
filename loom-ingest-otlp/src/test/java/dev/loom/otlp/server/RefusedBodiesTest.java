package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.server.Refusal.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests of HTTP/1.1 that are refused while their clients still send them. Who can use its connection for a next request was not reset, whatever
 * the operating system buffers.
 */
class RefusedBodiesTest {
    /** So that nobody is too slow, on a busy machine. */
    private static final Duration EVER = Duration.ofMinutes(30);

    private static final int LENGTH = 400_000;
    private static final String POST = "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\n";
    private static final String PROTOBUF = "Content-Type: application/x-protobuf\r\n";
    private static final String LENGTHY = "Content-Length: " + LENGTH + "\r\n\r\n";
    private static final String EMPTY = POST + PROTOBUF + "Content-Length: 0\r\n\r\n";

    @TempDir
    private Path folder;

    private final Exported exported = new Exported();

    /** Refuses whatever comes. */
    private static final class Refusing extends Handler.Abstract.NonBlocking {
        private final RefusalsOnceRead refusals;
        private final Semaphore refused = new Semaphore(0);

        Refusing(Duration timeout) {
            refusals = new RefusalsOnceRead(new OtlpRefusals(), LENGTH, timeout);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            refusals.refuse(request, response, callback, Refusal.later("not now"));
            refused.release();
            return true;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/logs, text/plain, identity, 415",
        "POST, /v1/nothing, application/x-protobuf, identity, 404",
        "PUT, /v1/logs, application/x-protobuf, identity, 405",
        "POST, /v1/logs, application/x-protobuf, lz4, 400"
    })
    void shouldAnswerOnceTheBodyIsRead(String method, String path, String type, String encoding, int status)
            throws Exception {
        try (TestServer server = new TestServer(exported, TestServer.config(), within(EVER));
                RawHttp1 client = new RawHttp1(server.httpPort())) {
            client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type
                    + "\r\nContent-Encoding: " + encoding + "\r\n" + LENGTHY);
            awaitRefusal(server);
            sendBody(client);
            assertEquals(status, client.status());
            client.send(EMPTY);
            assertEquals(200, client.status());
        }
    }

    @Test
    void shouldAnswerOnceTheBodyIsReadWhenThereAreTooMany() throws Exception {
        Semaphore arrived = new Semaphore(0);
        Semaphore proceed = new Semaphore(0);
        exported.answer = outcome -> {
            arrived.release();
            proceed.acquireUninterruptibly();
        };
        try (TestServer server = new TestServer(exported, TestServer.config().withMaxRequests(1), within(EVER));
                RawHttp1 first = new RawHttp1(server.httpPort());
                RawHttp1 second = new RawHttp1(server.httpPort())) {
            first.send(EMPTY);
            arrived.acquire();
            int before = server.receiver.bytesInFlight();
            second.send(POST + PROTOBUF + LENGTHY);
            awaitRefusal(server);
            sendBody(second);
            assertEquals(503, second.status());
            assertEquals(before, server.receiver.bytesInFlight());
            proceed.release(2);
            assertEquals(200, first.status());
            assertEquals(200, statusOnceThereIsAPlace(second));
        }
    }

    @Test
    void shouldAnswerOnceTheBodyIsReadWhenTheServerCloses() throws Exception {
        try (TestServer server = new TestServer(exported, TestServer.config(), within(EVER));
                RawHttp1 client = new RawHttp1(server.httpPort())) {
            client.send(EMPTY);
            assertEquals(200, client.status());
            server.servers.drain();
            client.send(POST + PROTOBUF + LENGTHY);
            while (server.servers.refusedRequests() == 0) {
                Thread.onSpinWait();
            }
            sendBody(client);
            assertEquals(503, client.status());
            client.send(EMPTY);
            assertEquals(503, client.status());
        }
    }

    @Test
    void shouldReadTheRestOfARequestThatGaveWay() throws Exception {
        OtlpConfig config =
                TestServer.config().withBudget(TestServer.MIB, folder).withMaxRequests(1);
        try (TestServer server = new TestServer(exported, config, within(Duration.ofSeconds(5)));
                RawHttp1 slow = new RawHttp1(server.httpPort());
                RawHttp1 other = new RawHttp1(server.httpPort())) {
            slow.send(POST + PROTOBUF + "Content-Length: 250000\r\n\r\n");
            slow.send(new byte[200_000]);
            while (server.receiver.bytesInFlight() < 200_000) {
                Thread.onSpinWait();
            }
            assertNull(server.receiver.budget().reserve(TestServer.MIB)); // now somebody wants memory
            while (server.receiver.bytesInFlight() > 0) {
                Thread.onSpinWait();
            }
            assertEquals(200, statusOnceThereIsAPlace(other));
            slow.send(new byte[50_000]);
            assertEquals(503, slow.status());
            assertEquals(200, statusOnceThereIsAPlace(slow));
        }
    }

    @Test
    void shouldAnswerAtOnceWhenTooManyBodiesAreRead() throws Exception {
        Refusing handler = new Refusing(EVER);
        try (HttpServers servers = serve(handler)) {
            List<RawHttp1> clients = new ArrayList<>();
            for (int i = 0; i < RefusalsOnceRead.BODIES_MAX; i++) {
                RawHttp1 client = new RawHttp1(servers.port(0));
                clients.add(client);
                client.send(POST + LENGTHY);
            }
            handler.refused.acquire(RefusalsOnceRead.BODIES_MAX);
            try (RawHttp1 oneMore = new RawHttp1(servers.port(0))) {
                oneMore.send(POST + LENGTHY);
                requireLast(oneMore.answer());
            }
            for (RawHttp1 client : clients) {
                sendBody(client);
                assertEquals(503, client.status());
                client.close();
            }
        }
    }

    @Test
    void shouldAnswerAtOnceWhatIsTooLong() throws Exception {
        String chunk = Integer.toHexString(LENGTH + 1) + "\r\n" + "x".repeat(LENGTH + 1);
        try (HttpServers servers = serve(new Refusing(EVER));
                RawHttp1 declared = new RawHttp1(servers.port(0));
                RawHttp1 chunked = new RawHttp1(servers.port(0))) {
            declared.send(POST + "Content-Length: " + (LENGTH + 1) + "\r\n\r\n");
            requireLast(declared.answer());
            chunked.send(POST + "Transfer-Encoding: chunked\r\n\r\n" + chunk);
            requireLast(chunked.answer());
        }
    }

    @Test
    void shouldAnswerAtOnceWhoWaitsToBeAskedForTheBody() throws Exception {
        try (HttpServers servers = serve(new Refusing(EVER));
                RawHttp1 client = new RawHttp1(servers.port(0))) {
            client.send(POST + "Expect: 100-continue\r\n" + LENGTHY);
            requireLast(client.answer());
        }
    }

    @Test
    void shouldAnswerWhoDoesNotSendOn() throws Exception {
        try (HttpServers servers = serve(new Refusing(Duration.ofMillis(100)));
                RawHttp1 client = new RawHttp1(servers.port(0))) {
            client.send(POST + LENGTHY + "x");
            requireLast(client.answer());
            client.awaitEnd();
        }
    }

    private static void requireLast(String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
        assertTrue(answer.contains("Connection: close\r\n"), answer);
    }

    private static ServerProtection within(Duration timeout) {
        return ServerProtection.builder().pressedTimeout(timeout).build();
    }

    private static HttpServers serve(Handler handler) throws IOException {
        HttpServers.Listener listener =
                new HttpServers.Listener(Endpoint.parse("localhost:0"), handler, new OtlpRefusals());
        return HttpServers.start(ServerProtection.defaults(), List.of(listener), failure -> {});
    }

    /** Waits until a request was refused by its headers, or because there were too many. */
    private static void awaitRefusal(TestServer server) {
        OtlpCounters counters = server.receiver.counters();
        while (Arrays.stream(Reason.values()).allMatch(reason -> counters.refusedUnread(Transport.HTTP, reason) == 0)) {
            Thread.onSpinWait();
        }
    }

    private static void sendBody(RawHttp1 client) throws IOException {
        byte[] piece = new byte[LENGTH / 40];
        for (int sent = 0; sent < LENGTH; sent += piece.length) {
            client.send(piece);
        }
    }

    /** The status of an empty request; the one before may still have the only place for a moment. */
    private static int statusOnceThereIsAPlace(RawHttp1 client) throws IOException {
        int status = 503;
        while (status == 503) {
            client.send(EMPTY);
            status = client.status();
        }
        return status;
    }
}
