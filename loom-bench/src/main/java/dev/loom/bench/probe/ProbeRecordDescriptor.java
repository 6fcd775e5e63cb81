package dev.loom.bench.probe;

import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/**
 * A record of telemetry, and the frames in which they travel. Little-endian.
 *
 * <pre>
 *  record  | time, ns | latency, ns | thread | operation | key or 0 | sequence |      six 64-bit integers
 *  frame   | source, 32 bits | records, 32 bits | records, back to back |
 * </pre>
 */
final class ProbeRecordDescriptor {
    static final int TIME_OFFSET = 0;
    static final int LATENCY_OFFSET = TIME_OFFSET + Long.BYTES;
    static final int THREAD_OFFSET = LATENCY_OFFSET + Long.BYTES;
    static final int OPERATION_OFFSET = THREAD_OFFSET + Long.BYTES;
    static final int KEY_OFFSET = OPERATION_OFFSET + Long.BYTES;
    static final int SEQUENCE_OFFSET = KEY_OFFSET + Long.BYTES;
    static final int RECORD_LENGTH = SEQUENCE_OFFSET + Long.BYTES;

    static final int SOURCE_OFFSET = 0;
    static final int RECORDS_OFFSET = SOURCE_OFFSET + Integer.BYTES;
    static final int FRAME_HEADER_LENGTH = RECORDS_OFFSET + Integer.BYTES;
    static final int FRAME_RECORDS_MAX = 1024;
    static final int FRAME_LENGTH_MAX = FRAME_HEADER_LENGTH + FRAME_RECORDS_MAX * RECORD_LENGTH;

    /** The payload format of every source. */
    static final String FORMAT = "struct:ts_ns:i64,latency_ns:i64,thread:i64,operation:i64,key:i64,sequence:i64";

    private ProbeRecordDescriptor() {}

    static void put(
            MutableDirectBuffer buffer,
            int offset,
            long timeNs,
            long latencyNs,
            long thread,
            long operation,
            long key,
            long sequence) {
        buffer.putLong(offset + TIME_OFFSET, timeNs, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + LATENCY_OFFSET, latencyNs, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + THREAD_OFFSET, thread, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + OPERATION_OFFSET, operation, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + KEY_OFFSET, key, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + SEQUENCE_OFFSET, sequence, ByteOrder.LITTLE_ENDIAN);
    }
}
