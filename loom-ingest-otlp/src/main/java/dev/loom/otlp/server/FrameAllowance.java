package dev.loom.otlp.server;

import java.util.function.LongSupplier;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.RateControl;

/**
 * How many frames of HTTP/2 that carry no request a connection may have: pings, settings, resets, updates of windows, frames for
 * streams that have ended. Each has a price, resets one of their own, since whole requests are begun for them. What was spent comes
 * back with time, and with what is answered: gRPC's clients measure their path by a ping for each answer, all update their windows as
 * they read, and those that are told to come again later have sent frames that are in vain, so that a rate alone would cut off good
 * ones.
 *
 * <p>Usable from any thread.
 */
final class FrameAllowance implements RateControl {
    /** What a connection begins with, and what comes back in a second. */
    static final int PER_SECOND = 128;

    /** What an answered request brings: its ping and updates of windows, a reset, data that came too late. */
    static final int PER_ANSWER = 16;

    /** Bytes of answers that bring one more; clients update both windows every 4 KiB at most. */
    static final int BYTES = 1024;

    /** What can be saved up: what comes for all that one window takes. */
    static final int MAX = 16_384;

    static final int RESET_PRICE = 8;

    private static final long SECOND_NS = 1_000_000_000;

    private final LongSupplier clockNs;
    private long filledNs;
    private long left = PER_SECOND;

    FrameAllowance() {
        this(System::nanoTime);
    }

    FrameAllowance(LongSupplier clockNs) {
        this.clockNs = clockNs;
        this.filledNs = clockNs.getAsLong();
    }

    /** Notes that a request was answered, or part of an answer was sent. */
    synchronized void onAnswer(int bytes, boolean last) {
        left = Math.min(MAX, left + bytes / BYTES + (last ? PER_ANSWER : 0));
    }

    /** Whether a frame may be; if not, the connection is ended. */
    @Override
    public synchronized boolean onEvent(Object frame) {
        refill();
        left -= frame instanceof ResetFrame ? RESET_PRICE : 1;
        return left >= 0;
    }

    private void refill() {
        long now = clockNs.getAsLong();
        long earned = Math.min(MAX, (now - filledNs) / (SECOND_NS / PER_SECOND));
        if (earned > 0) {
            filledNs = earned == MAX ? now : filledNs + earned * (SECOND_NS / PER_SECOND);
            left = Math.min(Math.max(left, PER_SECOND), left + earned);
        }
    }
}
