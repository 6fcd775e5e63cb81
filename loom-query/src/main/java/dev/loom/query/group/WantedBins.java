package dev.loom.query.group;

/** The bins of an index whose values matter for a group. For one thread. */
final class WantedBins {
    private final int[] first;
    private final int[] last;
    private int count;

    /** @param intervalsMax the most intervals of bins */
    WantedBins(int intervalsMax) {
        first = new int[intervalsMax];
        last = new int[intervalsMax];
    }

    void clear() {
        count = 0;
    }

    void add(int firstBin, int lastBin) {
        first[count] = firstBin;
        last[count++] = lastBin;
    }

    boolean contains(int bin) {
        boolean contains = false;
        for (int i = 0; i < count && !contains; i++) {
            contains = bin >= first[i] && bin <= last[i];
        }
        return contains;
    }
}
