package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The records of one source in a batch: a view that moves from section to section. For one thread. */
public final class BatchSection {
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int[] lengths = new int[0];
    private ReplaySource source = ReplaySource.REDIS_REQUESTS;
    private int sections;
    private int records;
    private int payloads;
    private int bytes;
    private int nextOffset;

    /** Puts the view before the first section of a batch. */
    void wrap(DirectBuffer batch, int length) {
        buffer.wrap(batch, 0, length);
        sections = buffer.getInt(BatchDescriptor.SECTIONS_OFFSET, LITTLE_ENDIAN);
        nextOffset = BatchDescriptor.HEADER_LENGTH;
    }

    /** Moves to the next section; false if there is none. */
    boolean next() {
        if (sections == 0) {
            return false;
        }
        sections--;
        source = ReplaySource.of(buffer.getInt(nextOffset + BatchDescriptor.SOURCE_OFFSET, LITTLE_ENDIAN));
        records = buffer.getInt(nextOffset + BatchDescriptor.RECORDS_OFFSET, LITTLE_ENDIAN);
        bytes = buffer.getInt(nextOffset + BatchDescriptor.BYTES_OFFSET, LITTLE_ENDIAN);
        payloads = nextOffset + BatchDescriptor.payloadsOffset(records);
        if (lengths.length < records) {
            lengths = new int[records];
        }
        final int first = nextOffset + BatchDescriptor.SECTION_HEADER_LENGTH;
        for (int i = 0; i < records; i++) {
            lengths[i] = buffer.getShort(first + i * Short.BYTES, LITTLE_ENDIAN) & 0xFFFF;
        }
        nextOffset = BatchDescriptor.sectionEnd(payloads + bytes);
        return true;
    }

    public ReplaySource source() {
        return source;
    }

    public int records() {
        return records;
    }

    /** The length of each record; only the first {@link #records()} count. */
    public int[] lengths() {
        return lengths;
    }

    /** Has the payloads, one after the other. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Where the payloads begin. */
    public int offset() {
        return payloads;
    }

    /** The length of all payloads together. */
    public int bytes() {
        return bytes;
    }
}
