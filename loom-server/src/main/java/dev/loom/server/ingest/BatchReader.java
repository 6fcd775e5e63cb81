package dev.loom.server.ingest;

import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.ProtocolException;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Walks the groups of one batch. For one thread. */
final class BatchReader {
    final UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
    /** The group's payload lengths, valid until the next group. */
    final int[] lengths = new int[FrameDescriptor.GROUP_RECORDS_MAX];

    private int next;
    private int end;
    int source;
    int count;
    /** The offset in {@link #buffer} at which the group's payloads begin. */
    int payloads;

    /** Starts at the first group of the batch at {@code [offset, offset + length)}. */
    void wrap(DirectBuffer batch, int offset, int length) {
        buffer.wrap(batch, offset, length);
        next = 0;
        end = length;
    }

    /** Returns to before the first group. */
    void rewind() {
        next = 0;
    }

    /**
     * Moves to the next group.
     *
     * @param payloadLengthMax the longest payload accepted
     * @throws ProtocolException if the next bytes are not a complete group
     */
    boolean next(int payloadLengthMax) throws ProtocolException {
        if (next == end) {
            return false;
        }
        require(end - next >= FrameDescriptor.LENGTHS_OFFSET, "group header is truncated", end - next);
        source = buffer.getShort(next + FrameDescriptor.SOURCE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        int reserved = buffer.getShort(next + FrameDescriptor.RESERVED_OFFSET, ByteOrder.LITTLE_ENDIAN);
        require(reserved == 0, "reserved bytes are not zero", reserved);
        count = buffer.getInt(next + FrameDescriptor.COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN);
        require(count >= 0 && count <= lengths.length, "record count of a group out of range", count);
        payloads = next + FrameDescriptor.groupHeaderLength(count);
        require(payloads <= end, "group lengths are truncated", count);
        long at = payloads;
        for (int i = 0; i < count; i++) {
            int length =
                    buffer.getInt(next + FrameDescriptor.LENGTHS_OFFSET + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
            require(length >= 0 && length <= payloadLengthMax, "payload length out of range", length);
            lengths[i] = length;
            at += length;
        }
        require(at <= end, "group payloads are truncated", at - end);
        next = (int) at;
        return true;
    }

    private static void require(boolean condition, String problem, long value) throws ProtocolException {
        if (!condition) {
            throw new ProtocolException("batch is malformed: " + problem + ": value=" + value);
        }
    }
}
