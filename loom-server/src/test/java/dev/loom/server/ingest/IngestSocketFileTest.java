package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.SharedWriter;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.schema.StoreSchema;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a socket's file when its server ends. */
final class IngestSocketFileTest {
    @TempDir
    Path temp;

    private Path file;
    private SharedWriter writer;

    @BeforeEach
    void open() {
        file = temp.resolve("loom.sock");
        writer = IngestServerTest.writer(temp);
    }

    @AfterEach
    void close() {
        writer.close();
    }

    private IngestServer start() throws IOException {
        return IngestServer.start(
                Endpoint.parse("unix:" + file),
                () -> Optional.of(writer),
                new SchemaRequests(
                        () -> new StoreSchema(writer.loom()), id -> false, new SchemaRequests.Changes("", true)),
                InFlightBudget.open(temp, 1 << 20),
                ServerProtection.defaults(),
                failure -> {},
                IngestServer.FRAME_DEADLINE_NS);
    }

    private void requireListener() throws IOException {
        SocketChannel.open(UnixDomainSocketAddress.of(file)).close();
    }

    @Test
    void shouldLeaveTheFileOfASuccessorWhenClosedAgain() throws Exception {
        IngestServer first = start();
        first.close();
        try (IngestServer second = start()) {
            assertTrue(second.problem().isEmpty());
            first.close();
            requireListener();
        }
        assertFalse(Files.exists(file));
    }

    @Test
    void shouldLeaveTheFileOfAnotherServer() throws Exception {
        IngestServer first = start();
        Files.delete(file);
        try (IngestServer second = start()) {
            assertTrue(second.problem().isEmpty());
            first.close();
            requireListener();
        }
        assertFalse(Files.exists(file));
    }
}
