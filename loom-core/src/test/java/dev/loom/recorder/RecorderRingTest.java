package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecorderRingTest {
    private static final UnsafeBuffer PAYLOAD = new UnsafeBuffer(new byte[64]);
    private static final int SLOT_LENGTH = RecorderRing.OVERHEAD_LENGTH + 64;

    private final List<Long> read = new ArrayList<>();

    private static int claim(RecorderRing ring, long timeNs) {
        return ring.tryClaim(3, 64, timeNs);
    }

    private static boolean put(RecorderRing ring, long timeNs) {
        int index = claim(ring, timeNs);
        if (index < 0) {
            return false;
        }
        ring.put(index, PAYLOAD, 0, 64);
        ring.commit(index);
        return true;
    }

    private int readAll(RecorderRing ring) {
        return ring.read(
                (source, buffer, index, length) -> {
                    assertEquals(3, source);
                    assertEquals(64, RecorderRing.payloadLength(length));
                    read.add(RecorderRing.timeNs(buffer, index));
                },
                Integer.MAX_VALUE);
    }

    /** After any number of laps, with any fill: all claimed before is read, nothing is claimed after. */
    @ParameterizedTest
    @ValueSource(ints = {RecorderRing.BYTES_MIN, 1 << 20, RecorderRing.BYTES_MAX})
    void shouldRefuseAfterItIsSealedAndKeepWhatWasBefore(int capacity) {
        for (int before : new int[] {0, 1, 500, 10_000}) {
            for (int kept : new int[] {0, 1, 17, RecorderRing.BYTES_MIN / SLOT_LENGTH}) {
                boolean once = before == 1 && kept == 17; // the largest ring takes long to allocate
                RecorderRing ring = new RecorderRing(once ? capacity : Math.min(capacity, 1 << 20));
                for (int i = 0; i < before; i++) {
                    assertTrue(put(ring, i));
                    readAll(ring);
                }
                read.clear();
                int taken = 0;
                while (taken < kept && put(ring, taken)) {
                    taken++;
                }
                long tail = ring.tail();
                ring.seal();
                assertEquals(tail, ring.tail());
                assertFalse(put(ring, -1));
                assertEquals(taken > 0, ring.pending());
                while (ring.pending()) {
                    readAll(ring);
                    assertFalse(put(ring, -1));
                }
                assertEquals(taken, read.size());
                assertEquals(0, ring.used());
            }
        }
    }

    @Test
    void shouldTellWhatTheReaderWaitsFor() {
        RecorderRing ring = new RecorderRing(RecorderRing.BYTES_MIN);
        assertTrue(put(ring, 1));
        readAll(ring);
        assertEquals(0, ring.blockedSource());
        int blocked = claim(ring, 2);
        assertTrue(put(ring, 3));
        assertEquals(0, readAll(ring));
        assertEquals(blocked, ring.blockedIndex());
        assertEquals(3, ring.blockedSource());
        assertEquals(2, ring.blockedTimeNs());
        assertEquals(2 * SLOT_LENGTH, ring.used());

        ring.seal();
        assertTrue(ring.unblock());
        readAll(ring);
        assertEquals(List.of(1L, 3L), read);
        assertThrows(IllegalStateException.class, () -> ring.commit(blocked), "of room that was given up");
        assertFalse(ring.pending());
    }

    @Test
    void shouldTakeAnEighthOfItself() {
        RecorderRing ring = new RecorderRing(RecorderRing.BYTES_MIN);
        int longest = ring.payloadLengthMax();
        assertEquals(RecorderRing.BYTES_MIN / 8 - Long.BYTES, longest);
        int index = ring.tryClaim(1, longest, 5);
        assertTrue(index > 0);
        ring.abort(index);
        assertEquals(0, readAll(ring));
        assertFalse(ring.pending());
    }
}
