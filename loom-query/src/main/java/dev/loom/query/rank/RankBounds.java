package dev.loom.query.rank;

import dev.loom.value.BinScale;

/**
 * Bounds of the values of ranks, from the minimum and maximum of groups: chunks, bins, single values. If n groups have a
 * maximum of at least x, at least n values are at least x. So the chunks' maxima bound a high percentile from below, and
 * chunks below that bound need not be examined. For one thread.
 */
public final class RankBounds {
    private final BinScale scale;
    private final long[] cells;
    private final int slots;
    private final int shift;
    private long count;

    /**
     * Creates bounds at the ends of bins, or of runs of bins if there are many.
     *
     * @param cells memory for counts, all 0
     */
    public RankBounds(BinScale scale, long[] cells) {
        this.scale = scale;
        this.cells = cells;
        int runShift = 0;
        while ((scale.count() - 1) >>> runShift >= cells.length / 2) {
            runShift++;
        }
        shift = runShift;
        slots = ((scale.count() - 1) >>> shift) + 1;
    }

    /** Adds a group of values. */
    public void add(long values, long minKey, long maxKey) {
        int min = scale.bin(minKey) >>> shift;
        int max = scale.bin(maxKey) >>> shift;
        count += values;
        // one value is as high as the maximum, the others at least the minimum; and the reverse for the low side
        cells[max]++;
        cells[min] += values - 1;
        cells[slots + min]++;
        cells[slots + max] += values - 1;
    }

    /** A lower bound, included, of the value of a rank of 1 or more. */
    public long lowKey(long rank) {
        long above = count - rank + 1;
        int slot = slots - 1;
        for (long high = cells[slot]; high < above && slot > 0; high += cells[slot]) {
            slot--;
        }
        return scale.lowKey(slot << shift);
    }

    /** An upper bound, included, of the value of a rank of at most the number of values. */
    public long highKey(long rank) {
        int slot = 0;
        for (long low = cells[slots]; low < rank && slot < slots - 1; low += cells[slots + slot]) {
            slot++;
        }
        return scale.highKey(Math.min((slot + 1) << shift, scale.count()) - 1);
    }
}
