package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of connections when there are as many as may be. */
class ConnectionLimitTest {
    private static final String REQUEST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";

    private final Exported exported = new Exported();

    @Test
    void shouldCloseConnectionsThatAreTooMany() throws Exception {
        Duration ever = Duration.ofMinutes(30); // so that none is closed for being slow, on a busy machine
        ServerProtection protection = ServerProtection.builder()
                .maxConnections(3)
                .readHeaderTimeout(ever)
                .readBodyTimeout(ever)
                .pressedTimeout(ever)
                .idleTimeout(ever)
                .build();
        try (TestServer server = new TestServer(exported, TestServer.config(), protection)) {
            List<RawHttp1> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(new RawHttp1(server.httpPort()));
            }
            while (server.servers.connections() < 3) {
                Thread.onSpinWait();
            }
            try (RawHttp1 refused = new RawHttp1(server.httpPort())) {
                refused.awaitEnd();
            }
            assertEquals(1, server.servers.refusedConnections());
            for (RawHttp1 client : clients) {
                client.send(REQUEST);
                assertEquals(200, client.status());
                client.close();
            }
        }
    }

    @Test
    void shouldLetIdleConnectionsGiveWayWhenThereAreTooMany() throws Exception {
        ServerProtection protection = ServerProtection.builder()
                .maxConnections(1)
                .pressedTimeout(Duration.ofMillis(50))
                .idleTimeout(Duration.ofMinutes(30))
                .build();
        try (TestServer server = new TestServer(exported, TestServer.config(), protection);
                RawHttp1 idle = new RawHttp1(server.httpPort())) {
            idle.awaitEnd();
            int status = 0;
            while (status != 200) { // others may still be there, and on a busy machine so may this one be, for too long
                status = status(server);
            }
        }
    }

    private static int status(TestServer server) throws IOException {
        try (RawHttp1 client = new RawHttp1(server.httpPort())) {
            client.send(REQUEST);
            return client.status();
        } catch (SocketException e) {
            return 0; // closed while it sent
        }
    }
}
