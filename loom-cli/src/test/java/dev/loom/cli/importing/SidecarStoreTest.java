package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.client.IngestClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SidecarStoreTest {
    @TempDir
    private Path directory;

    @Test
    void shouldSendWhatWasReadBeforeTheUserGaveUp() throws Exception {
        Path settings = Files.writeString(directory.resolve("loom.yaml"), "store: {record_ring_mib: 8}\n");
        Map<String, String> given = Map.of(
                "receivers.loom.endpoint",
                "127.0.0.1:0",
                "store.directory",
                directory.resolve("store").toString());
        try (LoomServer server =
                LoomServer.open(ServerSettings.read(settings, Map.of(), given).build())) {
            String address = Objects.requireNonNull(server.addresses().get("ingest"));
            try (SidecarStore store = new SidecarStore(IngestClient.connect(Endpoint.parse(address), ""), () -> true)) {
                int id = store.schema()
                        .defineSource("s", Formats.bytes(), Map.of())
                        .id();
                assertEquals(1, store.push(id, new UnsafeBuffer(new byte[8]), new int[] {8}, 1));
            }
        }
    }
}
