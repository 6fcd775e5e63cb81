package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to the query API that are compressed, or long and wrong. */
final class ApiRequestsTest {
    private static final String SCAN = "{\"source\":\"lines\"}";

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer sidecar;

    @BeforeEach
    void start() throws IOException {
        TestServers.store(temp, "lines", "a", 1);
        sidecar =
                LoomServer.open(TestServers.settings(temp, "", TestServers.API).build());
    }

    @AfterEach
    void close() throws IOException {
        sidecar.close();
    }

    private HttpResponse<String> scan(String encoding, byte[] body) throws Exception {
        String[] headers = encoding.isEmpty() ? new String[0] : new String[] {"Content-Encoding", encoding};
        return http.send(TestClient.request(sidecar, "/v1/scan", TestClient.JSON, body, headers));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream stream = new GZIPOutputStream(bytes)) {
            stream.write(plain);
        }
        return bytes.toByteArray();
    }

    private static void refused(int status, String message, HttpResponse<String> answer) {
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(message), answer.body());
    }

    @Test
    void shouldTakeCompressedRequests() throws Exception {
        HttpResponse<String> plain = scan("identity", bytes(SCAN));
        assertEquals(200, plain.statusCode(), plain.body());
        for (String name : new String[] {"gzip", "GZIP", "x-gzip"}) {
            HttpResponse<String> answer = scan(name, gzip(bytes(SCAN)));
            assertEquals(200, answer.statusCode(), answer.body());
            assertEquals(plain.body().lines().findFirst(), answer.body().lines().findFirst());
        }
        refused(415, "content encoding is not one of identity, gzip: encoding=br", scan("br", bytes(SCAN)));
        refused(415, "encoding=gzip, gzip", scan("gzip, gzip", gzip(gzip(bytes(SCAN)))));
        refused(
                400,
                "request can't be decompressed: encoding=gzip, length=" + SCAN.length(),
                scan("gzip", bytes(SCAN)));
        byte[] whole = gzip(bytes(SCAN));
        refused(400, "request can't be decompressed", scan("gzip", Arrays.copyOf(whole, whole.length - 9)));
        refused(400, "request can't be decompressed", scan("gzip", new byte[0]));
    }

    @Test
    void shouldDecodeNoMoreOfABombThanItTakes() throws Exception {
        byte[] bomb = gzip(new byte[50 << 20]);
        assertTrue(bomb.length < 64 << 10);
        refused(413, "request is too long: max=65536", scan("gzip", bomb));
        byte[] longest = Arrays.copyOf(bytes(SCAN), 64 << 10);
        Arrays.fill(longest, SCAN.length(), longest.length, (byte) ' ');
        assertEquals(200, scan("gzip", gzip(longest)).statusCode());
        refused(413, "request is too long", scan("gzip", gzip(Arrays.copyOf(longest, longest.length + 1))));
    }

    @Test
    void shouldNotSendLongExpressionsBack() throws Exception {
        String text = "x".repeat(60_000);
        String[] members = {
            "\"where\":\"line == '" + text + "\"",
            "\"where\":\"line == 'a' and ! " + "y".repeat(8_000) + "\"",
            "\"where\":\"" + text + " == 1\"",
            "\"limit\":\"" + text + "\"",
            "\"since\":\"" + text + "\"",
            "\"" + text + "\":1",
            "\"order\":\"" + text + "\""
        };
        for (String member : members) {
            HttpResponse<String> answer = scan("", bytes("{\"source\":\"lines\"," + member + "}"));
            assertEquals(400, answer.statusCode(), answer.body());
            assertTrue(answer.body().length() < 4_000, answer.body());
        }
        refused(
                400,
                "expected != or the word not: position=16, expression=line == 'a' and ! " + "y".repeat(18) + "...",
                scan("", bytes("{\"source\":\"lines\"," + members[1] + "}")));
        String query = "{\"source\":\"lines\",\"where\":\"line matches '" + "a ".repeat(2_000) + "(b'\"}";
        refused(400, "position=4002, query=..." + "a ".repeat(29) + "(b, in the text query", scan("", bytes(query)));
        refused(404, "no such source: xxx", scan("", bytes("{\"source\":\"" + text + "\"}")));
    }
}
