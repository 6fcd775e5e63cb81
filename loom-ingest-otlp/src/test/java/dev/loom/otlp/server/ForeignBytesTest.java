package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No connection gets bytes of another, also while others send what is malformed. */
class ForeignBytesTest {
    private static final int REQUESTS = 1_000;
    private static final ExportLogsServiceRequest LOGS = TestRequests.logs("of a good client", 3);
    private static final byte[] BODY = LOGS.toByteArray();
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String HEADERS = "Host: localhost\r\nContent-Type: application/x-protobuf\r\n";
    private static final String POST = "POST /v1/logs HTTP/1.1\r\n" + HEADERS;
    /** Longer than what is read at once, so that there is more to read when the request is refused. */
    private static final String MUCH = "x".repeat(20_000);

    /** What others send, each time by a new connection. */
    private enum Malformed {
        OVERLONG_ADDRESS("GET /" + MUCH + " HTTP/1.1\r\n" + HEADERS + "\r\n"),
        OVERLONG_HEADER(POST + "A: " + MUCH + "\r\n\r\n"),
        NO_METHOD("\u0001" + MUCH),
        TWO_LENGTHS(POST + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + MUCH),
        NO_CHUNK(POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nxxxxx\r\nno chunk\r\n" + MUCH),
        NO_REQUEST_BEHIND_ANOTHER(POST + "Content-Length: 1\r\n\r\nx\u0001" + MUCH),
        NO_PROTOBUF(POST + "Content-Length: 20001\r\n\r\n\u000f" + MUCH),
        NO_FRAME("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + MUCH),
        OVERLONG_FRAME("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\u007f\u00ff\u00ff\1\5\0\0\0\1" + MUCH);

        private final String text;

        Malformed(String text) {
            this.text = text;
        }
    }

    /** With pooled buffers for requests, a few of these were refused for the other clients' bytes, or were never answered. */
    @ParameterizedTest
    @EnumSource
    void shouldKeepRequestsApartFromThoseThatAreMalformed(Malformed malformed) throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Exported exported = new Exported();
        try (TestServer server = new TestServer(exported)) {
            List<Thread> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread other = new Thread(() -> sendAgainAndAgain(server.httpPort(), malformed, ended));
                others.add(other);
                other.start();
            }
            try {
                for (int i = 0; i < REQUESTS; i++) {
                    if (i % 2 == 0) {
                        assertEquals(200, post(server.httpPort()), "request " + i);
                    } else {
                        assertEquals("0", call(server.grpcPort()), "request " + i);
                    }
                }
            } finally {
                ended.set(true);
                for (Thread other : others) {
                    other.join();
                }
            }
        }
        assertEquals(Set.of(LOGS), Set.copyOf(exported.logs));
        assertEquals(REQUESTS, exported.logs.size());
    }

    private static int post(int port) throws IOException {
        try (RawHttp1 client = new RawHttp1(port)) {
            client.send(POST + "Content-Length: " + BODY.length + "\r\n\r\n");
            client.send(BODY);
            return client.status();
        }
    }

    private static String call(int port) throws IOException {
        try (RawHttp2 client = new RawHttp2(port)) {
            return client.call(LOGS_CALL, RawHttp2.framed(BODY, false), "content-type", "application/grpc")
                    .grpcStatus();
        }
    }

    /** Headers of an answer that are too long end all that goes over the connection. */
    @Test
    void shouldRefuseACallOfALongPathAlone() throws Exception {
        Exported exported = new Exported();
        try (TestServer server = new TestServer(exported);
                RawHttp2 client = new RawHttp2(server.grpcPort())) {
            String path = "/" + "a".repeat(7800);
            assertEquals(
                    "12",
                    client.call(path, RawHttp2.framed(BODY, false), "content-type", "application/grpc")
                            .grpcStatus());
            assertEquals(
                    "0",
                    client.call(LOGS_CALL, RawHttp2.framed(BODY, false), "content-type", "application/grpc")
                            .grpcStatus());
        }
        assertEquals(1, exported.logs.size());
    }

    private static void sendAgainAndAgain(int port, Malformed malformed, AtomicBoolean ended) {
        while (!ended.get()) {
            try (RawHttp1 client = new RawHttp1(port)) {
                client.send(malformed.text);
                client.answer();
            } catch (IOException e) {
                // reset, as the server does not read all of it
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8 << 10, 64 << 10})
    void shouldUseBuffersForRequestsOnce(int length) {
        ConnectionBuffers buffers = new ConnectionBuffers(64 << 10, 1 << 20);
        assertNotSame(acquireOnce(buffers, length, false), acquireOnce(buffers, length, false));
        assertSame(acquireOnce(buffers, length, true), acquireOnce(buffers, length, true), "direct ones are pooled");
    }

    private static Object acquireOnce(ConnectionBuffers buffers, int length, boolean direct) {
        RetainableByteBuffer buffer = buffers.acquire(length, direct);
        Object bytes = buffer.getByteBuffer();
        buffer.release();
        return bytes;
    }
}
