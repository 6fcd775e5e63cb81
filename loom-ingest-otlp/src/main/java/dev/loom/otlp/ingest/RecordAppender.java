package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordClaim;
import dev.loom.otlp.format.ContextReference;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends records to the log, each behind its context. Never waits for room. Owned by whoever has the writer's turn.
 *
 * <p>Whether a record's context is in its segment is only certain once the record's address is: so the address is claimed
 * first, and given back when the context has to be written before.
 */
final class RecordAppender {
    /** The answer for a record that never fits into one segment together with its context. */
    static final long UNFIT = Long.MIN_VALUE;

    /** Claims that may fail because the context was written at the end of a segment; the next one begins with it. */
    private static final int ATTEMPTS = 4;

    private final Loom loom;
    private final ContextLog contexts;
    private final int claimLengthMax;
    private UnsafeBuffer scratch = new UnsafeBuffer(new byte[0]);

    RecordAppender(Loom loom, ContextLog contexts) {
        this.loom = loom;
        this.contexts = contexts;
        claimLengthMax = loom.claimLengthMax();
    }

    /**
     * Appends one record.
     *
     * @param context complete, and not too long
     * @param fieldsOnce what the record's reference is to say, see {@link ContextReference#hasFieldsOnce}
     * @return its address, {@link #UNFIT}, or another negative {@link PushStatus}
     */
    long append(int sourceId, DirectBuffer buffer, int offset, int length, ContextBytes context, boolean fieldsOnce) {
        int payloadLength = RecordDescriptor.MESSAGE_OFFSET + length;
        for (int i = 0; i < ATTEMPTS; i++) {
            // that of several pages begins at a page of its own, as a claim of a whole one does
            long address = loom.tryClaim(sourceId, Math.min(payloadLength, claimLengthMax));
            if (address < 0) {
                return address;
            }
            RecordClaim claim = loom.claimed();
            if (contexts.serves(context, address)) {
                long reference = ContextReference.of(context.address(), fieldsOnce);
                if (payloadLength > claimLengthMax) {
                    claim.abort();
                    return offer(sourceId, buffer, offset, length, reference);
                }
                int at = claim.offset();
                claim.buffer().putLong(at + RecordDescriptor.CONTEXT_OFFSET, reference, ByteOrder.LITTLE_ENDIAN);
                claim.buffer().putBytes(at + RecordDescriptor.MESSAGE_OFFSET, buffer, offset, length);
                return claim.commit();
            }
            claim.abort();
            long status = contexts.write(context);
            if (status < 0) {
                return status;
            }
        }
        return UNFIT;
    }

    /** Appends a record of several pages, which can't be claimed. */
    private long offer(int sourceId, DirectBuffer buffer, int offset, int length, long reference) {
        int payloadLength = RecordDescriptor.MESSAGE_OFFSET + length;
        if (scratch.capacity() < payloadLength) {
            scratch = new UnsafeBuffer(new byte[payloadLength]);
        }
        scratch.putLong(RecordDescriptor.CONTEXT_OFFSET, reference, ByteOrder.LITTLE_ENDIAN);
        scratch.putBytes(RecordDescriptor.MESSAGE_OFFSET, buffer, offset, length);
        return loom.offer(sourceId, scratch, 0, payloadLength);
    }
}
