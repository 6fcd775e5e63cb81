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

/** Tails that last longer than a connection without requests may. */
final class IdleTailTest {
    private static final Duration IDLE = Duration.ofMillis(300);

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
            byte[] line = "late".getBytes(StandardCharsets.UTF_8);
            assertTrue(writer.acquire(Duration.ofMinutes(1)));
            writer.loom().push(lines, new UnsafeBuffer(line), 0, line.length);
            writer.release();
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

    /** It is told that the tail is over, and does not say that it has understood. */
    @Test
    void shouldEndAClientThatDoesNotClose() throws Exception {
        try (Socket tail = tail()) {
            writer.close();
            assertTrue(tail.getInputStream().readAllBytes().length > 0);
        }
    }
}
