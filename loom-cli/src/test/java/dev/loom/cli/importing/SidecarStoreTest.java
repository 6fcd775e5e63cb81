package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
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
import java.util.Collections;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            Future<?> served = thread.submit(() -> takeAfterRetries(sidecar, 30, 1));
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

    /** What it says it has taken decides which records are sent again. */
    @ParameterizedTest
    @ValueSource(ints = {-5, 2, 1_000_000})
    void shouldNotBelieveASidecarThatHasTakenOtherRecordsThanItWasSent(int taken) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (ServerSocketChannel sidecar =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Future<?> served = thread.submit(() -> takeAfterRetries(sidecar, 0, taken));
            Endpoint endpoint = new Endpoint("localhost", sidecar.socket().getLocalPort(), null);
            try (SidecarStore store = new SidecarStore(IngestClient.connect(endpoint, ""), () -> false, said::add)) {
                // of which one fits into a batch
                SidecarException e = assertThrows(
                        SidecarException.class,
                        () -> store.push(1, new UnsafeBuffer(new byte[16]), new int[] {8, 8}, 2));
                assertTrue(String.valueOf(e.getMessage()).contains("taken=" + taken + ", sent=1"), e::toString);
            }
            served.get();
        } finally {
            thread.shutdown();
        }
    }

    /** Nobody waits weeks because a sidecar says so, or after the user gave up. */
    @Test
    void shouldNotRestOnceTheUserGivesUp() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (ServerSocketChannel sidecar =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Future<?> served = thread.submit(() -> answer(sidecar, List.of(new Answer(0, Integer.MAX_VALUE))));
            Endpoint endpoint = new Endpoint("localhost", sidecar.socket().getLocalPort(), null);
            try (SidecarStore store = new SidecarStore(IngestClient.connect(endpoint, ""), () -> true, said::add)) {
                assertEquals(0, store.push(1, new UnsafeBuffer(new byte[8]), new int[] {8}, 1));
            }
            served.get();
        } finally {
            thread.shutdown();
        }
    }

    private static @Nullable Void takeAfterRetries(ServerSocketChannel sidecar, int retries, int taken)
            throws IOException {
        List<Answer> answers = new ArrayList<>(Collections.nCopies(retries, new Answer(0, 1)));
        answers.add(new Answer(taken, 0));
        return answer(sidecar, answers);
    }

    /** What is said of a batch: to come again if there is a delay. */
    private record Answer(int taken, int delayMs) {}

    private static @Nullable Void answer(ServerSocketChannel sidecar, List<Answer> answers) throws IOException {
        try (FrameChannel channel = new FrameChannel(sidecar.accept())) {
            for (int frames = 0; frames <= answers.size(); frames++) {
                channel.readFirst();
                channel.readRest();
                channel.skip(channel.length());
                if (frames == 0) {
                    channel.writeText(
                            FrameDescriptor.DONE,
                            "{\"batch_length_max\":20,\"payload_length_max\":8}".getBytes(StandardCharsets.US_ASCII));
                } else {
                    Answer answer = answers.get(frames - 1);
                    boolean again = answer.delayMs > 0;
                    channel.writeAnswer(
                            again ? FrameDescriptor.RETRY : FrameDescriptor.TAKEN,
                            answer.taken,
                            answer.delayMs,
                            again ? "the store's ring is full" : "");
                }
            }
        }
        return null;
    }
}
