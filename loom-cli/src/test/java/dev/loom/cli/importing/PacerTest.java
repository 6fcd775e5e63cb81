package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.Interruption;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final long TICK_NS = 1_000;

    private final Interruption interruption = new Interruption();
    private long nowNs = 77;
    private int waits;

    /** Each look at the clock takes a tick. */
    private long tick() {
        nowNs += TICK_NS;
        return nowNs;
    }

    private long dueNs(Pacer pacer, long eventNs) {
        pacer.await(eventNs, () -> waits++);
        return nowNs;
    }

    @Test
    void shouldHoldRecordsBackForTheTimeBetweenTheirEvents() {
        Pacer pacer = new Pacer(1, this::tick, interruption);
        long firstNs = dueNs(pacer, 500_000);
        assertEquals(0, waits);
        assertEquals(firstNs + 40_000, dueNs(pacer, 540_000));
        assertEquals(1, waits);
    }

    @Test
    void shouldBeAsFastAsTheSpeedSays() {
        Pacer pacer = new Pacer(4, this::tick, interruption);
        long firstNs = dueNs(pacer, 500_000);
        assertEquals(firstNs + 10_000, dueNs(pacer, 540_000));
        Pacer slow = new Pacer(0.5, this::tick, interruption);
        firstNs = dueNs(slow, 0);
        assertEquals(firstNs + 20_000, dueNs(slow, 10_000));
    }

    @Test
    void shouldNotHoldBackWhatIsDue() {
        Pacer pacer = new Pacer(1, this::tick, interruption);
        long firstNs = dueNs(pacer, 500_000);
        assertEquals(firstNs + TICK_NS, dueNs(pacer, 400_000));
        assertEquals(firstNs + 2 * TICK_NS, dueNs(pacer, 500_000 + TICK_NS));
        assertEquals(0, waits);
    }

    @Test
    void shouldNotWaitAnyMoreWhenInterrupted() {
        Pacer pacer = new Pacer(1, this::tick, interruption);
        long firstNs = dueNs(pacer, 0);
        assertTrue(pacer.await(TICK_NS, () -> {}));
        interruption.request();
        assertEquals(firstNs + 2 * TICK_NS, dueNs(pacer, 3_600_000_000_000L));
        assertFalse(pacer.await(3_600_000_000_000L, () -> {}), "not due");
        assertTrue(pacer.await(0, () -> {}), "due");
    }
}
