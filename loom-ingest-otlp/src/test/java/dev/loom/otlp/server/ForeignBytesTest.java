package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No connection gets bytes of another, also while requests are malformed. */
class ForeignBytesTest {
    private static final String REQUEST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
    /** Longer than what is read at once, so that there is more to read when it is refused. */
    private static final String OVERLONG = "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final int REQUESTS = 10_000;

    /** With pooled buffers for requests, a few of these were refused for the other clients' bytes, or were never answered. */
    @Test
    void shouldKeepRequestsApartFromThoseThatAreMalformed() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        try (TestServer server = new TestServer(new Exported())) {
            List<Thread> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread other = new Thread(() -> sendOverlong(server.httpPort(), ended, wrong));
                others.add(other);
                other.start();
            }
            try {
                for (int i = 0; i < REQUESTS; i++) {
                    try (RawHttp1 client = new RawHttp1(server.httpPort())) {
                        client.send(REQUEST);
                        assertEquals(200, client.status(), "request " + i);
                        assertEquals(List.of(), List.copyOf(wrong), "answers to overlong requests, at request " + i);
                    }
                }
            } finally {
                ended.set(true);
                for (Thread other : others) {
                    other.join();
                }
            }
        }
    }

    private static void sendOverlong(int port, AtomicBoolean ended, Queue<String> wrong) {
        while (!ended.get()) {
            try (RawHttp1 client = new RawHttp1(port)) {
                client.send(OVERLONG);
                String answer = client.answer();
                if (!answer.isEmpty() && !answer.startsWith("HTTP/1.1 414 ")) {
                    wrong.add(answer);
                }
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
