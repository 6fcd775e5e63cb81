package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.json.JsonRequests;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests as long as the largest message. */
class LargestMessageTest {
    private static final String PB = "application/x-protobuf";
    private static final String JSON = "application/json";
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String JSON_BEGIN = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[";
    private static final String JSON_END = "]}]}]}";
    private static final String RECORD_BEGIN = "{\"body\":{\"stringValue\":\"";
    private static final String RECORD_END = "\"}},";
    private static final int SMALL = 2 * TestServer.MIB;

    private final Random random = new Random(11);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final BlockingQueue<Message> exported = new LinkedBlockingQueue<>();
    private TestServer server;

    /** What the handler was given. */
    private record Message(int length, long sum) {
        static Message of(byte[] bytes) {
            CRC32 sum = new CRC32();
            sum.update(bytes);
            return new Message(bytes.length, sum.getValue());
        }
    }

    private void start(OtlpConfig config) throws IOException {
        server = new TestServer(
                this::export,
                config,
                ServerProtection.defaults(),
                new JsonRequests(),
                Endpoint.parse("localhost:0"),
                Endpoint.parse("localhost:0"));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertEquals(0, server.receiver.bytesInFlight());
        assertEquals(List.of(), server.failures);
        assertEquals(0, exported.size());
    }

    private static OtlpConfig small() {
        return TestServer.config().withBudget(4 * SMALL, TestServer.config().budgetFolder());
    }

    @Test
    void shouldTakeSixteenMebibytesByDefaultAndAQuarterOfAnyBudget() throws Exception {
        OtlpConfig defaults = OtlpConfig.defaults();
        int max = 16 << 20;
        assertEquals(max, defaults.maxMessageLength());
        assertEquals(SMALL, small().maxMessageLength());
        assertEquals(SMALL, small().withMaxMessageLength(SMALL).maxMessageLength());
        assertThrows(IllegalArgumentException.class, () -> small().withMaxMessageLength(SMALL + 1));
        assertThrows(IllegalArgumentException.class, () -> small().withMaxMessageLength(0));
        start(defaults);
        byte[] bytes = half(max);
        byte[] one = {1};
        assertTaken(bytes, PB, "identity", bytes);
        assertTooLarge(PB, "identity", join(bytes, one));
        byte[] gzip = TestRequests.fastGzip(bytes);
        assertTaken(bytes, PB, "gzip", gzip);
        assertTooLarge(PB, "gzip", join(gzip, TestRequests.fastGzip(one)));
        byte[] zstd = TestRequests.zstd(bytes);
        assertTaken(bytes, PB, "zstd", zstd);
        assertTooLarge(PB, "zstd", join(zstd, TestRequests.zstd(one)));
        String texts = texts(max);
        assertTaken(protobuf(texts, 900, max), JSON, "identity", json(texts, 900, max));
    }

    @Test
    void shouldTakeEachFormUpToTheLargestMessage() throws Exception {
        start(small());
        byte[] noise = new byte[SMALL];
        random.nextBytes(noise);
        for (byte[] bytes : List.of(noise, half(SMALL))) {
            byte[] more = Arrays.copyOf(bytes, SMALL + 1);
            assertTaken(bytes, PB, "gzip", TestRequests.gzip(bytes));
            assertTooLarge(PB, "gzip", TestRequests.gzip(more));
            assertTaken(bytes, PB, "zstd", TestRequests.zstd(bytes));
            assertTooLarge(PB, "zstd", TestRequests.zstd(more));
        }
        String texts = texts(SMALL);
        for (int textLength : new int[] {1, 10, 1000}) {
            byte[] json = json(texts, textLength, SMALL);
            byte[] protobuf = protobuf(texts, textLength, SMALL);
            byte[] more = Arrays.copyOf(json, SMALL + 1);
            more[SMALL] = ' ';
            for (String encoding : List.of("identity", "gzip", "zstd")) {
                assertTaken(protobuf, JSON, encoding, encode(encoding, json));
                assertTooLarge(JSON, encoding, encode(encoding, more));
            }
        }
    }

    /** As long as fits the window of HTTP/2. */
    @Test
    void shouldTakeCallsUpToTheLargestMessage() throws Exception {
        int max = 40_000;
        start(TestServer.config().withMaxMessageLength(max));
        byte[] noise = new byte[max];
        random.nextBytes(noise);
        byte[] more = Arrays.copyOf(noise, max + 1);
        for (String encoding : List.of("gzip", "zstd", "identity")) {
            assertEquals("0", call(encoding, encode(encoding, noise)));
            assertEquals(Message.of(noise), exported.remove());
            assertEquals("8", call(encoding, encode(encoding, more)));
        }
    }

    /** Bytes as sent may be more than are allowed decoded, but no more than compression can add. */
    @Test
    void shouldRefuseWhatIsSentTooLongWhateverItBecomes() throws Exception {
        start(small());
        byte[] empty = TestRequests.gzip(new byte[0]);
        int max = DecodeLimits.encodedMax(SMALL);
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        for (int i = 0; i < max / empty.length - 2; i++) {
            members.writeBytes(empty);
        }
        // One member with a name that fills up the rest
        byte[] named = new byte[max - members.size()];
        Arrays.fill(named, (byte) 'n');
        System.arraycopy(empty, 0, named, 0, 10);
        named[3] = 8;
        System.arraycopy(empty, 10, named, named.length - (empty.length - 10), empty.length - 10);
        named[named.length - (empty.length - 10) - 1] = 0;
        members.writeBytes(named);
        assertEquals(max, members.size());
        assertTaken(new byte[0], PB, "gzip", members.toByteArray());
        assertTooLarge(PB, "gzip", join(members.toByteArray(), empty));
    }

    /** Numbers of few characters become eight bytes. */
    @Test
    void shouldTakeJsonThatGrowsUpToTheLargestMessage() throws Exception {
        start(small());
        int count = SMALL / 8 - 100;
        assertEquals(
                200,
                post("/v1/metrics", JSON, "identity", bounds(count, "", "")).statusCode());
        assertTrue(exported.remove().length() > 8 * count);
        assertEquals(
                413,
                post("/v1/metrics", JSON, "identity", bounds(count + 101, "", ""))
                        .statusCode());
        int some = SMALL / 16;
        int rest = SMALL - bounds(some, "", "").length;
        for (byte[] json : List.of(bounds(some, " ".repeat(rest), ""), bounds(some, "", " ".repeat(rest)))) {
            assertEquals(
                    200,
                    post("/v1/metrics", JSON, "gzip", TestRequests.fastGzip(json))
                            .statusCode());
            exported.remove();
        }
    }

    @Test
    void shouldTakeSeveralAtOnceOneAfterAnother() throws Exception {
        start(small());
        byte[] bytes = half(SMALL);
        String texts = texts(SMALL);
        byte[] json = json(texts, 300, SMALL);
        byte[] protobuf = protobuf(texts, 300, SMALL);
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        List<Message> expected = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            boolean isJson = i % 3 == 0;
            String encoding = i % 2 == 0 ? "gzip" : "zstd";
            byte[] encoded = encode(encoding, isJson ? json : bytes);
            expected.add(Message.of(isJson ? protobuf : bytes));
            clients.add(CompletableFuture.runAsync(
                    () -> sendUntilTaken(isJson ? JSON : PB, encoding, encoded),
                    task -> new Thread(task, "largest-test").start()));
        }
        for (CompletableFuture<Void> done : clients) {
            done.join();
        }
        for (Message message : expected) {
            assertTrue(exported.remove(message));
        }
        assertTrue(server.receiver.bytesInFlightPeak() <= 4 * SMALL);
    }

