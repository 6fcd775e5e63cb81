package dev.loom.record;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Copies of payloads by the address of their record, and which addresses have none. When full, it is cleared. Takes at
 * most {@link #BYTES} for payloads, allocated on demand, and 32 KiB for the addresses. For one thread.
 */
final class PayloadCache {
    static final int BYTES = 128 << 10;
    static final int ENTRIES_MAX = 1024;

    /** Longer payloads are not cached. */
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

    /** Looks up an address; false if unknown. */
    boolean find(long address) {
        found = places.get(address);
        return found != UNKNOWN;
    }

    /** The source put with the address found. */
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

    /** Caches a payload unless it is too long. */
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
