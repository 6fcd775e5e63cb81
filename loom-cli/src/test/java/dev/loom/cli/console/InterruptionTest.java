package dev.loom.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InterruptionTest {
    private final Interruption interruption = new Interruption();
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void shouldNotWaitForACommandThatDoesNotGetOn() throws InterruptedException {
        interruption.grace(Duration.ofMillis(1));
        assertFalse(interruption.finishedInTime());
    }

    @Test
    void shouldWaitAsLongAsTheCommandGetsOn() throws InterruptedException {
        interruption.grace(Duration.ofMillis(1));
        interruption.graceWhile(() -> Math.min(asked.getAndIncrement(), 10));
        assertFalse(interruption.finishedInTime());
        assertEquals(12, asked.get(), "until it stands still");
        interruption.finished();
        assertTrue(interruption.finishedInTime());
    }

    /** What a store has written is told no more once it is written, and what is left to do takes time too. */
    @Test
    void shouldWaitOnceMoreWhenAPartIsDone() throws InterruptedException {
        interruption.grace(Duration.ofMillis(1));
        interruption.graceWhile(() -> asked.getAndIncrement() == 0 ? 100 : 0);
        assertFalse(interruption.finishedInTime());
        assertEquals(4, asked.get(), "two rounds, each asked about before and after");
    }
}
