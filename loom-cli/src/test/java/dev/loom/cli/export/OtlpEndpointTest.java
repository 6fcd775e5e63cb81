package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import dev.loom.cli.Cli;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** One request to receivers that fail in all ways. */
class OtlpEndpointTest {
    private static final byte[] MESSAGE = {1, 2, 3, 4, 5};
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Cli().console(OutputStream.nullOutputStream(), err);

    private static RetryPolicy retryingFor(Duration total) {
        return new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(5), total, () -> 0);
    }

    private OtlpEndpoint endpoint(FakeReceiver receiver, String... options) throws IOException {
        return endpoint(receiver, retryingFor(LONG), LONG, options);
    }

    private OtlpEndpoint endpoint(FakeReceiver receiver, RetryPolicy policy, Duration answerMax, String... options)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--endpoint", receiver.url()));
        arguments.addAll(List.of(options));
        OtlpOptions parsed = CommandLine.populateCommand(new OtlpOptions(), arguments.toArray(String[]::new));
        return new OtlpEndpoint(console, parsed, policy, answerMax);
    }

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldCountWhatALongAnswerRejects() throws Exception {
        byte[] answer = ExportLogsServiceResponse.newBuilder()
                .setPartialSuccess(ExportLogsPartialSuccess.newBuilder()
                        .setRejectedLogRecords(500)
                        .setErrorMessage("x".repeat(1 << 20)))
                .build()
                .toByteArray();
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK", answer))) {
            OtlpEndpoint endpoint = endpoint(receiver);
            assertTrue(endpoint.deliver(Signal.LOGS, MESSAGE));
            assertEquals(500, endpoint.rejected());
        }
    }

    @Test
    void shouldSendWhatTheSpecificationSays() throws Exception {
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK"))) {
            OtlpEndpoint plain = endpoint(receiver, "--header", "Authorization=Bearer a=b", "--header", "x-n = 1");
            assertTrue(plain.deliver(Signal.LOGS, MESSAGE));
            assertTrue(endpoint(receiver, "--compression", "gzip").deliver(Signal.TRACES, MESSAGE));
            FakeReceiver.Request logs = receiver.requests().get(0);
            assertEquals("POST /v1/logs HTTP/1.1", logs.line);
            assertEquals("application/x-protobuf", logs.headers.get("content-type"));
            assertEquals("Bearer a=b", logs.headers.get("authorization"));
            assertEquals("1", logs.headers.get("x-n"));
            assertArrayEquals(MESSAGE, logs.body);
            FakeReceiver.Request traces = receiver.requests().get(1);
            assertEquals("POST /v1/traces HTTP/1.1", traces.line);
            assertEquals("gzip", traces.headers.get("content-encoding"));
            assertArrayEquals(MESSAGE, traces.unzipped());
            assertEquals("", said());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"429 Too Many", "502 Bad Gateway", "503 Unavailable", "504 Timeout", "", "slow", "cut"})
    void shouldTryAgain(String trouble) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> {
            if (number >= 3) {
                FakeReceiver.answer(out, "200 OK");
            } else if (trouble.equals("cut")) {
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1".getBytes(StandardCharsets.US_ASCII));
            } else if (trouble.equals("slow")) {
                // the first time long enough for the client to be the first to end it
                over.await(number == 0 ? 5_000 : 300, TimeUnit.MILLISECONDS);
            } else if (!trouble.isEmpty()) {
                FakeReceiver.answer(out, trouble + "\r\nRetry-After: 0", "busy\nline".getBytes(StandardCharsets.UTF_8));
            }
        })) {
            Duration answerMax = trouble.equals("slow") ? Duration.ofMillis(200) : LONG;
            OtlpEndpoint endpoint = endpoint(receiver, retryingFor(LONG), answerMax);
            assertTrue(endpoint.deliver(Signal.METRICS, MESSAGE));
            assertTrue(
                    receiver.requests().size() >= 4,
                    () -> "requests=" + receiver.requests().size());
            for (FakeReceiver.Request request : receiver.requests()) {
                assertEquals("POST /v1/metrics HTTP/1.1", request.line);
                assertArrayEquals(MESSAGE, request.body);
            }
            String reason = switch (trouble) {
                case "slow" -> "reason=no answer within 200 ms";
                case "" -> "reason=HTTP/1.1 header parser received no bytes";
                case "cut" -> "reason=";
                default -> "status=" + trouble.substring(0, 3) + ", reason=busy";
            };
            assertTrue(
                    said().startsWith("loom: the receiver does not take records now: " + reason)
                            && said().endsWith("; trying again for 300 s\n"),
                    said());
            assertEquals(1, said().lines().count());
        }
        over.countDown();
    }

    @Test
    void shouldTryAgainWhenTheHandshakeIsCut() throws Exception {
        AtomicInteger cuts = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread cutting = new Thread(() -> {
                while (!server.isClosed()) {
                    try (Socket socket = server.accept()) {
                        socket.getInputStream()
                                .read(new byte[4096]); // what the client says first, so that it is not reset
                        cuts.incrementAndGet();
                    } catch (IOException e) {
                        // the client or the test has ended
                    }
                }
            });
            cutting.setDaemon(true);
            cutting.start();
            OtlpOptions parsed = CommandLine.populateCommand(
                    new OtlpOptions(), "--endpoint", "https://127.0.0.1:" + server.getLocalPort());
            AtomicInteger delays = new AtomicInteger();
            RetryPolicy policy = new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(5), LONG, () -> {
                if (delays.incrementAndGet() == 3) {
                    throw new IllegalStateException("three attempts");
                }
                return 0;
            });
            OtlpEndpoint endpoint = new OtlpEndpoint(console, parsed, policy, LONG);
            assertThrows(IllegalStateException.class, () -> endpoint.deliver(Signal.LOGS, MESSAGE));
        }
        assertTrue(cuts.get() >= 3, () -> "cuts=" + cuts);
    }

    @Test
    void shouldTryAgainWhileNobodyListens() throws Exception {
        FakeReceiver gone = new FakeReceiver((number, out) -> {});
        gone.close();
        AtomicInteger delays = new AtomicInteger();
        RetryPolicy policy = new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(5), LONG, () -> {
            if (delays.incrementAndGet() == 3) {
                throw new IllegalStateException("three attempts");
            }
            return 0;
        });
        assertThrows(
                IllegalStateException.class, () -> endpoint(gone, policy, LONG).deliver(Signal.LOGS, MESSAGE));
        assertTrue(said().startsWith("loom: the receiver does not take records now: reason=can't connect"), this::said);
    }

    @Test
    void shouldGiveUpWhenNobodyListensForTooLong() throws Exception {
        FakeReceiver gone = new FakeReceiver((number, out) -> {});
        gone.close();
        CommandFailure failure = assertThrows(
                CommandFailure.class,
                () -> endpoint(gone, retryingFor(Duration.ZERO), LONG).deliver(Signal.LOGS, MESSAGE));
        assertEquals("gave up: url=" + gone.url() + "/v1/logs, reason=can't connect, attempts=1", failure.getMessage());
        assertEquals(5, failure.exitCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"400 Bad", "401 No", "404 Not Found", "408 Slow", "413 Large", "500 Fault", "302 Found"})
    void shouldNotTryAgain(String status) throws Exception {
        byte[] body = new byte[20];
        CodedOutputStream reason = CodedOutputStream.newInstance(body);
        reason.writeInt32(1, 3);
        reason.writeString(2, "bad \u001b[2J");
        byte[] written = Arrays.copyOf(body, 20 - reason.spaceLeft());
        boolean text = status.startsWith("302");
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(
                out,
                status + (text ? "\r\nLocation: http://elsewhere/" : "\r\nContent-Type: application/x-protobuf"),
                text ? new byte[0] : written))) {
            CommandFailure failure =
                    assertThrows(CommandFailure.class, () -> endpoint(receiver).deliver(Signal.LOGS, MESSAGE));
            assertEquals(
                    "the receiver refuses the records: url=" + receiver.url() + "/v1/logs, status="
                            + status.substring(0, 3) + ", reason="
                            + (text ? "redirect to http://elsewhere/" : "bad \u001b[2J"),
                    failure.getMessage());
            assertEquals(1, receiver.requests().size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"204 No Content", "202 Accepted"})
    void shouldTakeAnySuccessForOne(String status) throws Exception {
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(out, status, new byte[0]))) {
            OtlpEndpoint endpoint = endpoint(receiver);
            assertTrue(endpoint.deliver(Signal.LOGS, MESSAGE));
            assertEquals(1, receiver.requests().size());
            assertEquals(0, endpoint.rejected());
            assertEquals("", said());
        }
    }

    @Test
    void shouldNotTakeAWebPageForAnAnswer() throws Exception {
        try (FakeReceiver receiver =
                new FakeReceiver((number, out) -> FakeReceiver.answer(out, "200 OK\r\nContent-Type: text/html"))) {
            CommandFailure failure =
                    assertThrows(CommandFailure.class, () -> endpoint(receiver).deliver(Signal.LOGS, MESSAGE));
            assertTrue(failure.getMessage().endsWith("the answer is not a receiver's: content type=text/html"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCountWhatTheReceiverRejects(boolean compressed) throws Exception {
        byte[] partial = ExportLogsServiceResponse.newBuilder()
                .setPartialSuccess(ExportLogsPartialSuccess.newBuilder()
                        .setRejectedLogRecords(7)
                        .setErrorMessage("too old"))
                .build()
                .toByteArray();
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(partial);
        }
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> FakeReceiver.answer(
                out,
                "200 OK\r\nContent-Type: application/x-protobuf" + (compressed ? "\r\nContent-Encoding: gzip" : ""),
                compressed ? zipped.toByteArray() : partial))) {
            OtlpEndpoint endpoint = endpoint(receiver);
            assertTrue(endpoint.deliver(Signal.LOGS, MESSAGE));
            assertTrue(endpoint.deliver(Signal.LOGS, MESSAGE));
            assertEquals(14, endpoint.rejected());
            assertEquals("loom: the receiver says: too old; rejected=7\n", said());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\nContent-Encoding: gzip"})
    void shouldSurviveAnswersThatLie(String header) throws Exception {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        try (FakeReceiver receiver = new FakeReceiver((number, out) ->
                FakeReceiver.answer(out, "200 OK\r\nContent-Type: application/x-protobuf" + header, noise))) {
            assertTrue(endpoint(receiver).deliver(Signal.LOGS, MESSAGE));
        }
    }

    @Test
    void shouldGiveUpWhenItIsToWaitTooLong() throws Exception {
        for (String asked : List.of("400", "Wed, 21 Oct 2099 07:28:00 GMT")) {
            try (FakeReceiver receiver = new FakeReceiver(
                    (number, out) -> FakeReceiver.answer(out, "503 Unavailable\r\nRetry-After: " + asked))) {
                CommandFailure failure = assertThrows(
                        CommandFailure.class, () -> endpoint(receiver).deliver(Signal.LOGS, MESSAGE));
                assertTrue(
                        failure.getMessage().matches("gave up: url=.*, status=503, retry after=\\d{3,} s, attempts=1"),
                        failure.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndWhenInterrupted(boolean waiting) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicReference<Console> interrupted = new AtomicReference<>(console);
        try (FakeReceiver receiver = new FakeReceiver((number, out) -> {
            if (waiting) {
                FakeReceiver.answer(out, "503 Unavailable\r\nRetry-After: 200");
            }
            interrupted.get().interruption().request();
            over.await();
        })) {
            assertFalse(endpoint(receiver).deliver(Signal.LOGS, MESSAGE));
            assertEquals(1, receiver.requests().size());
        } finally {
            over.countDown();
        }
    }

    @Test
    void shouldWaitLongerEachTime() {
        RetryPolicy even = new RetryPolicy(Duration.ofMillis(500), Duration.ofSeconds(30), LONG, () -> 0);
        RetryPolicy odd = new RetryPolicy(Duration.ofMillis(500), Duration.ofSeconds(30), LONG, () -> 0.999999);
        Duration none = Duration.ZERO;
        assertEquals(Optional.of(Duration.ofMillis(500)), even.delay(1, none, none));
        assertEquals(Optional.of(Duration.ofSeconds(4)), even.delay(4, none, none));
        assertEquals(Optional.of(Duration.ofSeconds(30)), even.delay(7, none, none));
        assertEquals(Optional.of(Duration.ofSeconds(30)), even.delay(Integer.MAX_VALUE, none, none));
        assertEquals(250, odd.delay(1, none, none).orElseThrow().toMillis());
        assertEquals(Optional.of(Duration.ofSeconds(61)), even.delay(1, none, Duration.ofSeconds(61)));
        assertEquals(Optional.of(Duration.ofSeconds(1)), even.delay(2, none, Duration.ofMillis(1)));
        assertEquals(Optional.of(LONG), even.delay(1, none, LONG));
        assertEquals(Optional.empty(), even.delay(1, none, LONG.plusNanos(1)));
        assertEquals(Optional.empty(), even.delay(1, LONG, none));
        assertEquals(Optional.of(Duration.ofMillis(500)), even.delay(1, LONG.minusMillis(500), none));
    }
}
