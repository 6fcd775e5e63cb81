package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
                client.send("POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
                        + "Content-Length: " + length + "\r\n\r\n" + "x".repeat(length));
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
