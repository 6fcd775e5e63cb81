package dev.loom.server.prometheus.promql;

/**
 * The times for which an expression is evaluated.
 *
 * @param startMs epoch milliseconds of the first
 * @param endMs the last one is not after it
 * @param stepMs between two; 1 or more
 */
public record Steps(long startMs, long endMs, long stepMs) {
    /** One moment. */
    public static Steps at(long timeMs) {
        return new Steps(timeMs, timeMs, 1);
    }

    /** How many there are. */
    public int count() {
        return Math.toIntExact((endMs - startMs) / stepMs + 1);
    }

    /** The time of a step, from 0. */
    public long timeMs(int step) {
        return startMs + step * stepMs;
    }

    /** The time of the last step. */
    public long lastMs() {
        return timeMs(count() - 1);
    }

    Steps back(long ms) {
        return new Steps(startMs - ms, endMs - ms, stepMs);
    }
}
