package dev.loom.otlp.server;

import java.util.function.LongSupplier;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.RateControl;

/**
 * Limits the HTTP/2 frames of a connection that carry no request: pings, settings, resets, window updates, frames for ended
 * streams. Each has a price; resets cost more, since whole requests are started for them. The allowance is refilled over
 * time and by answers. A rate alone would cut off good clients: gRPC clients ping with each answer to measure their path,
 * every client updates its windows as it reads, and a client told to retry later has sent frames in vain.
 *
 * <p>Thread-safe.
 */
final class FrameAllowance implements RateControl {
    /** The initial allowance, and what a second adds. */
    static final int PER_SECOND = 128;

    /** What an answered request adds, for its ping, window updates, a reset, and data that came too late. */
    static final int PER_ANSWER = 16;

    /** Bytes of answers that add one; clients update both windows at most every 4 KiB. */
    static final int BYTES = 1024;

    /** The most that answers can accumulate: enough for everything that one window can hold. */
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

    /** Notes that a request, or part of one, was answered. */
    synchronized void onAnswer(int bytes, boolean last) {
        left = Math.min(MAX, left + bytes / BYTES + (last ? PER_ANSWER : 0));
    }

    /** Whether a frame is allowed; if not, the connection is closed. */
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
