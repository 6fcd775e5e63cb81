package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long a thread rests that works within a share of a processor. */
final class PacedThreadTest {
    private static long restMs(long workedMs, double share) {
        return TimeUnit.NANOSECONDS.toMillis(PacedThread.restNs(TimeUnit.MILLISECONDS.toNanos(workedMs), share));
    }

    @Test
    void shouldRestSoThatItWorksWithinItsShare() {
        assertEquals(45, restMs(5, 0.1));
        assertEquals(15, restMs(5, 0.25));
        assertEquals(0, restMs(5, 1));
        assertEquals(4_500, restMs(500, 0.1));
    }

    /** An hour of a disk that stood still, or of a process that was stopped, would else be nine of rest. */
    @Test
    void shouldNotRestForATimeInWhichItDidNotWork() {
        assertEquals(4_500, restMs(501, 0.1));
        assertEquals(4_500, restMs(TimeUnit.HOURS.toMillis(1), 0.1));
        assertEquals(1_500, restMs(TimeUnit.DAYS.toMillis(10_000), 0.25));
    }
}
