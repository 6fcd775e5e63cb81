package dev.loom.query.group;

/** The bins of an index whose values matter for a group. For one thread. */
final class WantedBins {
    static final int NONE = -1;

    private final int[] first;
    private final int[] last;
    /** Of each interval the cell of its first bin, if the pass counts its values by these bins; else {@link #NONE}. */
    private final int[] cells;

    private int count;

    /** @param intervalsMax the most intervals of bins */
    WantedBins(int intervalsMax) {
        first = new int[intervalsMax];
        last = new int[intervalsMax];
        cells = new int[intervalsMax];
    }

    void clear() {
        count = 0;
    }

    /** @param cell of the first bin, if each bin has one; else {@link #NONE} */
    void add(int firstBin, int lastBin, int cell) {
        first[count] = firstBin;
        last[count] = lastBin;
        cells[count++] = cell;
    }

    /**
     * The cell that counts a bin, whatever its values are; {@link #NONE} if they have to be looked at, as those at an interval's ends, which
     * may lie outside.
     */
    int cell(int bin) {
        int cell = NONE;
        for (int i = 0; i < count && cell == NONE; i++) {
            cell = cells[i] != NONE && bin > first[i] && bin < last[i] ? cells[i] + bin - first[i] : NONE;
        }
        return cell;
    }

    boolean contains(int bin) {
        boolean contains = false;
        for (int i = 0; i < count && !contains; i++) {
            contains = bin >= first[i] && bin <= last[i];
        }
        return contains;
    }
}
