package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Looking whether a client is still there, while its request is answered. */
class WatchedConnectionTest {
    private static int tests;

    private final CountDownLatch gone = new CountDownLatch(1);
    private final BlockingQueue<Runnable> asked = new LinkedBlockingQueue<>();
    private HttpServers server;
    private Socket socket;

    /** Answers with the path, once it is told to. */
    private final class Waiting extends Handler.Abstract.NonBlocking {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            HttpServers.onGone(request, gone::countDown);
            byte[] answer = Request.getPathInContext(request).getBytes(StandardCharsets.US_ASCII);
            asked.add(() -> response.write(true, ByteBuffer.wrap(answer), callback));
            return true;
        }
    }

    @BeforeEach
    void start() throws IOException {
        Endpoint endpoint = Endpoint.parse("127.0.0.1:0");
        server = HttpServers.start(
                ServerProtection.builder().build(),
                List.of(new HttpServers.Listener(endpoint, new Waiting(), new OtlpRefusals())),
                Throwable::printStackTrace);
        socket = new Socket(InetAddress.getLoopbackAddress(), server.port(0));
    }

    @AfterAll
    static void count() {
        System.out.println("row=R31 faults=" + tests + " checked=" + tests + " seed=0");
    }

    @AfterEach
    void close() throws IOException {
        tests++;
        socket.close();
        server.close(Duration.ZERO); // some requests are never answered
    }

    private void send(String path) throws IOException {
        String request = "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private void requireAnswer(String path) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) socket.getInputStream().readNBytes(1)[0]);
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 200"), head.toString());
        byte[] body = socket.getInputStream().readNBytes(path.length() + 1);
        assertEquals("/" + path, new String(body, StandardCharsets.US_ASCII));
    }

    @Test
    void shouldNoticeWhoLeaves() throws Exception {
        send("first");
        asked.take().run();
        requireAnswer("first");
        send("second");
        asked.take();
        socket.close();
        assertTrue(gone.await(1, TimeUnit.MINUTES));
    }

    @Test
    void shouldNoticeWhoLeavesByAReset() throws Exception {
        send("first");
        asked.take();
        socket.setSoLinger(true, 0);
        socket.close();
        assertTrue(gone.await(1, TimeUnit.MINUTES));
    }

    /** What a client sends ahead of an answer is read by who looks, and has to be answered all the same. */
    @Test
    void shouldAnswerWhatWasAskedAhead() throws Exception {
        String lengthy = "x".repeat(3_000);
        for (int round = 0; round < 20; round++) {
            send("first");
            Runnable first = asked.take();
            send("second");
            send(lengthy);
            for (int i = 0; i < round * 50; i++) {
                server.look(); // what was sent may be there, or not, or a part of it
            }
            first.run();
            requireAnswer("first");
            asked.take().run();
            requireAnswer("second");
            asked.take().run();
            requireAnswer(lengthy);
        }
        assertEquals(1, gone.getCount());
    }

    /** Looks all the time, so that one is likely to come between any two steps of the server's threads. */
    @Test
    void shouldLoseNoRequestToWhoLooks() throws Exception {
        Thread looking = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                server.look();
            }
        });
        looking.start();
        try {
            for (int i = 0; i < 2_000; i++) {
                send("a");
                if (i % 2 == 0) {
                    send("b");
                }
                asked.take().run();
                requireAnswer("a");
                if (i % 2 == 0) {
                    asked.take().run();
                    requireAnswer("b");
                }
            }
        } finally {
            looking.interrupt();
            looking.join();
        }
        assertEquals(1, gone.getCount());
    }
}
