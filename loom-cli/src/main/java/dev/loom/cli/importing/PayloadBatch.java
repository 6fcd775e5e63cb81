package dev.loom.cli.importing;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Payloads that are not yet pushed, back to back. For one thread. */
final class PayloadBatch {
    private static final int RECORDS_MAX = 1024;
    private static final int BYTES_MAX = 256 * 1024;

    private final RecordTarget target;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * BYTES_MAX]);
    private final int[] lengths = new int[RECORDS_MAX];
    private int count;
    private int offset;
    private long records;
    private long bytes;
    private long lost;

    PayloadBatch(RecordTarget target) {
        this.target = target;
    }

    /** Makes room for one payload at {@link #offset()} of {@link #buffer()}. */
    void ensure(int length) {
        if (length > buffer.capacity() - offset) {
            flush();
            if (length > buffer.capacity()) {
                buffer.wrap(new byte[length]);
            }
        }
    }

    MutableDirectBuffer buffer() {
        return buffer;
    }

    int offset() {
        return offset;
    }

    int payloadLengthMax() {
        return target.payloadLengthMax();
    }

    /** Adds the payload that was written at {@link #offset()}. */
    void add(int length) {
        lengths[count++] = length;
        offset += length;
        if (count == RECORDS_MAX || offset >= BYTES_MAX) {
            flush();
        }
    }

    /** Pushes all payloads of the batch. */
    void flush() {
        if (count > 0) {
            int taken = target.push(buffer, lengths, count);
            for (int i = 0; i < taken; i++) {
                bytes += lengths[i];
            }
            records += taken;
            lost += count - taken;
            clear();
        }
    }

    /** Drops all payloads of the batch. */
    void clear() {
        count = 0;
        offset = 0;
    }

    /** Pushes the batch and keeps the payload of {@code length} bytes that is written but not yet added. */
    void flushKeeping(int length) {
        int from = offset;
        flush();
        if (from != offset) {
            buffer.putBytes(0, buffer, from, length);
        }
    }

    /** Records pushed. */
    long records() {
        return records;
    }

    /** Payload bytes of the records pushed. */
    long bytes() {
        return bytes;
    }

    /** Records that the store did not take. */
    long lost() {
        return lost;
    }
}
