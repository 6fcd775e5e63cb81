package dev.loom.record;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of the records of source 0, Loom's own. Little-endian.
 *
 * <pre>
 *   0 | kind (2) | source (2) | reason (4) |
 *   8 | LOSS: records lost     | ANCHOR: wall clock, epoch ns        | EPOCH: epoch
 *  16 |       first time       |         monotonic clock, ns         |        end of the record log found
 *  24 |       last time        |         store's clock, epoch ns     |        durable end before that
 * </pre>
 */
public final class OwnRecord {
    public static final int LOSS = 1;
    public static final int ANCHOR = 2;
    public static final int EPOCH = 3;

    static final int KIND_OFFSET = 0;
    static final int SOURCE_OFFSET = KIND_OFFSET + Short.BYTES;
    static final int REASON_OFFSET = SOURCE_OFFSET + Short.BYTES;
    static final int A_OFFSET = REASON_OFFSET + Integer.BYTES;
    static final int B_OFFSET = A_OFFSET + Long.BYTES;
    static final int C_OFFSET = B_OFFSET + Long.BYTES;
    public static final int LENGTH = C_OFFSET + Long.BYTES;

    private OwnRecord() {}

    static void put(MutableDirectBuffer buffer, int kind, int source, int reason, long a, long b, long c) {
        buffer.putShort(KIND_OFFSET, (short) kind);
        buffer.putShort(SOURCE_OFFSET, (short) source);
        buffer.putInt(REASON_OFFSET, reason);
        buffer.putLong(A_OFFSET, a);
        buffer.putLong(B_OFFSET, b);
        buffer.putLong(C_OFFSET, c);
    }

    public static int kind(DirectBuffer buffer, int offset) {
        return buffer.getShort(offset + KIND_OFFSET);
    }

    public static int source(DirectBuffer buffer, int offset) {
        return buffer.getShort(offset + SOURCE_OFFSET) & 0xffff;
    }

    /** A loss's reason, a {@link dev.loom.api.LossReason#code()}. */
    public static int reason(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + REASON_OFFSET);
    }

    /** A loss's number of records. */
    public static long lost(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + A_OFFSET);
    }

    /** The number of lost records that the current record reports; 0 if it is not a loss marker. */
    static long lost(PageRecords record) {
        boolean marker =
                record.sourceId() == 0 && record.length() == LENGTH && kind(record.buffer(), record.offset()) == LOSS;
        return marker ? Math.max(lost(record.buffer(), record.offset()), 0) : 0;
    }

    public static long lossFirstNs(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + B_OFFSET);
    }

    public static long lossLastNs(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + C_OFFSET);
    }
}