    private void sendUntilTaken(String type, String encoding, byte[] encoded) {
        int status = 503;
        while (status == 503) {
            try {
                status = post("/v1/logs", type, encoding, encoded).statusCode();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        assertEquals(200, status);
    }

    private void assertTaken(byte[] message, String type, String encoding, byte[] encoded) throws Exception {
        HttpResponse<byte[]> answer = post("/v1/logs", type, encoding, encoded);
        assertEquals(
                200, answer.statusCode(), () -> encoding + ": " + new String(answer.body(), StandardCharsets.UTF_8));
        assertEquals(Message.of(message), exported.remove(), encoding);
    }

    private void assertTooLarge(String type, String encoding, byte[] encoded) throws Exception {
        HttpResponse<byte[]> answer = post("/v1/logs", type, encoding, encoded);
        assertEquals(
                413, answer.statusCode(), () -> encoding + ": " + new String(answer.body(), StandardCharsets.UTF_8));
    }

    private HttpResponse<byte[]> post(String path, String type, String encoding, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.httpUrl(path)))
                .POST(BodyPublishers.ofByteArray(body))
                .header("Content-Type", type)
                .header("Content-Encoding", encoding)
                .build();
        return client.send(request, BodyHandlers.ofByteArray());
    }

    private String call(String encoding, byte[] message) throws IOException {
        try (RawHttp2 grpc = new RawHttp2(server.grpcPort())) {
            byte[] framed = RawHttp2.framed(message, !encoding.equals("identity"));
            return grpc.call(LOGS_CALL, framed, "content-type", "application/grpc", "grpc-encoding", encoding)
                    .grpcStatus();
        }
    }

