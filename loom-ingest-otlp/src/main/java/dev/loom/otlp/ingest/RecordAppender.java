package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordClaim;
import dev.loom.otlp.format.ContextReference;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends records to the log, each after its context. Never waits for room. Owned by whoever has the writer's turn.
 *
 * <p>Only once a record has an address is it certain whether its context lies in the same segment. So the address is claimed
 * first, and the claim is aborted if the context must be written first.
 */
final class RecordAppender {
    /** Returned for a record that never fits into one segment together with its context. */
    static final long UNFIT = Long.MIN_VALUE;

    /** Returned for a record whose context would have to be written, and is longer than allowed. */
    static final long CONTEXT_REFUSED = Long.MIN_VALUE + 1;

    /**
     * The most claims for a record. One fails if the context was written at the end of a segment; the next segment then
     * starts with the context.
     */
    private static final int ATTEMPTS = 4;

    private static final byte[] NO_BYTES = {};
    private static final int SCRATCH_KEPT_MAX = 1 << 20;

    private final Loom loom;
    private final ContextLog contexts;
    private final int claimLengthMax;

    private final UnsafeBuffer scratch = new UnsafeBuffer(NO_BYTES);

    RecordAppender(Loom loom, ContextLog contexts) {
        this.loom = loom;
        this.contexts = contexts;
        claimLengthMax = loom.claimLengthMax();
    }

    /**
     * Appends one record.
     *
     * @param context complete, and not too long
     * @param contextBytesLeft the longest context that may be written for it
     * @param fieldsOnce what to put in the record's reference, see {@link ContextReference#hasFieldsOnce}
     * @return its address, {@link #UNFIT}, {@link #CONTEXT_REFUSED}, or another negative {@link PushStatus}
     */
    long append(
            int sourceId,
            DirectBuffer buffer,
            int offset,
            int length,
            ContextBytes context,
            long contextBytesLeft,
            boolean fieldsOnce) {
        int payloadLength = OtlpRecordDescriptor.MESSAGE_OFFSET + length;
        for (int i = 0; i < ATTEMPTS; i++) {
            // a record of several pages starts on a page of its own, and so does a claim of a whole page
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
                claim.buffer().putLong(at + OtlpRecordDescriptor.CONTEXT_OFFSET, reference, ByteOrder.LITTLE_ENDIAN);
                claim.buffer().putBytes(at + OtlpRecordDescriptor.MESSAGE_OFFSET, buffer, offset, length);
                return claim.commit();
            }
            claim.abort();
            if (context.length() > contextBytesLeft) {
                return CONTEXT_REFUSED;
            }
            long status = contexts.write(context);
            if (status < 0) {
                return status;
            }
        }
        return UNFIT;
    }

    /** Counts the record as dropped that {@link #append} had no room for, or none for its context. */
    void drop(int sourceId) {
        loom.noteLoss(sourceId, LossReason.STORE_FULL, 1);
    }

    /** Appends a record of several pages, which can't be claimed. */
    private long offer(int sourceId, DirectBuffer buffer, int offset, int length, long reference) {
        int payloadLength = OtlpRecordDescriptor.MESSAGE_OFFSET + length;
        if (scratch.capacity() < payloadLength) {
            scratch.wrap(NO_BYTES); // before there are two
            scratch.wrap(new byte[payloadLength]);
        }
        scratch.putLong(OtlpRecordDescriptor.CONTEXT_OFFSET, reference, ByteOrder.LITTLE_ENDIAN);
        scratch.putBytes(OtlpRecordDescriptor.MESSAGE_OFFSET, buffer, offset, length);
        long address = loom.offer(sourceId, scratch, 0, payloadLength);
        if (payloadLength > SCRATCH_KEPT_MAX) {
            scratch.wrap(NO_BYTES); // a quarter of a small heap, for the few records that are so long
        }
        return address;
    }
}
