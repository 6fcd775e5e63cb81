package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class FreedSpaceTest {
    private static final long SECOND = 1_000_000_000;

    private final FreedSpace freed = new FreedSpace();
    private long nowNs = -SECOND;
    private long used = 10_000;

    /** Deletes 100 bytes, of which some come at once and some later, after the store has written. */
    private void delete(long atOnce, long later, long written) {
        assertTrue(freed.allowsMore(50, used, nowNs));
        used -= 100;
        freed.noteDeletion(100, 50, 50 + atOnce, used, nowNs);
        used += written;
        nowNs += SECOND;
        freed.allowsMore(50 + atOnce + later - written, used, nowNs);
    }

    @Test
    void shouldGoOnWhereDeletingFreesSpaceAtOnceOrLater() {
        for (int i = 0; i < 10; i++) {
            delete(100, 0, 0);
            delete(0, 100, 0);
            delete(0, 50, 0);
            delete(0, 100, 1_000);
            assertFalse(freed.isDoubtful());
        }
    }

    @Test
    void shouldWaitLongerAndLongerWhereDeletingFreesNothing() {
        for (int i = 0; i < FreedSpace.FRUITLESS_MAX; i++) {
            assertFalse(freed.isDoubtful());
            delete(0, 49, 20);
        }
        long wait = FreedSpace.WAIT_NS;
        for (int i = 0; i < 20; i++) {
            assertTrue(freed.isDoubtful());
            nowNs += wait - SECOND - 1;
            assertFalse(freed.allowsMore(50, used, nowNs));
            nowNs++;
            delete(0, 0, 0);
            wait = Math.min(2 * wait, FreedSpace.WAIT_NS << 9);
        }
        assertEquals(4_096 * SECOND, wait);
        nowNs += wait;
        delete(0, 100, 0);
        assertFalse(freed.isDoubtful());
    }

    /** As on file systems that free it with their next transaction, or once a reader has closed the files. */
    @Test
    void shouldGoOnOnceWhatSeemedFruitlessBecomesFree() {
        for (int i = 0; i < FreedSpace.FRUITLESS_MAX; i++) {
            delete(0, 0, 0);
        }
        assertTrue(freed.isDoubtful());
        assertTrue(freed.allowsMore(50 + 100, used, nowNs));
        assertFalse(freed.isDoubtful());
    }

    @Test
    void shouldForgetWhatWasFruitlessOnceThereIsEnough() {
        for (int i = 0; i < FreedSpace.FRUITLESS_MAX; i++) {
            delete(0, 0, 0);
        }
        assertTrue(freed.isDoubtful());
        freed.noteEnough();
        assertFalse(freed.isDoubtful());
        assertTrue(freed.allowsMore(0, used, nowNs));
    }
}
