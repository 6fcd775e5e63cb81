package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.TestClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tails that last longer than a connection without requests may. */
final class IdleTailTest {
    private static final Duration IDLE = Duration.ofMillis(600);

    @TempDir
    Path temp;

    private SharedWriter writer;
    private LoomServer server;
    private int lines;

    @BeforeEach
    void start() throws IOException {
        Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
        lines = loom.defineSource("lines", Formats.text());
        writer = new SharedWriter(loom);
        ServerProtection protection =
                ServerProtection.builder().idleTimeout(IDLE).writeTimeout(IDLE).build();
        server = LoomServer.start(
                writer,
                ServerSettings.builder()
                        .api(Endpoint.parse("127.0.0.1:0"))
                        .protection(protection)
                        .build());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        writer.close();
    }

    private Socket connect() throws IOException {
        Endpoint endpoint = Endpoint.parse(String.valueOf(server.addresses().get(TestClient.API)));
        Socket socket = new Socket();
        socket.setSoTimeout(60_000); // otherwise it would wait for ever
        socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()));
        return socket;
    }

    private void push(String text) throws InterruptedException {
        byte[] line = text.getBytes(StandardCharsets.UTF_8);
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        writer.loom().push(lines, new UnsafeBuffer(line), 0, line.length);
        writer.release();
    }

    private Socket tail() throws IOException {
        Socket socket = connect();
        String request = String.join(
                "\r\n",
                "GET /loki/api/v1/tail?query=%7Bsource%3D%22lines%22%7D HTTP/1.1",
                "Host: localhost",
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertTrue(next >= 0, "ended early: " + head);
            head.append((char) next);
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101"), head.toString());
        return socket;
    }

    /** Returns once connections without a request, which came after the tail, have been ended one after the other. */
    private void awaitIdleTimes() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (Socket idle = connect()) {
                assertEquals(-1, idle.getInputStream().read());
            }
        }
    }

    @Test
    void shouldKeepATailForWhichNothingArrives() throws Exception {
        try (Socket tail = tail()) {
            awaitIdleTimes();
            push("late");
            InputStream in = tail.getInputStream();
            StringBuilder received = new StringBuilder();
            for (int next = in.read(); next >= 0 && received.indexOf("late") < 0; next = in.read()) {
                received.append((char) next);
            }
            assertTrue(received.indexOf("late") >= 0, received.toString());
        }
    }

    @Test
    void shouldAnswerAPing() throws Exception {
        try (Socket tail = tail()) {
            byte[] ping = {(byte) 0x89, (byte) 0x83, 0, 0, 0, 0, 'a', 'b', 'c'};
            tail.getOutputStream().write(ping);
            tail.getOutputStream().write(new byte[] {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0});
            tail.getOutputStream().write(ping);
            List<String> answers = new ArrayList<>();
            InputStream in = tail.getInputStream();
            while (answers.size() < 3) {
                int head = in.read();
                byte[] payload = in.readNBytes(in.read());
                if (head == 0x8a) {
                    answers.add(new String(payload, StandardCharsets.US_ASCII));
                } else {
                    assertEquals(0x89, head); // the server asks, too
                }
            }
            assertEquals(List.of("abc", "", "abc"), answers);
        }
    }

    @Test
    void shouldFollowTheSourceThatHasTheNameNow() throws Exception {
        push("early");
        writer.loom().closeSource(lines);
        lines = writer.loom().defineSource("lines", Formats.text());
        try (Socket tail = tail()) {
            push("late");
            InputStream in = tail.getInputStream();
            StringBuilder received = new StringBuilder();
            while (received.indexOf("late") < 0) {
                int next = in.read();
                assertTrue(next >= 0, received.toString());
                received.append((char) next);
            }
        }
    }

    /** Whether it comes as one line or many. */
    @ParameterizedTest
    @ValueSource(ints = {5_000, 1_000_000, 100})
    void shouldSendMessagesOfAnyLength(int length) throws Exception {
        int count = length == 100 ? 100 : 1;
        for (int i = 0; i < count; i++) {
            push("x".repeat(length) + i);
        }
        try (Socket tail = tail()) {
            InputStream in = new BufferedInputStream(tail.getInputStream(), 1 << 16);
            StringBuilder received = new StringBuilder();
            String last = "x".repeat(length) + (count - 1);
            while (received.indexOf(last, received.length() - length - 10) < 0) {
                int next = in.read();
                assertTrue(next >= 0, "ended early: characters=" + received.length());
                received.append((char) next);
            }
            assertTrue(received.indexOf("x".repeat(length) + "0") >= 0);
        }
    }

    /** What it sends is dropped, however long, and it is still served. */
    @Test
    void shouldTakeFramesOfAnyLength() throws Exception {
        try (Socket tail = tail()) {
            byte[] frame = new byte[14 + (1 << 20)];
            frame[0] = (byte) 0x82;
            frame[1] = (byte) 0xff;
            frame[7] = 0x10; // 2^20 bytes, behind a mask of zeros
            tail.getOutputStream().write(frame);
            push("late");
            InputStream in = tail.getInputStream();
            StringBuilder received = new StringBuilder();
            while (received.indexOf("late") < 0) {
                int next = in.read();
                assertTrue(next >= 0, received.toString());
                received.append((char) next);
            }
        }
    }

    /** It is told that the tail is over, reads nothing of it, and stays connected. */
    @Test
    void shouldEndTheConnectionOfAClientThatIgnoresTheEnd() throws Exception {
        TestClient http = new TestClient();
        try (Socket tail = tail()) {
            writer.loom().closeSource(lines);
            String open = "";
            while (!open.contains("loom_http_connections 1\n")) { // the one that asks
                open = http.get(server, "/metrics").body();
            }
            byte[] told = tail.getInputStream().readAllBytes();
            assertEquals((byte) 0x88, told[told.length - 4], "a frame that closes, with its status alone, is the last");
        }
    }

    /** It is told that the tail is over, and does not say that it has understood. */
    @Test
    void shouldEndAClientThatDoesNotClose() throws Exception {
        try (Socket tail = tail()) {
            writer.close();
            assertTrue(tail.getInputStream().readAllBytes().length > 0);
        }
    }
}
