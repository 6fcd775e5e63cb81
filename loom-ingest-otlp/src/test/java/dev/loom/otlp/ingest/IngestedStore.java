package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.protobuf.ByteString;
import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.format.ContextReference;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A store that requests are put into, and what is read back from it. */
final class IngestedStore implements AutoCloseable {
    static final int RING_BYTES = 4 << 20;
    static final long SEGMENT_BYTES = 256 * 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What a payload holds, taken apart. */
    record Stored(long address, ByteString context, boolean fieldsOnce, ByteString message) {}

    private final SharedWriter writer;
    final OtlpIngester ingester;
    final ExportOutcome outcome = new ExportOutcome();
    /** Of the heap, by all exports so far. */
    long allocatedBytes;

    private final Map<String, Long> seen = new HashMap<>();
    private final Map<Long, ByteString> contexts = new HashMap<>();

    IngestedStore(Path folder, IngestSettings settings) {
        try {
            Files.createDirectories(folder.resolve("staging"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        writer = new SharedWriter(Loom.open(LoomConfig.at(folder.resolve("store"))
                .stagingDirectory(folder.resolve("staging"))
                .recordRingBytes(RING_BYTES)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(SEGMENT_BYTES)
                .build()));
        ingester = new OtlpIngester(writer, settings);
    }

    SharedWriter writer() {
        return writer;
    }

    /** Exports a request that lies amid other bytes. */
    ExportOutcome export(Signal signal, byte[] request) {
        byte[] padded = new byte[request.length + 30];
        Arrays.fill(padded, (byte) 0x0A);
        System.arraycopy(request, 0, padded, 13, request.length);
        UnsafeBuffer buffer = new UnsafeBuffer(padded);
        outcome.reset();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        ingester.export(signal, buffer, 13, request.length, outcome);
        allocatedBytes += THREADS.getCurrentThreadAllocatedBytes() - before;
        return outcome;
    }

    /** The records of a source that were not read yet, in the order of the log; their contexts lie in their segment. */
    List<Stored> unread(String name) {
        List<Stored> records = new ArrayList<>();
        try (Snapshot snapshot = writer.loom().snapshot()) {
            read(snapshot, ContextLog.SOURCE, (address, payload) -> contexts.put(address, payload));
            read(snapshot, name, (address, payload) -> {
                long reference = payload.asReadOnlyByteBuffer()
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong();
                long context = ContextReference.address(reference);
                assertEquals(address / SEGMENT_BYTES, context / SEGMENT_BYTES, "segment of the context");
                assertNotNull(contexts.get(context), () -> "no context: address=" + context);
                records.add(new Stored(
                        address,
                        contexts.get(context),
                        ContextReference.hasFieldsOnce(reference),
                        payload.substring(Long.BYTES)));
            });
        }
        return records;
    }

    int contextsWritten() {
        try (Snapshot snapshot = writer.loom().snapshot()) {
            read(snapshot, ContextLog.SOURCE, (address, payload) -> contexts.put(address, payload));
        }
        return contexts.size();
    }

    private interface PayloadHandler {
        void onPayload(long address, ByteString payload);
    }

    private void read(Snapshot snapshot, String name, PayloadHandler handler) {
        try (QueryCursor record = RawScan.of(snapshot, snapshot.source(name).orElseThrow())
                .order(Order.OLDEST_FIRST)
                .fromAddress(seen.getOrDefault(name, 0L))
                .open()) {
            while (record.next()) {
                handler.onPayload(record.address(), bytes(record.buffer(), record.offset(), record.length()));
            }
        }
        seen.put(name, snapshot.tailAddress());
    }

    private static ByteString bytes(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return ByteString.copyFrom(bytes);
    }

    @Override
    public void close() {
        writer.close();
    }
}
