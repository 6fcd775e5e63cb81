package dev.loom.bench.replay;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** A batch and its buffer, which is used again. Whoever took it from a queue owns it. */
final class ReplayBatch {
    private final ByteBuffer bytes;
    private final UnsafeBuffer buffer;
    private final Map<ReplaySource, Integer> records = new EnumMap<>(ReplaySource.class);

    ReplayBatch(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity);
        buffer = new UnsafeBuffer(bytes);
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** The bytes to send. */
    ByteBuffer bytes() {
        return bytes.clear().limit(buffer.getInt(BatchDescriptor.LENGTH_OFFSET, java.nio.ByteOrder.LITTLE_ENDIAN));
    }

    /** How many records it has of a source. */
    int records(ReplaySource source) {
        return records.getOrDefault(source, 0);
    }

    void records(ReplaySource source, int count) {
        records.put(source, count);
    }
}
