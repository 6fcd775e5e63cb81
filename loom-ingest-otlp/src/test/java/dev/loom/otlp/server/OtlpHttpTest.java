package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The points of OTLP over HTTP, by their numbers in the project's list. */
class OtlpHttpTest {
    private static final String PB = "application/x-protobuf";
    private static final String JSON = "application/json";
    private static final ExportLogsServiceRequest LOGS = TestRequests.logs("hello", 3);

    private final Exported exported = new Exported();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(exported);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertEquals(0, server.receiver.bytesInFlight());
        assertEquals(List.of(), server.failures);
    }

    @Test
    void point2And3ShouldTakeEachSignalAtItsPath() throws Exception {
        for (String path : List.of("/v1/logs", "/v1/traces", "/v1/metrics")) {
            assertEquals(200, post(path, PB, null, new byte[0]).statusCode());
        }
        assertEquals(1, exported.logs.size());
        assertEquals(1, exported.traces.size());
        assertEquals(1, exported.metrics.size());
        assertEquals(404, post("/v1development/profiles", PB, null, new byte[0]).statusCode());
        assertEquals(404, post("/v1/logs/", PB, null, new byte[0]).statusCode());
        assertEquals(404, post("/", PB, null, new byte[0]).statusCode());
    }

    @Test
    void point4ShouldChooseByContentType() throws Exception {
        assertEquals(200, post("/v1/logs", PB, null, LOGS.toByteArray()).statusCode());
        assertEquals(
                200,
                post("/v1/logs", JSON, null, "{\"a\":1}".getBytes(StandardCharsets.UTF_8))
                        .statusCode());
        assertEquals(List.of(LOGS, TestRequests.logs("{\"a\":1}", 1)), exported.logs);
    }

    @Test
    void point6ShouldServeClientsThatAskForHttp2InHttp11() throws Exception {
        HttpClient http2 =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.httpUrl("/v1/logs")))
                .header("Content-Type", PB)
                .POST(BodyPublishers.ofByteArray(LOGS.toByteArray()))
                .build();
        HttpResponse<byte[]> first = http2.send(request, BodyHandlers.ofByteArray());
        HttpResponse<byte[]> second = http2.send(request, BodyHandlers.ofByteArray());
        assertEquals(200, first.statusCode());
        assertEquals(200, second.statusCode());
        assertEquals(HttpClient.Version.HTTP_1_1, second.version());
        assertEquals(List.of(LOGS, LOGS), exported.logs);
    }

    @Test
    void point6ShouldStayWithHttp11WhereAClientAsksForAnUpgrade() throws Exception {
        try (RawHttp1 client = new RawHttp1(server.httpPort())) {
            for (int i = 0; i < 2; i++) {
                client.send(String.join(
                        "\r\n",
                        "GET /nothing HTTP/1.1",
                        "Host: localhost",
                        "Connection: Upgrade, HTTP2-Settings",
                        "Upgrade: h2c",
                        "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
                        "",
                        ""));
                assertEquals(404, client.status());
            }
        }
    }

    @Test
    void point7ShouldDecompress() throws Exception {
        byte[] bytes = LOGS.toByteArray();
        assertEquals(200, post("/v1/logs", PB, "gzip", TestRequests.gzip(bytes)).statusCode());
        assertEquals(200, post("/v1/logs", PB, "zstd", TestRequests.zstd(bytes)).statusCode());
        assertEquals(200, post("/v1/logs", PB, "identity", bytes).statusCode());
        assertEquals(List.of(LOGS, LOGS, LOGS), exported.logs);
        byte[] json = "{\"b\":2}".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                200, post("/v1/logs", JSON, "gzip", TestRequests.gzip(json)).statusCode());
        assertEquals(TestRequests.logs("{\"b\":2}", 1), exported.logs.get(3));
    }

    /** It may compress answers, and does not: of a request that is taken they are empty, of others some hundred bytes. */
    @Test
    void point8ShouldAnswerClientsThatWouldTakeGzipWithoutIt() throws Exception {
        for (byte[] body : List.of(LOGS.toByteArray(), new byte[] {1})) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.httpUrl("/v1/logs")))
                    .POST(BodyPublishers.ofByteArray(body))
                    .header("Content-Type", PB)
                    .header("Accept-Encoding", "gzip")
                    .build();
            HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
            assertEquals(body.length == 1 ? 400 : 200, answer.statusCode());
            assertEquals(Optional.empty(), answer.headers().firstValue("Content-Encoding"));
            assertEquals(body.length == 1 ? 3 : 0, status(answer).code());
        }
        assertEquals(List.of(LOGS), exported.logs);
    }

    @Test
    void point9ShouldServeManyConnectionsAtOnce() throws Exception {
        int count = 40;
        Semaphore arrived = new Semaphore(0);
        Semaphore proceed = new Semaphore(0);
        exported.answer = outcome -> {
            arrived.release();
            proceed.acquireUninterruptibly();
        };
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(
                    client.sendAsync(request("/v1/logs", PB, null, LOGS.toByteArray()), BodyHandlers.ofByteArray()));
        }
        arrived.acquire(TestServer.config().exportThreads());
        proceed.release(count);
        for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
            assertEquals(200, answer.get().statusCode());
        }
        assertEquals(count, exported.logs.size());
    }

    @Test
    void point10And12ShouldRefuseWhatIsTooLarge() throws Exception {
        int max = TestServer.config().maxMessageLength();
        byte[] tooLong = new byte[max + 1];
        HttpResponse<byte[]> declared = post("/v1/logs", PB, null, tooLong);
        assertEquals(413, declared.statusCode());
        assertEquals(8, status(declared).code());
        HttpRequest chunked = HttpRequest.newBuilder(URI.create(server.httpUrl("/v1/logs")))
                .header("Content-Type", PB)
                .POST(BodyPublishers.ofByteArrays(List.of(tooLong)))
                .build();
        assertEquals(413, client.send(chunked, BodyHandlers.ofByteArray()).statusCode());
        assertEquals(
                413, post("/v1/logs", PB, "gzip", TestRequests.gzip(tooLong)).statusCode());
        assertEquals(
                413, post("/v1/logs", PB, "zstd", TestRequests.zstd(tooLong)).statusCode());
        assertEquals(0, exported.logs.size());
        assertEquals(4, server.receiver.counters().refused(Signal.LOGS, Transport.HTTP, Reason.TOO_LARGE));
    }

    @Test
    void point10ShouldRefuseWhatDecompressesTooMuch() throws Exception {
        byte[] zeroes = new byte[8 * TestServer.MIB];
        assertEquals(
                413, post("/v1/logs", PB, "gzip", TestRequests.gzip(zeroes)).statusCode());
        assertEquals(
                413, post("/v1/logs", PB, "zstd", TestRequests.zstd(zeroes)).statusCode());
        byte[] free =
                TestRequests.logs("x".repeat(DecodeLimits.RATIO_FREE - 100), 1).toByteArray();
        assertEquals(200, post("/v1/logs", PB, "gzip", TestRequests.gzip(free)).statusCode());
        assertEquals(200, post("/v1/logs", PB, "zstd", TestRequests.zstd(free)).statusCode());
    }

    @Test
    void point13ShouldShortenMessages() throws Exception {
        exported.answer = outcome -> outcome.accepted(1, 2, "long ".repeat(2_000_000));
        HttpResponse<byte[]> answer = post("/v1/logs", PB, null, LOGS.toByteArray());
        assertEquals(200, answer.statusCode());
        assertTrue(answer.body().length < 10_000);
        assertEquals(
                2,
                ExportLogsServiceResponse.parseFrom(answer.body())
                        .getPartialSuccess()
                        .getRejectedLogRecords());
    }

    @Test
    void point14And15And19ShouldAnswerSuccessWithNothing() throws Exception {
        HttpResponse<byte[]> empty = post("/v1/logs", PB, null, new byte[0]);
        assertEquals(200, empty.statusCode());
        assertEquals(0, empty.body().length);
        HttpResponse<byte[]> json = post("/v1/logs", JSON, null, "{}".getBytes(StandardCharsets.UTF_8));
        assertEquals("{}", new String(json.body(), StandardCharsets.UTF_8));
        byte[] envelope = ExportLogsServiceRequest.newBuilder()
                .addResourceLogsBuilder()
                .build()
                .toByteArray();
        assertEquals(200, post("/v1/logs", PB, null, envelope).statusCode());
    }

    @Test
    void point16To18ShouldTellWhatWasRejected() throws Exception {
        exported.answer = outcome -> outcome.accepted(5, 7, "seven are bad");
        var logs = ExportLogsServiceResponse.parseFrom(
                post("/v1/logs", PB, null, new byte[0]).body());
        assertEquals(7, logs.getPartialSuccess().getRejectedLogRecords());
        assertEquals("seven are bad", logs.getPartialSuccess().getErrorMessage());
        var traces = ExportTraceServiceResponse.parseFrom(
                post("/v1/traces", PB, null, new byte[0]).body());
        assertEquals(7, traces.getPartialSuccess().getRejectedSpans());
        var metrics = ExportMetricsServiceResponse.parseFrom(
                post("/v1/metrics", PB, null, new byte[0]).body());
        assertEquals(7, metrics.getPartialSuccess().getRejectedDataPoints());
        HttpResponse<byte[]> json = post("/v1/logs", JSON, null, "{}".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                "{\"partialSuccess\":{\"rejectedLogRecords\":\"7\",\"errorMessage\":\"seven are bad\"}}",
                new String(json.body(), StandardCharsets.UTF_8));
        exported.answer = outcome -> outcome.accepted(5, 0, "a \"warning\"\n");
        HttpResponse<byte[]> warning = post("/v1/logs", JSON, null, "{}".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                "{\"partialSuccess\":{\"errorMessage\":\"a \\\"warning\\\"\\u000a\"}}",
                new String(warning.body(), StandardCharsets.UTF_8));
    }

    @Test
    void shouldTellWhatTheTranscoderWarnsOf() throws Exception {
        try (TestServer warning = new TestServer(
                exported,
                TestServer.config(),
                ServerProtection.defaults(),
                (signal, json, offset, length, message, outcome) -> {
                    outcome.accepted(0, 0, "nothing is known");
                    return true;
                },
                Endpoint.parse("localhost:0"),
                Endpoint.parse("localhost:0"))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(warning.httpUrl("/v1/logs")))
                    .header("Content-Type", JSON)
                    .POST(BodyPublishers.ofString("{}"))
                    .build();
            assertEquals(
                    "{\"partialSuccess\":{\"errorMessage\":\"nothing is known\"}}",
                    client.send(request, BodyHandlers.ofString()).body());
            exported.answer = outcome -> outcome.accepted(5, 7, "seven are bad");
            assertTrue(client.send(request, BodyHandlers.ofString()).body().contains("seven are bad"));
        }
    }

    @Test
    void point24And25And28ShouldAnswerMalformedWithStatusInTheRequestsEncoding() throws Exception {
        HttpResponse<byte[]> protobuf = post("/v1/logs", PB, null, new byte[] {(byte) 0xFF});
        assertEquals(400, protobuf.statusCode());
        assertEquals(PB, protobuf.headers().firstValue("Content-Type").orElseThrow());
        StatusText status = status(protobuf);
        assertEquals(3, status.code());
        assertTrue(status.message().startsWith("not protobuf"), status.message());
        assertTrue(status.details().contains("google.rpc.BadRequest"), status.details());
        HttpResponse<byte[]> json = post("/v1/logs", JSON, null, "[]".getBytes(StandardCharsets.UTF_8));
        assertEquals(400, json.statusCode());
        assertEquals(JSON, json.headers().firstValue("Content-Type").orElseThrow());
        assertEquals(
                "{\"code\":3,\"message\":\"not a JSON object\",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\","
                        + "\"fieldViolations\":[{\"description\":\"not a JSON object\"}]}]}",
                new String(json.body(), StandardCharsets.UTF_8));
        assertEquals(400, post("/v1/logs", JSON, null, new byte[0]).statusCode());
    }

    @Test
    void point26And27ShouldAskForTheRequestAgain() throws Exception {
        exported.answer = outcome -> outcome.unavailable(Duration.ofMillis(1500), "writer is busy");
        HttpResponse<byte[]> answer = post("/v1/logs", PB, null, LOGS.toByteArray());
        assertEquals(503, answer.statusCode());
        assertEquals("2", answer.headers().firstValue("Retry-After").orElseThrow());
        assertEquals(14, status(answer).code());
        assertTrue(status(answer).details().contains("google.rpc.RetryInfo"));
        HttpResponse<byte[]> json = post("/v1/logs", JSON, null, "{}".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                "{\"code\":14,\"message\":\"writer is busy\",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\","
                        + "\"retryDelay\":\"1.500s\"}]}",
                new String(json.body(), StandardCharsets.UTF_8));
    }

    @Test
    void point29And30ShouldRefuseOtherTypesAndMethods() throws Exception {
        assertEquals(
                200,
                post("/v1/logs", "application/json; charset=utf-8", null, "{}".getBytes(StandardCharsets.UTF_8))
                        .statusCode());
        assertEquals(
                200,
                post("/v1/logs", "Application/X-Protobuf", null, new byte[0]).statusCode());
        HttpResponse<byte[]> text = post("/v1/logs", "text/plain", null, LOGS.toByteArray());
        assertEquals(415, text.statusCode());
        assertTrue(text.headers().firstValue("Content-Type").orElseThrow().startsWith("text/plain"));
        assertEquals(415, post("/v1/logs", null, null, LOGS.toByteArray()).statusCode());
        for (String method : List.of("GET", "PUT", "DELETE", "OPTIONS")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.httpUrl("/v1/logs")))
                    .method(method, BodyPublishers.noBody())
                    .build();
            HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
            assertEquals(405, answer.statusCode());
            assertEquals("POST", answer.headers().firstValue("Allow").orElseThrow());
        }
    }

    @Test
    void point31ShouldRefuseUnknownAndBrokenEncodings() throws Exception {
        HttpResponse<byte[]> unknown = post("/v1/logs", PB, "lz4", LOGS.toByteArray());
        assertEquals(400, unknown.statusCode());
        assertEquals(12, status(unknown).code());
        assertEquals(
                "identity,gzip,zstd",
                unknown.headers().firstValue("Accept-Encoding").orElseThrow());
        assertEquals(400, post("/v1/logs", PB, "gzip, gzip", LOGS.toByteArray()).statusCode());
        for (String encoding : List.of("gzip", "zstd")) {
            HttpResponse<byte[]> broken = post("/v1/logs", PB, encoding, LOGS.toByteArray());
            assertEquals(400, broken.statusCode());
            assertEquals(3, status(broken).code());
            assertEquals(400, post("/v1/logs", PB, encoding, new byte[0]).statusCode());
        }
    }

    @Test
    void point47ShouldCount() throws Exception {
        exported.answer = outcome -> outcome.accepted(3, 1, "one is bad");
        byte[] bytes = LOGS.toByteArray();
        post("/v1/logs", PB, "gzip", TestRequests.gzip(bytes));
        post("/v1/logs", PB, null, new byte[] {(byte) 0xFF});
        post("/nothing", PB, null, bytes);
        OtlpCounters counters = server.receiver.counters();
        assertEquals(1, counters.requests(Signal.LOGS, Transport.HTTP));
        assertEquals(3, counters.acceptedRecords(Signal.LOGS, Transport.HTTP));
        assertEquals(1, counters.rejectedRecords(Signal.LOGS, Transport.HTTP));
        assertEquals(bytes.length, counters.bytes(Signal.LOGS, Transport.HTTP));
        assertEquals(1, counters.refused(Signal.LOGS, Transport.HTTP, Reason.MALFORMED));
        assertEquals(1, counters.refusedUnread(Transport.HTTP, Reason.NOT_FOUND));
        assertEquals(0, counters.requests(Signal.LOGS, Transport.GRPC));
        assertTrue(server.receiver.bytesInFlightPeak() > 0);
    }

    @Test
    void shouldGiveJsonRoomToGrow() throws Exception {
        // The transcoder of these tests needs more room than the JSON takes.
        String text = "{" + " ".repeat(3 * 4096 - 2 - 64) + "}";
        for (int extra = 0; extra < 80; extra++) {
            byte[] json = (text + " ".repeat(extra)).getBytes(StandardCharsets.UTF_8);
            assertEquals(200, post("/v1/logs", JSON, null, json).statusCode());
            byte[] body = exported.logs
                    .get(extra)
                    .getResourceLogs(0)
                    .getScopeLogs(0)
                    .getLogRecords(0)
                    .getBody()
                    .getStringValueBytes()
                    .toByteArray();
            assertArrayEquals(json, body);
        }
    }

    @Test
    void shouldAnswerAFailureOfTheHandlerWithoutItsText() throws Exception {
        exported.answer = outcome -> {
            throw new IllegalStateException("secret");
        };
        HttpResponse<byte[]> answer = post("/v1/logs", PB, null, LOGS.toByteArray());
        assertEquals(500, answer.statusCode());
        assertEquals("request failed: IllegalStateException", status(answer).message());
        assertEquals("secret", server.failures.get(0).getMessage());
        server.failures.clear();
    }

    private HttpResponse<byte[]> post(String path, String type, String encoding, byte[] body) throws Exception {
        return client.send(request(path, type, encoding, body), BodyHandlers.ofByteArray());
    }

    private HttpRequest request(String path, String type, String encoding, byte[] body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.httpUrl(path))).POST(BodyPublishers.ofByteArray(body));
        if (type != null) {
            request.header("Content-Type", type);
        }
        if (encoding != null) {
            request.header("Content-Encoding", encoding);
        }
        return request.build();
    }

    static StatusText status(HttpResponse<byte[]> response) throws IOException {
        return StatusText.parse(response.body());
    }
}
