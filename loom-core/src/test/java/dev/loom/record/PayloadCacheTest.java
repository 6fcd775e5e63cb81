package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

final class PayloadCacheTest {
    private static final int SOURCE_MAX = (1 << 16) - 1;

    private final PayloadCache cache = new PayloadCache();

    private static byte[] payload(int length, long address) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (address + 7L * i);
        }
        return bytes;
    }

    /** From within a larger buffer. */
    private void put(long address, int source, int length) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length + 5]);
        buffer.putBytes(5, payload(length, address));
        cache.put(address, source, buffer, 5, length);
    }

    private void assertHolds(long address, int source, int length) {
        assertTrue(cache.find(address), "address=" + address);
        assertEquals(source, cache.sourceId());
        assertEquals(length, cache.length());
        byte[] found = new byte[length];
        cache.buffer().getBytes(cache.offset(), found);
        assertArrayEquals(payload(length, address), found, "address=" + address);
    }

    @Test
    void shouldHoldEachPayloadAndItsSourceWhenItGrows() {
        int[] lengths = {0, 1, 8, 5000, 4000, 0, PayloadCache.PAYLOAD_LENGTH_MAX, 1, PayloadCache.PAYLOAD_LENGTH_MAX};
        for (int i = 0; i < lengths.length; i++) {
            assertFalse(cache.find(8L * i));
            put(8L * i, SOURCE_MAX - i, lengths[i]);
            for (int j = 0; j <= i; j++) {
                assertHolds(8L * j, SOURCE_MAX - j, lengths[j]);
            }
        }
    }

    @Test
    void shouldNotHoldLongPayloads() {
        put(8, 1, PayloadCache.PAYLOAD_LENGTH_MAX + 1);
        assertFalse(cache.find(8));
    }

    @Test
    void shouldForgetAllWhenItsBytesAreFull() {
        int quarter = PayloadCache.PAYLOAD_LENGTH_MAX;
        for (int i = 0; i < 4; i++) {
            put(i, 1, quarter);
        }
        put(4, 2, 0);
        assertHolds(0, 1, quarter);
        assertHolds(3, 1, quarter);
        put(5, 3, 1);
        for (int i = 0; i < 5; i++) {
            assertFalse(cache.find(i), "address=" + i);
        }
        assertHolds(5, 3, 1);
        assertEquals(PayloadCache.BYTES, cache.buffer().capacity());
        assertEquals(0, cache.offset());
    }

    @Test
    void shouldForgetAllWhenItsAddressesAreFull() {
        for (int i = 0; i < PayloadCache.ENTRIES_MAX; i++) {
            put(i, 1, 1);
        }
        assertHolds(0, 1, 1);
        put(PayloadCache.ENTRIES_MAX, 2, 1);
        assertFalse(cache.find(0));
        assertHolds(PayloadCache.ENTRIES_MAX, 2, 1);
    }

    @Test
    void shouldTakeNoMoreMemoryThanItsPayloads() {
        put(0, 1, 0);
        assertEquals(0, cache.buffer().capacity(), "for no bytes");
        put(8, 1, 1);
        int least = cache.buffer().capacity();
        put(16, 1, least - 1);
        assertEquals(least, cache.buffer().capacity());
        put(24, 1, 1);
        assertEquals(2 * least, cache.buffer().capacity());
    }
}
