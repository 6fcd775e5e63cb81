package dev.loom.index;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Some records of one source in one chunk, in one buffer, which is the ring of the log or holds one record; and room for what
 * is read out of them.
 */
final class RecordBatch {
    /** So few that payloads are still in the first cache when they are read, and a push waits for no more than these. */
    static final int RECORDS_MAX = 64;

    final int[] offsets = new int[RECORDS_MAX];
    final int[] lengths = new int[RECORDS_MAX];
    final long[] keys = new long[RECORDS_MAX];
    final int[] bins = new int[RECORDS_MAX];
    DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    int count;

    /** The address of the chunk that the records are in. */
    long chunk;

    /** Of a payload from its record's address. */
    int payloadDistance;

    /** The address of the one record whose payload is not in the log's ring, but elsewhere; negative if they are there. */
    long elsewhere = -1;

    /** Adds a record that is in the same buffer as the others. */
    void add(DirectBuffer payload, int offset, int length) {
        if (buffer != payload) { // as a store of a reference may cost more than all of this
            buffer = payload;
        }
        offsets[count] = offset;
        lengths[count] = length;
        count++;
    }

    /** The address of a record: of those in the ring their place tells how far behind the chunk's begin they are. */
    long address(int i) {
        if (elsewhere >= 0) {
            return elsewhere;
        }
        int ringMask = buffer.capacity() - 1;
        return chunk + ((offsets[i] - payloadDistance - chunk) & ringMask);
    }
}
