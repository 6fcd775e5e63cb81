package dev.loom.server;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.client.IngestClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Servers as a configuration file describes them, and lines for their stores. */
final class TestServers {
    static final String OTLP_HTTP = "receivers.otlp.protocols.http.endpoint";
    static final String API = "api.endpoint";
    static final String INGEST = "receivers.loom.endpoint";

    private TestServers() {}

    /**
     * The settings of a server whose store is {@code store} in a folder.
     *
     * @param yaml settings, without those of the store
     * @param endpoints settings of endpoints; each gets any port of this machine
     */
    static ServerSettings.Builder settings(Path folder, String yaml, String... endpoints) throws IOException {
        Path file = Files.writeString(
                folder.resolve("loom.yaml"), yaml.contains("store:") ? yaml : yaml + "\nstore: {record_ring_mib: 8}\n");
        Map<String, String> overrides = new HashMap<>();
        overrides.put("store.directory", folder.resolve("store").toString());
        for (String endpoint : endpoints) {
            overrides.put(endpoint, "127.0.0.1:0");
        }
        return ServerSettings.read(file, Map.of(), overrides).onFailure(Throwable::printStackTrace);
    }

    /** Stores lines in the store of a folder, which no server serves. */
    static void store(Path folder, String source, String line, int count) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer payload = new UnsafeBuffer(bytes);
        try (Loom loom = Loom.open(
                LoomConfig.at(folder.resolve("store")).recordRingBytes(8 << 20).build())) {
            int id = loom.source(source).map(Source::id).orElseGet(() -> loom.defineSource(source, Formats.text()));
            for (int i = 0; i < count; i++) {
                loom.push(id, payload, 0, bytes.length);
            }
        }
    }

    /** Sends a line to a server. */
    static void send(LoomServer server, String source, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        Endpoint endpoint = Endpoint.parse(String.valueOf(server.addresses().get("ingest")));
        try (IngestClient client = IngestClient.connect(endpoint, "")) {
            int id = client.defineSource(source, Formats.text(), Map.of()).id();
            client.push(id, new UnsafeBuffer(bytes), new int[] {bytes.length}, 1, () -> false);
        }
    }
}