    private void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        byte[] bytes = new byte[length];
        message.getBytes(offset, bytes);
        exported.add(Message.of(bytes));
        outcome.accepted(1);
    }

    private static byte[] encode(String encoding, byte[] bytes) {
        return switch (encoding) {
            case "gzip" -> TestRequests.fastGzip(bytes);
            case "zstd" -> TestRequests.zstd(bytes);
            default -> bytes;
        };
    }

    /** The first half is noise, the other one compresses. */
    private byte[] half(int length) {
        byte[] noise = new byte[length / 2];
        random.nextBytes(noise);
        byte[] bytes = Arrays.copyOf(noise, length);
        byte[] text = texts(5000).getBytes(StandardCharsets.US_ASCII);
        for (int at = noise.length; at < length; at += text.length) {
            System.arraycopy(text, 0, bytes, at, Math.min(text.length, length - at));
        }
        return bytes;
    }

    /** Noise in characters. */
    private String texts(int length) {
        byte[] noise = new byte[length / 4 * 3];
        random.nextBytes(noise);
        return Base64.getEncoder().encodeToString(noise);
    }

    /** As many records as there is room for in a length. */
    private static int records(int textLength, int length) {
        int recordLength = RECORD_BEGIN.length() + textLength + RECORD_END.length();
        return (length - JSON_BEGIN.length() - JSON_END.length()) / recordLength;
    }

    /** Records of a text each, and spaces up to a length. */
    private static byte[] json(String texts, int textLength, int length) {
        StringBuilder json = new StringBuilder(length).append(JSON_BEGIN);
        for (int i = 0, count = records(textLength, length); i < count; i++) {
            json.append(RECORD_BEGIN)
                    .append(texts, i * textLength, (i + 1) * textLength)
                    .append(RECORD_END);
        }
        json.setLength(json.length() - 1);
        json.append(JSON_END);
        return json.append(" ".repeat(length - json.length())).toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] protobuf(String texts, int textLength, int length) {
        ScopeLogs.Builder scope = ScopeLogs.newBuilder();
        for (int i = 0, count = records(textLength, length); i < count; i++) {
            scope.addLogRecordsBuilder()
                    .getBodyBuilder()
                    .setStringValue(texts.substring(i * textLength, (i + 1) * textLength));
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder().addScopeLogs(scope))
                .build()
                .toByteArray();
    }

    private static byte[] bounds(int count, String before, String behind) {
        return ("{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"histogram\":{\"dataPoints\":[{" + before
                        + "\"explicitBounds\":[" + "1,".repeat(count - 1) + "1]" + behind + "}]}}]}]}]}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
