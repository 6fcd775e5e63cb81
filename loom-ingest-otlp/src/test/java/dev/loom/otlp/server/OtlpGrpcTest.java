package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.Signal;
import dev.loom.otlp.server.RawHttp2.Answer;
import dev.loom.otlp.server.Refusal.Reason;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The points of OTLP over gRPC, by their numbers in the project's list. */
class OtlpGrpcTest {
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String[] GRPC = {"content-type", "application/grpc"};
    private static final ExportLogsServiceRequest LOGS = TestRequests.logs("hello", 3);

    private final Exported exported = new Exported();
    private TestServer server;
    private RawHttp2 client;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(exported);
        client = new RawHttp2(server.grpcPort());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
        assertEquals(0, server.receiver.bytesInFlight());
        assertEquals(List.of(), server.failures);
    }

    @Test
    void point1And15ShouldTakeEachSignal() throws IOException {
        Answer answer = call(RawHttp2.framed(LOGS.toByteArray(), false));
        assertEquals(200, answer.status);
        assertEquals("application/grpc", answer.headers.get("content-type"));
        assertEquals("0", answer.grpcStatus());
        assertEquals(0, answer.message().length);
        byte[] empty = RawHttp2.framed(new byte[0], false);
        assertEquals(
                "0",
                client.call("/opentelemetry.proto.collector.trace.v1.TraceService/Export", empty, GRPC)
                        .grpcStatus());
        assertEquals(
                "0",
                client.call("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", empty, GRPC)
                        .grpcStatus());
        assertEquals(List.of(LOGS), exported.logs);
        assertEquals(1, exported.traces.size());
        assertEquals(1, exported.metrics.size());
    }

    @Test
    void point3ShouldNotImplementOthers() throws IOException {
        byte[] empty = RawHttp2.framed(new byte[0], false);
        String profiles = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";
        for (String path : List.of(profiles, LOGS_CALL + "s", "/grpc.health.v1.Health/Check", "/")) {
            Answer answer = client.call(path, empty, GRPC);
            assertEquals(200, answer.status);
            assertEquals("12", answer.grpcStatus());
        }
    }

    @Test
    void point5ShouldTakeBothProtocolsOnEitherPort() throws IOException {
        try (RawHttp2 other = new RawHttp2(server.httpPort())) {
            assertEquals(
                    "0",
                    other.call(LOGS_CALL, RawHttp2.framed(LOGS.toByteArray(), false), GRPC)
                            .grpcStatus());
            Answer answer = other.call("/v1/logs", LOGS.toByteArray(), "content-type", "application/x-protobuf");
            assertEquals(200, answer.status);
            assertNull(answer.grpcStatus());
        }
        assertEquals(List.of(LOGS, LOGS), exported.logs);
    }

    @Test
    void point7ShouldDecompress() throws IOException {
        byte[] gzip = RawHttp2.framed(TestRequests.gzip(LOGS.toByteArray()), true);
        byte[] zstd = RawHttp2.framed(TestRequests.zstd(LOGS.toByteArray()), true);
        byte[] plain = RawHttp2.framed(LOGS.toByteArray(), false);
        assertEquals("0", call(gzip, "grpc-encoding", "gzip").grpcStatus());
        assertEquals("0", call(zstd, "grpc-encoding", "zstd").grpcStatus());
        assertEquals("0", call(plain, "grpc-encoding", "gzip").grpcStatus());
        assertEquals("0", call(plain, "grpc-encoding", "identity").grpcStatus());
        assertEquals(List.of(LOGS, LOGS, LOGS, LOGS), exported.logs);
    }

    @Test
    void point9ShouldServeManyCallsOfAConnectionAtOnce() throws IOException {
        List<Integer> streams = new ArrayList<>();
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        for (int i = 0; i < 16; i++) {
            streams.add(client.open(LOGS_CALL, false, GRPC));
        }
        for (int i = streams.size() - 1; i > 0; i--) {
            client.data(streams.get(i), true, framed);
            assertEquals("0", client.answer(streams.get(i)).grpcStatus());
        }
        assertEquals(15, exported.logs.size());
        client.data(streams.get(0), true, framed);
        assertEquals("0", client.answer(streams.get(0)).grpcStatus());
    }

    @Test
    void point10And11ShouldRefuseWhatIsTooLargeWithoutAskingForItAgain() throws IOException {
        int max = TestServer.config().maxMessageLength();
        int stream = client.open(LOGS_CALL, false, GRPC);
        client.data(
                stream,
                false,
                ByteBuffer.allocate(5).put((byte) 0).putInt(max + 1).array());
        Answer declared = client.answer(stream);
        assertEquals("8", declared.grpcStatus());
        assertFalse(details(declared).details().contains("RetryInfo"));
        byte[] bomb = new byte[8 * TestServer.MIB];
        Answer gzip = call(RawHttp2.framed(TestRequests.gzip(bomb), true), "grpc-encoding", "gzip");
        assertEquals("8", gzip.grpcStatus());
        assertFalse(details(gzip).details().contains("RetryInfo"));
        assertEquals(
                "8",
                call(RawHttp2.framed(TestRequests.zstd(bomb), true), "grpc-encoding", "zstd")
                        .grpcStatus());
        int negative = client.open(LOGS_CALL, false, GRPC);
        client.data(negative, false, new byte[] {0, -1, -1, -1, -1});
        assertEquals("8", client.answer(negative).grpcStatus());
        assertEquals(4, server.receiver.counters().refused(Signal.LOGS, Transport.GRPC, Reason.TOO_LARGE));
    }

    @Test
    void point16To18ShouldTellWhatWasRejected() throws IOException {
        exported.answer = outcome -> outcome.accepted(5, 7, "seven are bad");
        var response = ExportLogsServiceResponse.parseFrom(
                call(RawHttp2.framed(LOGS.toByteArray(), false)).message());
        assertEquals(7, response.getPartialSuccess().getRejectedLogRecords());
        assertEquals("seven are bad", response.getPartialSuccess().getErrorMessage());
    }

    @Test
    void point21And23ShouldAskForTheRequestAgain() throws IOException {
        exported.answer = outcome -> outcome.unavailable(Duration.ofMillis(2500), "writer is busy: 100 %");
        Answer answer = call(RawHttp2.framed(LOGS.toByteArray(), false));
        assertEquals("14", answer.grpcStatus());
        assertEquals("writer is busy: 100 %25", answer.headers.get("grpc-message"));
        StatusText status = details(answer);
        assertEquals(14, status.code());
        assertEquals("writer is busy: 100 %", status.message());
        // RetryInfo { retry_delay = 1 { seconds = 1: 2, nanos = 2: 500,000,000 } }, by hand
        assertTrue(status.details().endsWith("\n\b\b\u0002\u0010\u0080\u00ca\u00b5\u00ee\u0001"), status.details());
    }

    @Test
    void point22ShouldRefuseBadData() throws IOException {
        Answer answer = call(RawHttp2.framed(new byte[] {(byte) 0xFF}, false));
        assertEquals("3", answer.grpcStatus());
        assertTrue(details(answer).details().contains("google.rpc.BadRequest"));
    }

    @Test
    void shouldRefuseMalformedFraming() throws IOException {
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        for (int length = 0; length < framed.length; length++) {
            assertEquals("3", call(java.util.Arrays.copyOf(framed, length)).grpcStatus(), "length=" + length);
        }
        assertEquals(
                "3", call(java.util.Arrays.copyOf(framed, framed.length + 1)).grpcStatus());
        assertEquals("3", call(RawHttp2.framed(LOGS.toByteArray(), true)).grpcStatus());
        framed[0] = 2;
        assertEquals("3", call(framed, "grpc-encoding", "gzip").grpcStatus());
        assertEquals("12", call(framed, "grpc-encoding", "snappy").grpcStatus());
        assertEquals(List.of(), exported.logs);
    }

    @Test
    void shouldJoinAMessageThatComesByteByByte() throws IOException {
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        int stream = client.open(LOGS_CALL, false, GRPC);
        for (int i = 0; i < framed.length; i++) {
            client.data(stream, i == framed.length - 1, new byte[] {framed[i]});
        }
        assertEquals("0", client.answer(stream).grpcStatus());
        assertEquals(List.of(LOGS), exported.logs);
    }

    @Test
    void shouldRefuseOtherFormsOfGrpc() throws IOException {
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        for (String type : List.of("application/grpc-web", "application/grpc+json", "application/grpc-web+proto")) {
            assertEquals(
                    "3", client.call(LOGS_CALL, framed, "content-type", type).grpcStatus(), type);
        }
        assertEquals(
                "0",
                client.call(LOGS_CALL, framed, "content-type", "application/grpc+proto")
                        .grpcStatus());
    }

    @Test
    void shouldStoreNothingOnceTheTimeOfTheCallIsOver() throws IOException {
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        for (String over : List.of("1n", "0H", "00000001u")) {
            assertEquals("4", call(framed, "grpc-timeout", over).grpcStatus(), over);
        }
        assertEquals(List.of(), exported.logs);
        int waiting = client.open(LOGS_CALL, false, "content-type", "application/grpc", "grpc-timeout", "20m");
        assertEquals("4", client.answer(waiting).grpcStatus());
        for (String later : List.of("1H", "99999999H", "60S", "5M", "99999999u")) {
            assertEquals("0", call(framed, "grpc-timeout", later).grpcStatus(), later);
        }
        assertEquals(5, exported.logs.size());
        for (String malformed : List.of("1", "H", "-1S", "1s", "123456789n", "1.5S")) {
            assertEquals("3", call(framed, "grpc-timeout", malformed).grpcStatus(), malformed);
        }
    }

    private Answer call(byte[] framed, String... fields) throws IOException {
        String[] all = java.util.Arrays.copyOf(GRPC, 2 + fields.length);
        System.arraycopy(fields, 0, all, 2, fields.length);
        return client.call(LOGS_CALL, framed, all);
    }

    private static StatusText details(Answer answer) throws IOException {
        return StatusText.parse(Base64.getDecoder().decode(answer.headers.get("grpc-status-details-bin")));
    }

    /** As gRPC's clients do, to learn how much is under way. */
    @Test
    void shouldKeepAConnectionThatHasAPingForEachAnswer() throws IOException {
        byte[] framed = RawHttp2.framed(LOGS.toByteArray(), false);
        for (int i = 0; i < 1_000; i++) {
            assertEquals("0", call(framed).grpcStatus());
            client.frame(RawHttp2.PING, 0, 0, new byte[8]);
        }
        assertEquals(1_000, exported.logs.size());
    }

    /** The rest of each message comes in vain. */
    @Test
    void shouldKeepAConnectionWhoseRequestsAreRefused() throws IOException {
        byte[] head = new byte[40_000];
        ByteBuffer.wrap(head).put((byte) 0).putInt(64 << 20);
        for (int i = 0; i < 300; i++) {
            assertEquals("8", call(head).grpcStatus());
        }
    }

    @Test
    void shouldEndAConnectionOfPingsAlone() {
        assertThrows(IOException.class, () -> {
            for (int i = 0; i < 2 * FrameAllowance.PER_SECOND; i++) {
                client.frame(RawHttp2.PING, 0, 0, new byte[8]); // fails as well if it was ended already
            }
            client.answer(Integer.MAX_VALUE);
        });
    }

    @Test
    void shouldSendTheMessageBeforeTheStatusWhenTheClientHadNoWindow() throws IOException {
        client.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
        int stream = client.open(LOGS_CALL, false, GRPC);
        client.data(stream, true, RawHttp2.framed(LOGS.toByteArray(), false));
        while (server.receiver.counters().requests(Signal.LOGS, Transport.GRPC) == 0) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < 5; i++) {
            client.frame(RawHttp2.WINDOW_UPDATE, 0, stream, new byte[] {0, 0, 0, 1});
        }
        Answer answer = client.answer(stream);
        assertEquals(0, answer.message().length);
        assertEquals("0", answer.grpcStatus());
    }
}
