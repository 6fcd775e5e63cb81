package dev.loom.record;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Copies of payloads by the address of their record, and what is known of addresses without one. When it is full it
 * forgets all and begins anew. At most {@link #BYTES} for payloads, which it takes as they are needed, and 32 KiB for the
 * addresses. For one thread.
 */
final class PayloadCache {
    static final int BYTES = 128 << 10;
    static final int ENTRIES_MAX = 1024;

    /** Longer payloads are not kept. */
    static final int PAYLOAD_LENGTH_MAX = BYTES / 4;

    private static final int BYTES_MIN = 8 << 10;
    private static final long UNKNOWN = -1;
    private static final int FIELD_BITS = 20;
    private static final int LENGTH_SHIFT = FIELD_BITS;
    private static final int OFFSET_SHIFT = 2 * FIELD_BITS;
    private static final int MASK = (1 << FIELD_BITS) - 1;

    private final Long2LongHashMap places = new Long2LongHashMap(UNKNOWN);
    private UnsafeBuffer bytes = new UnsafeBuffer(new byte[0]);
    private int end;
    private long found = UNKNOWN;

    /** Looks an address up; false when nothing is known of it. */
    boolean find(long address) {
        found = places.get(address);
        return found != UNKNOWN;
    }

    /** Of the address found, what was put as its source. */
    int sourceId() {
        return (int) found & MASK;
    }

    DirectBuffer buffer() {
        return bytes;
    }

    int offset() {
        return (int) (found >>> OFFSET_SHIFT);
    }

    int length() {
        return (int) (found >>> LENGTH_SHIFT) & MASK;
    }

    /** Takes a payload, if it is not too long. */
    void put(long address, int sourceId, DirectBuffer payload, int offset, int length) {
        if (length > PAYLOAD_LENGTH_MAX) {
            return;
        }
        if (places.size() == ENTRIES_MAX || end + length > BYTES) {
            places.clear();
            end = 0;
        }
        if (bytes.capacity() < end + length) {
            grow(end + length);
        }
        bytes.putBytes(end, payload, offset, length);
        places.put(address, (long) end << OFFSET_SHIFT | (long) length << LENGTH_SHIFT | sourceId);
        end += length;
    }

    private void grow(int needed) {
        int capacity = Math.max(BYTES_MIN, bytes.capacity());
        while (capacity < needed) {
            capacity *= 2;
        }
        UnsafeBuffer larger = new UnsafeBuffer(new byte[capacity]);
        larger.putBytes(0, bytes, 0, end);
        bytes = larger;
    }
}
