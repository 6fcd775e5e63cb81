package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.SharedWriter;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.Region;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.schema.StoreSchema;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory that batches share with OTLP: they take it as their bytes arrive. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IngestMemoryTest {
    private static final int KIB = 1 << 10;
    private static final Duration SOON = Duration.ofMillis(1);
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path temp;

    private SharedWriter writer;

    @BeforeEach
    void open() {
        writer = IngestServerTest.writer(temp);
    }

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void shouldLeaveRoomForALargestMessageOfOtlp() throws Exception {
        InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
        try (IngestServer server = start(memory, NEVER);
                IngestClient client = connect(server)) {
            int id = define(client);
            try (Region others = memory.reserve(600 * KIB)) {
                assertNotNull(others);
                assertEquals(0, push(client, id, 30));
                assertEquals(1, server.counters().retries.sum());
                try (Region message = memory.reserve(256 * KIB)) {
                    assertNotNull(message);
                }
                assertEquals(0, memory.presses());
                assertEquals(10, push(client, id, 10));
            }
            assertEquals(30, push(client, id, 30));
        } finally {
            memory.close();
        }
    }

    @Test
    void shouldNameALimitForWhichThereIsMemoryAndRefuseWhatIsLonger() throws Exception {
        try (InFlightBudget memory = InFlightBudget.open(temp, 64 * KIB);
                IngestServer server = start(memory, NEVER);
                IngestClient client = connect(server)) {
            int id = define(client);
            int max = client.payloadLengthMax();
            assertEquals(48 * KIB - 12, max);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[max + 1]);
            assertEquals(1, client.push(id, payload, new int[] {max}, 1, () -> false));
            assertEquals(30, push(client, id, 30, 8), "not in batches that there is memory for");
            assertEquals(0, server.counters().retries.sum());
            SidecarException refused = assertThrows(
                    SidecarException.class, () -> client.push(id, payload, new int[] {max + 1}, 1, () -> false));
            assertEquals(
                    "the sidecar refused a batch: bytes=" + (max + 1) + ": batch is too long: bytes=" + (48 * KIB + 1)
                            + ", max=" + 48 * KIB,
                    refused.getMessage());
        }
    }

    @Test
    void shouldTakeBatchesOfOthersWhileAnnouncedOnesDoNotCome() throws Exception {
        try (InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
                IngestServer server = start(memory, NEVER);
                IngestClient client = connect(server);
                Batch first = new Batch(server, 768 * KIB).send(1);
                Batch second = new Batch(server, 768 * KIB).send(1);
                Batch third = new Batch(server, 768 * KIB).send(1)) {
            awaitUse(memory, 3 * 64 * KIB);
            assertEquals(30, push(client, define(client), 30));
            for (Batch stalled : List.of(first, second, third)) {
                assertFalse(stalled.isEnded());
            }
        }
    }

    private static void awaitUse(InFlightBudget memory, int bytes) {
        while (memory.used() < bytes) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldEndWhoKeepsMemoryForBytesThatDoNotComeWhileOthersWantIt() throws Exception {
        try (InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
                IngestServer server = start(memory, SOON);
                Batch stalled = new Batch(server, 700 * KIB).send(256 * KIB)) {
            awaitUse(memory, 512 * KIB); // all is received, and there is room for more
            while (!stalled.isEnded()) {
                attempt(server);
            }
        }
    }

    @Test
    void shouldEndWhoKeepsMemoryForBytesThatDoNotComeWhileOtlpWantsIt() throws Exception {
        try (InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
                IngestServer server = start(memory, SOON);
                Batch stalled = new Batch(server, 700 * KIB).send(256 * KIB)) {
            awaitUse(memory, 512 * KIB);
            while (!stalled.isEnded()) {
                Region message = memory.reserve(600 * KIB);
                if (message != null) {
                    message.close();
                }
            }
        }
    }

    @Test
    void shouldAskWhoIsSlowForTheBatchAgainWhileOthersWantTheMemory() throws Exception {
        try (InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
                IngestServer server = start(memory, SOON)) {
            int answer = 0;
            while (answer != FrameDescriptor.RETRY) {
                try (Batch slow = new Batch(server, 700 * KIB).send(256 * KIB)) {
                    attempt(server);
                    answer = slow.send(444 * KIB).answer();
                } catch (IOException e) {
                    // a tick came first, which ended it
                }
            }
        }
    }

    /** Sends a batch that there is no room for beside a half of the memory. It may itself be too slow. */
    private static void attempt(IngestServer server) {
        try (IngestClient client = connect(server)) {
            push(client, define(client), 30);
        } catch (SidecarException e) {
            // ended by a tick
        }
    }

    /** A batch of a connection of its own, of which no more is sent than the test says. */
    private static final class Batch implements AutoCloseable {
        private final Socket socket;

        Batch(IngestServer server, int length) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
            byte[] hello = "{\"protocol\":1}".getBytes(StandardCharsets.UTF_8);
            header(hello.length, FrameDescriptor.HELLO);
            socket.getOutputStream().write(hello);
            assertEquals(FrameDescriptor.DONE, answer());
            header(length, FrameDescriptor.BATCH);
        }

        private void header(int length, int type) throws IOException {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(FrameDescriptor.HEADER_LENGTH)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(length)
                            .putInt(type)
                            .array());
        }

        Batch send(int count) throws IOException {
            socket.getOutputStream().write(new byte[count]);
            return this;
        }

        /** The type of the next answer. */
        int answer() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int length = Integer.reverseBytes(in.readInt());
            int type = Integer.reverseBytes(in.readInt());
            in.readFully(new byte[length]);
            return type;
        }

        boolean isEnded() throws IOException {
            socket.setSoTimeout(10);
            try {
                return socket.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (SocketException e) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private IngestServer start(InFlightBudget memory, Duration pressedTimeout) throws IOException {
        return IngestServer.start(
                Endpoint.parse("127.0.0.1:0"),
                () -> Optional.of(writer),
                new SchemaRequests(
                        () -> new StoreSchema(writer.loom()), id -> false, new SchemaRequests.Changes("", true)),
                memory,
                ServerProtection.builder().pressedTimeout(pressedTimeout).build(),
                failure -> {},
                NEVER.toNanos());
    }

    private static IngestClient connect(IngestServer server) {
        return IngestClient.connect(Endpoint.parse("127.0.0.1:" + server.port()), "");
    }

    private static int define(IngestClient client) {
        return client.defineSource("lines", Formats.bytes(), Map.of()).id();
    }

    /** Sends records of 10 KiB in one batch; how many were taken before the server asked a second time to send it later. */
    private static int push(IngestClient client, int id, int count) {
        return push(client, id, count, 1);
    }

    /** As {@link #push(IngestClient, int, int)}, in this many batches. */
    private static int push(IngestClient client, int id, int count, int batches) {
        AtomicInteger asked = new AtomicInteger();
        int[] lengths = new int[count];
        Arrays.fill(lengths, 10 * KIB);
        UnsafeBuffer payloads = new UnsafeBuffer(new byte[count * 10 * KIB]);
        return client.push(id, payloads, lengths, count, () -> asked.getAndIncrement() >= batches);
    }
}
