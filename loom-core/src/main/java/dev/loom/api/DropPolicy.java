package dev.loom.api;

import java.time.Duration;

/**
 * What a {@link dev.loom.Recorder} does with a source's records while its ring is full, or filling. Immutable. Whatever is
 * dropped is counted by source and reason, and marked in the log.
 */
public final class DropPolicy {
    /** The longest wait: an hour. */
    public static final Duration WAIT_MAX = Duration.ofHours(1);

    private final long waitNs;
    private final int oneIn;
    private final double above;

    private DropPolicy(long waitNs, int oneIn, double above) {
        this.waitNs = waitNs;
        this.oneIn = oneIn;
        this.above = above;
    }

    /** Drops a record that finds the ring full, at once. */
    public static DropPolicy refuse() {
        return new DropPolicy(0, 1, 1);
    }

    /**
     * Lets the thread wait for room, then drops the record. An interrupt ends the waiting, and is kept for the thread.
     *
     * @param longest 0 to {@link #WAIT_MAX}
     */
    public static DropPolicy waitUpTo(Duration longest) {
        if (longest.isNegative() || longest.compareTo(WAIT_MAX) > 0) {
            throw new IllegalArgumentException("bad wait: longest=" + longest + ", expected=0 to " + WAIT_MAX);
        }
        return new DropPolicy(longest.toNanos(), 1, 1);
    }

    /**
     * Takes every n-th of the source's records, by all threads together, while more than a part of the ring is in use, and
     * all of them while less is. One that finds the ring full is dropped at once.
     *
     * @param oneIn n, 1 or more
     * @param above the part, 0 to 1
     */
    public static DropPolicy sample(int oneIn, double above) {
        if (oneIn < 1 || !(above >= 0 && above <= 1)) {
            throw new IllegalArgumentException(
                    "bad sample: one in=" + oneIn + ", above=" + above + ", expected=1 or more, and 0 to 1");
        }
        return new DropPolicy(0, oneIn, above);
    }

    /** How long to wait for room, ns. */
    public long waitNs() {
        return waitNs;
    }

    /** One of how many records is taken while the ring is filling; 1 for all. */
    public int oneIn() {
        return oneIn;
    }

    /** The part of the ring that may be in use before records are sampled. */
    public double above() {
        return above;
    }

    @Override
    public String toString() {
        if (oneIn > 1) {
            return "sample one in " + oneIn + " above " + above;
        }
        return waitNs > 0 ? "wait up to " + Duration.ofNanos(waitNs) : "refuse";
    }
}
