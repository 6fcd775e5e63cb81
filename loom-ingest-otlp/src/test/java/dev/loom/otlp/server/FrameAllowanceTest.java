package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.junit.jupiter.api.Test;

class FrameAllowanceTest {
    private static final PingFrame PING = new PingFrame(false);
    private static final ResetFrame RESET = new ResetFrame(1, 8);
    private static final long SECOND_NS = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final FrameAllowance allowance = new FrameAllowance(clock::get);

    private boolean take(Object frame, int times) {
        boolean allowed = true;
        for (int i = 0; i < times; i++) {
            allowed &= allowance.onEvent(frame);
        }
        return allowed;
    }

    @Test
    void shouldAllowAsManyPingsAsItBeganWith() {
        assertTrue(take(PING, 128));
        assertFalse(take(PING, 1));
    }

    @Test
    void shouldAllowFewerResets() {
        assertTrue(take(RESET, 16));
        assertFalse(take(RESET, 1));
    }

    @Test
    void shouldGiveBackWithTime() {
        assertTrue(take(PING, 128));
        clock.addAndGet(SECOND_NS / 2 + 1);
        assertTrue(take(PING, 64));
        clock.addAndGet(100 * SECOND_NS);
        assertTrue(take(PING, 128));
        assertFalse(take(PING, 1));
    }

    @Test
    void shouldGiveBackWithTimeHoweverSmallTheSteps() {
        assertTrue(take(PING, 128));
        for (int i = 0; i < 1_000; i++) {
            clock.addAndGet(SECOND_NS / 1_000);
            assertTrue(i % 8 != 7 || take(PING, 1), "step " + i);
        }
        assertTrue(take(PING, 2));
        assertFalse(take(PING, 2));
    }

    @Test
    void shouldGiveBackWithAnswers() {
        assertTrue(take(PING, 128));
        for (int i = 0; i < 10_000; i++) {
            allowance.onAnswer(1_023, true);
            assertTrue(take(PING, 8) && take(RESET, 1), "answer " + i);
        }
        assertFalse(take(PING, 1));
    }

    @Test
    void shouldGiveBackWithBytes() {
        assertTrue(take(PING, 128));
        allowance.onAnswer(3 * 1_024, false);
        assertTrue(take(PING, 3));
        assertFalse(take(PING, 1));
    }

    @Test
    void shouldNotSaveUpWithoutBounds() {
        for (int i = 0; i < 10_000; i++) {
            allowance.onAnswer(1_023, true);
        }
        clock.addAndGet(SECOND_NS);
        assertTrue(take(PING, 16_384));
        assertFalse(take(PING, 1));
    }
}
