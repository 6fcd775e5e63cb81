package dev.loom.index;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Some records of one source in one chunk, in one buffer, which is the ring of the log, holds their page, or holds one record;
 * and room for what is read out of them. For one thread.
 */
public final class RecordBatch {
    /** So few that payloads are still in the first cache when they are read, and a push waits for no more than these. */
    static final int RECORDS_MAX = 64;

    final int[] offsets = new int[RECORDS_MAX];
    final int[] lengths = new int[RECORDS_MAX];
    final long[] keys = new long[RECORDS_MAX];
    final int[] bins = new int[RECORDS_MAX];
    private final int[] remainders = new int[RECORDS_MAX];
    private boolean hasRemainders;
    DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    int count;

    private long start;
    private int startOffset;

    /** The address of the one record whose payload is not with the others, but elsewhere; negative if they are there. */
    private long elsewhere = -1;

    /**
     * Empties it, for records behind an address.
     *
     * @param address that of a chunk or page
     * @param payloadOffset where the payload of a record at that address would begin, in the buffer or in what the buffer is
     *     to be counted from, if it is a ring
     */
    public void begin(long address, int payloadOffset) {
        count = 0;
        start = address;
        startOffset = payloadOffset;
        elsewhere = -1;
    }

    /** Adds a record that is in the same buffer as the others. */
    public void add(DirectBuffer payload, int offset, int length) {
        if (buffer != payload) { // as a store of a reference may cost more than all of this
            buffer = payload;
        }
        offsets[count] = offset;
        lengths[count] = length;
        count++;
    }

    /** Makes it that of one record, wherever that is. */
    public void setOne(DirectBuffer payload, int offset, int length, long address) {
        count = 0;
        add(payload, offset, length);
        elsewhere = address;
    }

    /** How many records there are. */
    public int count() {
        return count;
    }

    public boolean isFull() {
        return count == RECORDS_MAX;
    }

    /** The keys read by {@link KeyReader#readAll}. */
    public long[] keys() {
        return keys;
    }

    /** Says that no key has a remainder. */
    void clearRemainders() {
        hasRemainders = false;
    }

    /** Notes a key's {@link KeyReader#remainder()}. */
    void remainder(int i, int remainder) {
        hasRemainders = hasRemainders || remainder != 0;
        remainders[i] = remainder;
    }

    /** Whether a key that was read last has a {@link #remainder(int)}. */
    public boolean hasRemainders() {
        return hasRemainders;
    }

    /** The {@link KeyReader#remainder()} of a key. */
    public int remainder(int i) {
        return remainders[i];
    }

    /** The address of a record: where it is tells how far behind the start. */
    long address(int i) {
        if (elsewhere >= 0) {
            return elsewhere;
        }
        // a ring's length is a power of two; any other buffer holds one page at least
        int mask = Integer.highestOneBit(buffer.capacity()) - 1;
        return start + ((offsets[i] - startOffset) & mask);
    }
}
