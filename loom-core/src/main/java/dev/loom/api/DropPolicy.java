package dev.loom.api;

import java.time.Duration;

/**
 * What a {@link dev.loom.Recorder} does with a source's records while its ring is full or filling up. Drops are counted
 * by source and reason, and marked in the log. Immutable.
 */
public final class DropPolicy {
    /** The longest wait: an hour. */
    public static final Duration WAIT_MAX = Duration.ofHours(1);

    private final Duration waitMax;
    private final int oneIn;
    private final double above;

    private DropPolicy(Duration waitMax, int oneIn, double above) {
        this.waitMax = waitMax;
        this.oneIn = oneIn;
        this.above = above;
    }

    /** Drops a record at once if the ring is full. */
    public static DropPolicy refuse() {
        return new DropPolicy(Duration.ZERO, 1, 1);
    }

    /**
     * Lets the thread wait for room, then drops the record. An interrupt ends the wait; the interrupt status is kept.
     *
     * @param longest 0 to {@link #WAIT_MAX}
     */
    public static DropPolicy waitUpTo(Duration longest) {
        if (longest.isNegative() || longest.compareTo(WAIT_MAX) > 0) {
            throw new IllegalArgumentException("bad wait: longest=" + longest + ", expected=0 to " + WAIT_MAX);
        }
        return new DropPolicy(longest, 1, 1);
    }

    /**
     * While more than a fraction of the ring is in use, takes every n-th of the source's records; otherwise takes all.
     * Counts over all threads, and only the records offered while that much is in use. A record that finds the ring full
     * is dropped at once.
     *
     * @param oneIn n, 1 or more
     * @param above the fraction, 0 to 1
     */
    public static DropPolicy sample(int oneIn, double above) {
        if (oneIn < 1 || !(above >= 0 && above <= 1)) {
            throw new IllegalArgumentException(
                    "bad sample: one in=" + oneIn + ", above=" + above + ", expected=1 or more, and 0 to 1");
        }
        return new DropPolicy(Duration.ZERO, oneIn, above);
    }

    /** The longest wait for room; zero for none. */
    public Duration waitMax() {
        return waitMax;
    }

    /** One record in this many is taken while the ring is filling up; 1 for all. */
    public int oneIn() {
        return oneIn;
    }

    /** The fraction of the ring that may be in use before records are sampled. */
    public double above() {
        return above;
    }

    @Override
    public String toString() {
        if (oneIn > 1) {
            return "sample one in " + oneIn + " above " + above;
        }
        return waitMax.isZero() ? "refuse" : "wait up to " + waitMax;
    }
}
