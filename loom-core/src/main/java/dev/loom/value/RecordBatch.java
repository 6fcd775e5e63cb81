package dev.loom.value;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Records of one source in one chunk that share a buffer (the log's ring, a page, or a single record), and room for the
 * values read from them. For one thread.
 */
public final class RecordBatch {
    /**
     * The most records of a batch. Small enough that payloads are still in the L1 cache when they are read, and that a push waits only for these.
     */
    public static final int RECORDS_MAX = 64;

    final int[] offsets = new int[RECORDS_MAX];
    final int[] lengths = new int[RECORDS_MAX];
    final long[] keys = new long[RECORDS_MAX];
    private final int[] remainders = new int[RECORDS_MAX];
    private final long[] timesNs = new long[RECORDS_MAX];
    private boolean hasRemainders;
    DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    int count;

    private long start;
    private int startOffset;

    /** The address of a single record whose payload is in another buffer; negative otherwise. */
    private long elsewhere = -1;

    /** Makes an empty batch. */
    public RecordBatch() {}

    /**
     * Clears the batch for records after an address.
     *
     * @param address the address of a chunk or page
     * @param payloadOffset the offset of the payload of a record at that address: in the buffer, or for a ring, in the
     *     sequence that wraps around in it
     */
    public void begin(long address, int payloadOffset) {
        count = 0;
        start = address;
        startOffset = payloadOffset;
        elsewhere = -1;
    }

    /** Adds a record in the same buffer as the others. */
    public void add(DirectBuffer payload, int offset, int length) {
        if (buffer != payload) { // storing a reference may cost more than the rest of this method
            buffer = payload;
        }
        offsets[count] = offset;
        lengths[count] = length;
        count++;
    }

    /** As {@link #add(DirectBuffer, int, int)}, with the arrival time. */
    public void add(DirectBuffer payload, int offset, int length, long timeNs) {
        timesNs[count] = timeNs;
        add(payload, offset, length);
    }

    /** Sets the batch to a single record in any buffer. */
    public void setOne(DirectBuffer payload, int offset, int length, long address) {
        count = 0;
        add(payload, offset, length);
        elsewhere = address;
    }

    /** As {@link #setOne(DirectBuffer, int, int, long)}, with the arrival time. */
    public void setOne(DirectBuffer payload, int offset, int length, long address, long timeNs) {
        setOne(payload, offset, length, address);
        timesNs[0] = timeNs;
    }

    /** The buffer that holds all payloads. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Where a record's payload begins in the buffer. */
    public int offset(int i) {
        return offsets[i];
    }

    /** The length of a record's payload. */
    public int length(int i) {
        return lengths[i];
    }

    /** The arrival time of a record that was added with it. */
    public long timeNs(int i) {
        return timesNs[i];
    }

    /** The number of records. */
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

    /** Clears all remainders. */
    void clearRemainders() {
        hasRemainders = false;
    }

    /** Sets a key's {@link KeyReader#remainder()}. */
    void remainder(int i, int remainder) {
        hasRemainders = hasRemainders || remainder != 0;
        remainders[i] = remainder;
    }

    /** Whether any of the keys last read has a {@link #remainder(int)}. */
    public boolean hasRemainders() {
        return hasRemainders;
    }

    /** The {@link KeyReader#remainder()} of a key. */
    public int remainder(int i) {
        return remainders[i];
    }

    /** The address of a record, computed from its distance to the start in the buffer. */
    public long address(int i) {
        if (elsewhere >= 0) {
            return elsewhere;
        }
        // a ring's length is a power of two; any other buffer holds at least one page
        int mask = Integer.highestOneBit(buffer.capacity()) - 1;
        return start + ((offsets[i] - startOffset) & mask);
    }
}
