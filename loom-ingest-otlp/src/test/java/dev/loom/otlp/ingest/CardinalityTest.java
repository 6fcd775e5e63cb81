package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that never send a value twice: of the attribute that sources are called by, of a record's attributes, and of their
 * keys, some of 64 KiB. Sources stay within their limit, and memory stays as it is. {@code -Dloom.otlp.values=N} sets how many.
 */
class CardinalityTest {
    private static final int VALUES = Integer.getInteger("loom.otlp.values", 60_000);
    private static final int VALUES_OF_A_REQUEST = 200;
    private static final int LONG_KEY_EVERY = 1_000;
    private static final int LONG_KEY_LENGTH = 64 << 10;
    private static final int SOURCES_MAX = 50;
    private static final long RISE_MAX = 8 << 20;

    @TempDir
    private Path folder;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldStayAsItIsWhenNoValueComesTwice() {
        try (Loom loom = Loom.open(LoomConfig.at(folder.resolve("store"))
                .recordRingBytes(4 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(4 << 20)
                .maxBytes(64 << 20)
                .minFreeBytes(0)
                .build())) {
            SharedWriter writer = new SharedWriter(loom);
            OtlpIngester ingester = new OtlpIngester(
                    writer, IngestSettings.defaults().withSourceAttribute("service.name", SOURCES_MAX));
            ExportOutcome outcome = new ExportOutcome();
            long accepted = 0;
            long before = 0;
            for (int sent = 0; sent < VALUES; sent += VALUES_OF_A_REQUEST) {
                byte[] request = request(sent);
                outcome.reset();
                ingester.export(Signal.LOGS, new UnsafeBuffer(request), 0, request.length, outcome);
                accepted += outcome.accepted();
                assertEquals(0, outcome.rejected(), outcome.message());
                if (before == 0 && sent >= VALUES / 3) {
                    before = memory();
                }
            }
            long rise = memory() - before;
            assertEquals(VALUES, accepted);
            assertTrue(rise <= RISE_MAX, () -> "memory rises: bytes=" + rise + ", values=" + VALUES);
            try (Snapshot snapshot = loom.snapshot()) {
                int sources = snapshot.sources().size();
                assertTrue(sources > SOURCES_MAX && sources <= SOURCES_MAX + 4, () -> "sources=" + sources);
            }
            System.out.println("row=R33 faults=" + VALUES + " checked=" + accepted + " seed=" + seed + " rise=" + rise);
        }
    }

    private byte[] request(int first) {
        ExportLogsServiceRequest.Builder request = ExportLogsServiceRequest.newBuilder();
        for (int i = first; i < first + VALUES_OF_A_REQUEST; i++) {
            String value = i + "-" + Long.toHexString(random.nextLong());
            boolean isLong = i % LONG_KEY_EVERY == 0;
            LogRecord.Builder log = LogRecord.newBuilder()
                    .setTimeUnixNano(1_700_000_000_000_000_000L + i)
                    .setBody(AnyValue.newBuilder().setStringValue(value))
                    .addAttributes(attribute("user.id", value))
                    .addAttributes(attribute("key." + value + (isLong ? "x".repeat(LONG_KEY_LENGTH) : ""), value));
            ResourceLogs.Builder resource = request.addResourceLogsBuilder();
            resource.getResourceBuilder().addAttributes(attribute("service.name", value));
            resource.addScopeLogs(ScopeLogs.newBuilder().addLogRecords(log));
        }
        return request.build().toByteArray();
    }

    private static KeyValue attribute(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    /** What is in use of the heap, after a collection, and of direct buffers. */
    private static long memory() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
