package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.schema.StoreSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the raw port when its threads are interrupted. */
final class IngestSurvivalTest {
    @TempDir
    Path temp;

    private static void interrupt(String name) {
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .toList();
        assertTrue(!threads.isEmpty(), name);
        for (Thread thread : threads) {
            thread.interrupt();
            while (thread.isInterrupted()) {
                Thread.onSpinWait(); // with the flag no wait would last
            }
        }
    }

    @Test
    void shouldListenOnAfterAnInterrupt() throws IOException {
        for (String address : List.of("127.0.0.1:0", "unix:" + temp.resolve("socket"))) {
            Path directory = temp.resolve("store" + address.length());
            try (SharedWriter writer = new SharedWriter(Loom.open(
                            LoomConfig.at(directory).recordRingBytes(1 << 20).build()));
                    IngestServer server = IngestServer.start(
                            Endpoint.parse(address),
                            () -> Optional.of(writer),
                            new SchemaRequests(
                                    () -> new StoreSchema(writer.loom()),
                                    id -> false,
                                    new SchemaRequests.Changes("", true)),
                            InFlightBudget.open(temp, 1 << 20),
                            ServerProtection.defaults(),
                            failure -> {},
                            IngestServer.FRAME_DEADLINE_NS)) {
                Endpoint found =
                        server.port() < 0 ? Endpoint.parse(address) : Endpoint.parse("127.0.0.1:" + server.port());
                for (int i = 0; i < 3; i++) {
                    interrupt("loom-ingest");
                    interrupt("loom-ingest-deadlines");
                    define(found, "source" + i);
                }
                assertEquals(Optional.empty(), server.problem());
            }
        }
    }

    /** The port may be closed for a moment. */
    private static void define(Endpoint endpoint, String source) {
        while (true) {
            try (IngestClient client = IngestClient.connect(endpoint, "")) {
                client.defineSource(source, Formats.bytes(), Map.of());
                return;
            } catch (SidecarException e) {
                Thread.onSpinWait();
            }
        }
    }
}
