package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.loom.SharedWriter;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.Region;
import dev.loom.server.client.IngestClient;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.schema.StoreSchema;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory that batches share with OTLP: they reserve what they announce, however long it takes to come. */
final class IngestMemoryTest {
    private static final int KIB = 1 << 10;

    @TempDir
    Path temp;

    @Test
    void shouldLeaveRoomForALargestMessageOfOtlp() throws Exception {
        InFlightBudget memory = InFlightBudget.open(temp, 1024 * KIB);
        try (SharedWriter writer = IngestServerTest.writer(temp);
                IngestServer server = start(writer, memory);
                IngestClient client = IngestClient.connect(Endpoint.parse("127.0.0.1:" + server.port()), "")) {
            int id = client.defineSource("lines", Formats.bytes(), Map.of()).id();
            try (Region others = memory.reserve(600 * KIB)) {
                assertNotNull(others);
                assertEquals(0, push(client, id, 30));
                assertEquals(1, server.counters().retries.sum());
                try (Region message = memory.reserve(256 * KIB)) {
                    assertNotNull(message);
                }
                assertEquals(10, push(client, id, 10));
            }
            assertEquals(30, push(client, id, 30));
        } finally {
            memory.close();
        }
    }

    private static IngestServer start(SharedWriter writer, InFlightBudget memory) throws Exception {
        return IngestServer.start(
                Endpoint.parse("127.0.0.1:0"),
                () -> Optional.of(writer),
                new SchemaRequests(
                        () -> new StoreSchema(writer.loom()), id -> false, new SchemaRequests.Changes("", true)),
                memory,
                null,
                null,
                IngestServer.FRAME_DEADLINE_NS);
    }

    /** Sends records of 10 KiB in one batch; how many were taken before the server asked a second time to send it later. */
    private static int push(IngestClient client, int id, int count) {
        AtomicInteger asked = new AtomicInteger();
        int[] lengths = new int[count];
        Arrays.fill(lengths, 10 * KIB);
        UnsafeBuffer payloads = new UnsafeBuffer(new byte[count * 10 * KIB]);
        return client.push(id, payloads, lengths, count, () -> asked.getAndIncrement() > 0);
    }
}
