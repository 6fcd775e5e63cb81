package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A batch that an application fills, record by record, with what one source tells. It is sent once it is full. For one thread at a time. */
public final class TelemetryBatch {
    /** How many records it has when it is full. */
    public static final int RECORDS = 1024;

    private static final int SECTION_OFFSET = BatchDescriptor.HEADER_LENGTH;

    private final ReplayBatch batch =
            new ReplayBatch(SECTION_OFFSET + BatchDescriptor.sectionLengthMax(RECORDS, RecordKind.CACHE_EVENT));
    private final UnsafeBuffer buffer = batch.buffer();
    private ReplaySource source = ReplaySource.ROCKSDB_REQUESTS;
    private int records;

    /** Empties it for records of a source whose records are all of the same length. */
    public void begin(ReplaySource of) {
        source = of;
        records = 0;
        for (int i = 0; i < RECORDS; i++) {
            buffer.putShort(
                    SECTION_OFFSET + BatchDescriptor.SECTION_HEADER_LENGTH + i * Short.BYTES,
                    (short) of.kind().lengthMax(),
                    LITTLE_ENDIAN);
        }
    }

    /**
     * Adds a record.
     *
     * @return whether it is full now
     */
    public boolean add(long timeNs, long number, long latencyNs, long operation, long key, int thread) {
        write(
                source,
                buffer,
                SECTION_OFFSET
                        + BatchDescriptor.payloadsOffset(RECORDS)
                        + records * source.kind().lengthMax(),
                timeNs,
                number,
                latencyNs,
                operation,
                key,
                thread);
        records++;
        return records == RECORDS;
    }

    /** Writes a record of a source, as long as its kind says; what does not exist in its kind is left out, what is not told is 0. */
    public static void write(
            ReplaySource source,
            MutableDirectBuffer to,
            int offset,
            long timeNs,
            long number,
            long latencyNs,
            long operation,
            long key,
            int thread) {
        to.putLong(offset + RecordKind.TIME_OFFSET, timeNs, LITTLE_ENDIAN);
        to.putLong(offset + RecordKind.NUMBER_OFFSET, number, LITTLE_ENDIAN);
        switch (source.kind()) {
            case REQUEST, CALL -> {
                to.putLong(offset + RecordKind.LATENCY_OFFSET, latencyNs, LITTLE_ENDIAN);
                to.putLong(offset + RecordKind.KEY_OFFSET, key, LITTLE_ENDIAN);
                to.putInt(offset + RecordKind.OP_OFFSET, (int) operation, LITTLE_ENDIAN);
                to.putInt(offset + RecordKind.THREAD_OFFSET, thread, LITTLE_ENDIAN);
                to.putLong(offset + RecordKind.BYTES_OFFSET, 0, LITTLE_ENDIAN);
            }
            case CACHE_EVENT -> {
                to.putLong(offset + RecordKind.INODE_OFFSET, 0, LITTLE_ENDIAN);
                to.putLong(offset + RecordKind.PAGE_OFFSET, operation, LITTLE_ENDIAN);
                to.putLong(offset + RecordKind.PFN_OFFSET, 0, LITTLE_ENDIAN);
                to.putLong(offset + RecordKind.DEVICE_OFFSET, 0, LITTLE_ENDIAN);
                to.putInt(offset + RecordKind.KIND_OFFSET, 0, LITTLE_ENDIAN);
                to.putInt(offset + RecordKind.ORDER_OFFSET, 0, LITTLE_ENDIAN);
                to.putInt(offset + RecordKind.PID_OFFSET, thread, LITTLE_ENDIAN);
            }
            case PACKET -> throw new IllegalArgumentException("packets differ in length: source=" + source);
        }
    }

    /**
     * The bytes of a full batch.
     *
     * @param number among all that are sent, from 0
     * @param endNs the time by which its records were there
     */
    public ByteBuffer bytes(long number, long endNs) {
        final int payloads = SECTION_OFFSET + BatchDescriptor.payloadsOffset(RECORDS);
        final int length =
                BatchDescriptor.sectionEnd(payloads + RECORDS * source.kind().lengthMax());
        BatchDescriptor.putHeader(buffer, length, 1, endNs, number);
        buffer.putInt(SECTION_OFFSET + BatchDescriptor.SOURCE_OFFSET, source.id(), LITTLE_ENDIAN);
        buffer.putInt(SECTION_OFFSET + BatchDescriptor.RECORDS_OFFSET, RECORDS, LITTLE_ENDIAN);
        buffer.putInt(
                SECTION_OFFSET + BatchDescriptor.BYTES_OFFSET,
                RECORDS * source.kind().lengthMax(),
                LITTLE_ENDIAN);
        return batch.bytes();
    }

    /** The bytes after the last batch; the sink answers with one byte once it has stored all. */
    public static ByteBuffer end(long endNs) {
        final ReplayBatch end = new ReplayBatch(BatchDescriptor.HEADER_LENGTH);
        BatchDescriptor.putHeader(end.buffer(), BatchDescriptor.HEADER_LENGTH, 0, endNs, BatchDescriptor.END);
        return end.bytes();
    }
}
