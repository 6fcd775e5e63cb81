package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WakeUpTest {
    private static final int ROUNDS = Integer.getInteger("loom.rounds", 50_000);

    /** A wake-up that is missed is never made up for, so the test would not end. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNeverMissWhatWasBroughtWhileFallingAsleep() throws InterruptedException {
        WakeUp wakeUp = new WakeUp();
        AtomicInteger brought = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        Thread sleeper = new Thread(() -> {
            while (taken.get() < ROUNDS) {
                wakeUp.sleepUnless(() -> brought.get() != taken.get());
                taken.set(brought.get());
            }
        });
        sleeper.setDaemon(true);
        sleeper.start();
        for (int i = 1; i <= ROUNDS; i++) {
            brought.set(i);
            wakeUp.wake();
            while (taken.get() != i) {
                Thread.onSpinWait();
            }
        }
        sleeper.join();
        assertEquals(ROUNDS, taken.get());
    }
}
