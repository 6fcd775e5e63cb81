package dev.loom.cli.importing;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Payloads that are not yet pushed, back to back. For one thread. */
final class PayloadBatch {
    private static final int RECORDS_MAX = 1024;
    private static final int BYTES_MAX = 256 * 1024;

    private final ImportStore store;
    private final SourceDefinition source;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * BYTES_MAX]);
    private final int[] lengths = new int[RECORDS_MAX];
    private int count;
    private int offset;
    private int length;
    private long records;
    private long bytes;
    private long lost;

    /** @param source defined with its first records, so that an invalid input leaves no source */
    PayloadBatch(ImportStore store, SourceDefinition source) {
        this.store = store;
        this.source = source;
    }

    /** Makes room for one payload at {@link #offset()} of {@link #buffer()}. */
    void ensure(int lengthMax) {
        if (lengthMax > buffer.capacity() - offset) {
            flush();
            if (lengthMax > buffer.capacity()) {
                buffer.wrap(new byte[lengthMax]);
            }
        }
    }

    MutableDirectBuffer buffer() {
        return buffer;
    }

    int offset() {
        return offset;
    }

    /** Why the store does not take a payload of a length; null if it does. */
    @Nullable
    String problem(int payloadLength) {
        int max = store.payloadLengthMax();
        return payloadLength > max ? "record is too long: length=" + payloadLength + ", max=" + max : null;
    }

    /** Sets the length of the payload that is written at {@link #offset()}, but not yet added. */
    void encoded(int newLength) {
        length = newLength;
    }

    int length() {
        return length;
    }

    /** Adds the payload that is written. */
    void add() {
        lengths[count++] = length;
        offset += length;
        if (count == RECORDS_MAX || offset >= BYTES_MAX) {
            flush();
        }
    }

    /** Pushes all payloads of the batch. */
    void flush() {
        if (count > 0) {
            int pushed = count;
            clear(); // what fails is not pushed again: the store may have taken some of it
            int taken = store.push(source.sourceId(), buffer, lengths, pushed);
            for (int i = 0; i < taken; i++) {
                bytes += lengths[i];
            }
            records += taken;
            lost += pushed - taken;
        }
    }

    /** Drops all payloads of the batch. */
    void clear() {
        count = 0;
        offset = 0;
    }

    /** Pushes the batch and keeps the payload that is written but not yet added. */
    void flushKeeping() {
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
