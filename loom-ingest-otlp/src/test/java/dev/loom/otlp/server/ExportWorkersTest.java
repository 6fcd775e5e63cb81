package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

class ExportWorkersTest {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final List<Integer> lengths = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldTakeTheShortestAndEachFourthTimeTheOldest() throws Exception {
        List<RawHttp1> clients = new ArrayList<>();
        OtlpConfig config = TestServer.config().withExportThreads(1);
        try (TestServer server = new TestServer(this::export, config, ServerProtection.defaults())) {
            // The first is at work until the others wait, each with as many bytes in flight as it is long.
            for (int granules : List.of(1, 9, 3, 7, 2, 8)) {
                int inFlight = server.receiver.bytesInFlight();
                RawHttp1 client = new RawHttp1(server.httpPort());
                clients.add(client);
                int length = granules * InFlightBudget.GRANULE;
                post(client, granules);
                while (server.receiver.bytesInFlight() < inFlight + length) {
                    Thread.onSpinWait();
                }
                begun.await();
            }
            mayGoOn.countDown();
            for (RawHttp1 client : clients) {
                assertEquals(200, client.status());
                client.close();
            }
        }
        assertEquals(List.of(1, 2, 3, 7, 9, 8), lengths);
    }

    @Test
    void shouldForgetRequestsWhoseClientsLeaveWhileTheyWait() throws Exception {
        OtlpConfig config = TestServer.config().withExportThreads(1);
        try (TestServer server = new TestServer(this::export, config, ServerProtection.defaults());
                RawHttp2 first = new RawHttp2(server.grpcPort())) {
            call(first, 1);
            begun.await();
            int inFlight = server.receiver.bytesInFlight();
            for (int round = 0; round < 5; round++) {
                try (RawHttp2 client = new RawHttp2(server.grpcPort())) {
                    // longer ones first, which a worker would take last
                    List<Integer> streams = List.of(call(client, 3), call(client, 2), call(client, 1));
                    await(() -> server.receiver.workers().waiting() == streams.size());
                    for (int stream : streams) {
                        client.frame(RawHttp2.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}); // CANCEL
                    }
                    await(() -> server.receiver.bytesInFlight() == inFlight);
                    assertEquals(0, server.receiver.workers().waiting());
                }
            }
            mayGoOn.countDown();
            assertEquals("0", first.answer(1).grpcStatus());
        }
        assertEquals(List.of(1), lengths);
    }

    @Test
    void shouldForgetRequestsOfHttp1WhoseClientsLeaveWhileTheyWait() throws Exception {
        OtlpConfig config = TestServer.config().withExportThreads(1);
        try (TestServer server = new TestServer(this::export, config, ServerProtection.defaults());
                RawHttp1 first = new RawHttp1(server.httpPort())) {
            post(first, 1);
            begun.await();
            int inFlight = server.receiver.bytesInFlight();
            List<RawHttp1> clients = new ArrayList<>();
            for (int granules = 3; granules > 0; granules--) {
                RawHttp1 client = new RawHttp1(server.httpPort());
                clients.add(client);
                post(client, granules);
            }
            await(() -> server.receiver.workers().waiting() == clients.size());
            for (RawHttp1 client : clients) {
                client.close();
            }
            await(() -> server.receiver.bytesInFlight() == inFlight);
            assertEquals(0, server.receiver.workers().waiting());
            mayGoOn.countDown();
            assertEquals(200, first.status());
        }
        assertEquals(List.of(1), lengths);
    }

    /** A server's error would have the sender give its records up. */
    @Test
    void shouldAnswerRequestsThatWaitLongerThanAConnectionMayBeIdle() throws Exception {
        OtlpConfig config = TestServer.config().withExportThreads(1);
        ServerProtection hasty = ServerProtection.builder()
                .idleTimeout(Duration.ofSeconds(1))
                .readBodyTimeout(Duration.ofSeconds(1))
                .writeTimeout(Duration.ofSeconds(1))
                .build();
        try (TestServer server = new TestServer(this::export, config, hasty);
                RawHttp1 first = new RawHttp1(server.httpPort())) {
            post(first, 1);
            begun.await();
            try (RawHttp1 second = new RawHttp1(server.httpPort());
                    RawHttp2 third = new RawHttp2(server.grpcPort())) {
                post(second, 2);
                int stream = call(third, 3);
                await(() -> server.receiver.workers().waiting() == 2);
                second.requireOpenFor(3_000); // less than twice what a stream of HTTP/2 may be silent
                assertEquals(2, server.receiver.workers().waiting());
                mayGoOn.countDown();
                assertEquals(200, first.status());
                assertEquals(200, second.status());
                assertEquals("0", third.answer(stream).grpcStatus());
            }
        }
    }

    private static void post(RawHttp1 client, int granules) throws IOException {
        int length = granules * InFlightBudget.GRANULE;
        client.send("POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
                + "Content-Length: " + length + "\r\n\r\n" + "x".repeat(length));
    }

    private static void await(BooleanSupplier condition) {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            while (!condition.getAsBoolean()) {
                Thread.onSpinWait();
            }
        });
    }

    /** Sends a whole call; returns its stream. */
    private static int call(RawHttp2 client, int granules) throws IOException {
        byte[] message = new byte[granules * InFlightBudget.GRANULE];
        int stream = client.open(
                "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
                false,
                "content-type",
                "application/grpc",
                "te",
                "trailers");
        client.data(stream, true, RawHttp2.framed(message, false));
        return stream;
    }

    private void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        try {
            begun.countDown();
            mayGoOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lengths.add(length / InFlightBudget.GRANULE);
        outcome.accepted(1);
    }
}
