package dev.loom.query.sampling;

/** The estimated counts of steps and of all together, each with the interval that holds it with a probability of 95 %. For one thread. */
public final class StepEstimates {
    private final long[] counts;
    private final long[] lows;
    private final long[] highs;
    private final boolean[] exact;
    private boolean allExact = true;
    private long count;
    private long low;
    private long high;

    StepEstimates(int steps) {
        counts = new long[steps];
        lows = new long[steps];
        highs = new long[steps];
        exact = new boolean[steps];
    }

    /** Sets a step of which these bounds are certain. */
    void set(int step, long estimate, long lowest, long highest) {
        exact[step] = lowest == highest;
        lows[step] = lowest;
        highs[step] = highest;
        counts[step] = Math.min(Math.max(estimate, lowest), highest);
    }

    /** Sets a step to what a normal distribution gives, within what is certain. */
    void set(int step, double estimate, double half, long lowest, long highest) {
        exact[step] = lowest == highest;
        double possible = Math.min(Math.max(estimate, (double) lowest), (double) highest);
        counts[step] = Math.round(possible);
        lows[step] = Math.max(lowest, (long) Math.floor(possible - half));
        highs[step] = Math.min(highest, (long) Math.ceil(possible + half));
    }

    /**
     * Sums the steps up, whose errors are independent of each other.
     *
     * @param unknown whether there are steps of which only the bounds are known
     */
    void sum(boolean unknown, double half) {
        long lowest = 0;
        long highest = 0;
        for (int i = 0; i < counts.length; i++) {
            count += counts[i];
            lowest += lows[i];
            highest += highs[i];
            allExact &= exact[i];
        }
        low = unknown ? lowest : Math.max(lowest, (long) Math.floor(count - half));
        high = unknown ? highest : Math.min(highest, (long) Math.ceil(count + half));
    }

    public int steps() {
        return counts.length;
    }

    public long count(int step) {
        return counts[step];
    }

    public long low(int step) {
        return lows[step];
    }

    public long high(int step) {
        return highs[step];
    }

    /** The count of all steps. */
    public long count() {
        return count;
    }

    public long low() {
        return low;
    }

    public long high() {
        return high;
    }

    /** Whether a step's count is exact. */
    public boolean isExact(int step) {
        return exact[step];
    }

    /** Whether all counts are exact. */
    public boolean isExact() {
        return allExact;
    }
}
