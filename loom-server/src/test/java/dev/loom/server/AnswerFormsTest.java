package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers in the form that a client accepts. */
final class AnswerFormsTest {
    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final String SCAN = "{\"source\":\"lines\",\"limit\":3}";
    private static final byte[] ARROW_END = {-1, -1, -1, -1, 0, 0, 0, 0};

    @TempDir
    Path temp;

    private final TestClient http = new TestClient();
    private LoomServer sidecar;

    @BeforeEach
    void start() throws IOException {
        TestServers.store(temp, "lines", "a \"b\", c", 100);
        sidecar =
                LoomServer.open(TestServers.settings(temp, "", TestServers.API).build());
    }

    @AfterEach
    void close() throws IOException {
        sidecar.close();
    }

    private <T> HttpResponse<T> post(String name, String body, String accept, HttpResponse.BodyHandler<T> handler)
            throws Exception {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return http.send(TestClient.request(sidecar, "/v1/" + name, TestClient.JSON, bytes, "Accept", accept), handler);
    }

    private HttpResponse<String> post(String name, String body, String accept) throws Exception {
        return post(name, body, accept, BodyHandlers.ofString());
    }

    @Test
    void shouldAnswerWithCsv() throws Exception {
        HttpResponse<String> answer = post("scan", SCAN, "text/csv");
        assertEquals(200, answer.statusCode());
        assertEquals(List.of("text/csv"), answer.headers().allValues("content-type"));
        assertEquals(List.of("Loom-Outcome"), answer.headers().allValues("trailer"));
        List<String> lines = answer.body().lines().toList();
        assertEquals(4, lines.size());
        assertEquals("time,ts,source,addr,line", lines.get(0));
        assertTrue(lines.get(1).endsWith("\"a \"\"b\"\", c\""), lines.get(1));
    }

    @Test
    void shouldAnswerWithTheLinesInAnArray() throws Exception {
        List<String> lines = post("scan", SCAN, "*/*").body().lines().toList();
        String array = post("scan", SCAN, "application/json").body();
        assertTrue(array.startsWith("[" + String.join(",", lines.subList(0, 3)) + ",{\"end\":{"), array);
        assertTrue(array.endsWith("}]\n"), array);
        assertEquals(4, elements(array));
        String none = post("scan", "{\"source\":\"lines\",\"limit\":0}", "application/json")
                .body();
        assertTrue(none.startsWith("[{\"end\":{"), none);
    }

    private static int elements(String array) throws IOException {
        int elements = 0;
        try (JsonParser parser = new JsonFactory().createParser(array)) {
            assertEquals(JsonToken.START_ARRAY, parser.nextToken());
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                parser.skipChildren();
                elements++;
            }
            assertEquals(JsonToken.END_ARRAY, parser.currentToken());
            assertNull(parser.nextToken());
        }
        return elements;
    }

    @Test
    void shouldAnswerWithArrow() throws Exception {
        HttpResponse<byte[]> answer = post("scan", SCAN, ARROW, BodyHandlers.ofByteArray());
        assertEquals(List.of(ARROW), answer.headers().allValues("content-type"));
        byte[] body = answer.body();
        assertArrayEquals(ARROW_END, Arrays.copyOfRange(body, body.length - 8, body.length));
        String text = new String(body, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("loom.complete") && text.contains("loom.stats"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sources", "indexes", "info"})
    void shouldListWhatAStoreHasInEachForm(String name) throws Exception {
        for (String accept : List.of("text/csv", ARROW, "application/json", "application/jsonl")) {
            HttpResponse<byte[]> answer = post(name, "{}", accept, BodyHandlers.ofByteArray());
            assertEquals(200, answer.statusCode());
            assertEquals(List.of(accept), answer.headers().allValues("content-type"));
        }
        assertTrue(post("sources", "{}", "text/csv")
                .body()
                .startsWith("name,id,records,bytes,first,last,lost,closed,event_time,format\nlines,1,100,"));
    }

    @Test
    void shouldRefuseWhatIsNotOffered() throws Exception {
        HttpResponse<String> html = post("scan", SCAN, "text/html");
        assertEquals(406, html.statusCode());
        assertTrue(html.body().contains("\"code\":\"not_acceptable\""), html.body());
        assertTrue(html.body().contains("\"offered\":[\"application/jsonl\","), html.body());
        assertEquals(400, post("scan", SCAN, "text/csv;q=7").statusCode());
        for (String accept : List.of("text/csv", ARROW)) {
            requireRefused(
                    400, "follow is for application/jsonl", "tail", "{\"source\":\"lines\",\"follow\":true}", accept);
            requireRefused(400, "json is for application/jsonl", "traces", "{\"json\":true}", accept);
            requireRefused(404, "no such source: none", "scan", "{\"source\":\"none\"}", accept);
            requireRefused(400, "where", "scan", "{\"source\":\"lines\",\"where\":\"line ==\"}", accept);
            requireRefused(400, "fields", "scan", "{\"source\":\"lines\",\"fields\":[\"none\"]}", accept);
            requireRefused(400, "not JSON", "agg", "{", accept);
        }
    }

    private void requireRefused(int status, String message, String name, String body, String accept) throws Exception {
        HttpResponse<String> answer = post(name, body, accept);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(message), answer.body());
        assertEquals(List.of("application/json"), answer.headers().allValues("content-type"));
        assertFalse(answer.headers().firstValue("trailer").isPresent());
    }

    @Test
    void shouldSendTheOutcomeBehindTheLastChunk() throws Exception {
        String answer = exchange("HTTP/1.1", "text/csv");
        assertTrue(
                answer.endsWith("\r\n0\r\nLoom-Outcome: {\"complete\":true,\"lost\":0,\"damaged_pages\":0,"
                        + "\"expired\":false,\"limit\":\"none\"}\r\n\r\n"),
                answer);
        String old = exchange("HTTP/1.0", "text/csv");
        assertTrue(old.startsWith("HTTP/1.1 200 OK\r\n") && old.endsWith("\"a \"\"b\"\", c\"\n"), old);
    }

    private String exchange(String version, String accept) throws IOException {
        URI uri = URI.create("http://" + sidecar.addresses().get("http"));
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            String request = "POST /v1/scan " + version + "\r\nHost: localhost\r\nConnection: close\r\nAccept: "
                    + accept + "\r\nContent-Type: application/json\r\nContent-Length: " + SCAN.length() + "\r\n\r\n"
                    + SCAN;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
