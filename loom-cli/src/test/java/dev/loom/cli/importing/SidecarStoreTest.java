package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.client.IngestClient;
import dev.loom.server.protocol.FrameChannel;
import dev.loom.server.protocol.FrameDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SidecarStoreTest {
    @TempDir
    private Path directory;

    private final List<String> said = new ArrayList<>();

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
            try (SidecarStore store =
                    new SidecarStore(IngestClient.connect(Endpoint.parse(address), ""), () -> true, said::add)) {
                int id = store.schema()
                        .defineSource("s", Formats.bytes(), Map.of())
                        .id();
                assertEquals(1, store.push(id, new UnsafeBuffer(new byte[8]), new int[] {8}, 1));
                assertEquals(List.of(), said);
            }
        }
    }

    @Test
    void shouldSayOnceWhyTheSidecarTakesNothing() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (ServerSocketChannel sidecar =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Future<?> served = thread.submit(() -> takeAfterRetries(sidecar, 30));
            Endpoint endpoint = new Endpoint("localhost", sidecar.socket().getLocalPort(), null);
            try (SidecarStore store = new SidecarStore(IngestClient.connect(endpoint, ""), () -> false, said::add)) {
                assertEquals(1, store.push(1, new UnsafeBuffer(new byte[8]), new int[] {8}, 1));
            }
            served.get();
            assertEquals(List.of("waiting for the sidecar, which takes nothing: the store's ring is full"), said);
        } finally {
            thread.shutdown();
        }
    }

    private static @Nullable Void takeAfterRetries(ServerSocketChannel sidecar, int retries) throws IOException {
        try (FrameChannel channel = new FrameChannel(sidecar.accept())) {
            for (int frames = 0; frames <= retries + 1; frames++) {
                channel.readFirst();
                channel.readRest();
                channel.skip(channel.length());
                if (frames == 0) {
                    channel.writeText(
                            FrameDescriptor.DONE,
                            "{\"batch_length_max\":20,\"payload_length_max\":8}".getBytes(StandardCharsets.US_ASCII));
                } else if (frames <= retries) {
                    channel.writeAnswer(FrameDescriptor.RETRY, 0, 1, "the store's ring is full");
                } else {
                    channel.writeAnswer(FrameDescriptor.TAKEN, 1, 0, "");
                }
            }
        }
        return null;
    }
}
