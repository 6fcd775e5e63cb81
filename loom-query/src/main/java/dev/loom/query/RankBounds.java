package dev.loom.query;

import dev.loom.index.BinScale;

/**
 * Bounds of the values of ranks, from no more than the least and the greatest value of groups: chunks, bins, single values.
 * As many groups as have a greatest value of x or more, so many values at least are x or more; so the chunks' maxima tell
 * where a high percentile can only be, and those that lie below it need not be looked into. For one thread.
 */
final class RankBounds {
    private final BinScale scale;
    private final long[] cells;
    private final int slots;
    private final int shift;
    private long count;

    /**
     * Makes bounds that are ends of bins, or of runs of bins where there are many.
     *
     * @param cells memory for counts, all 0
     */
    RankBounds(BinScale scale, long[] cells) {
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
    void add(long values, long minKey, long maxKey) {
        int min = scale.bin(minKey) >>> shift;
        int max = scale.bin(maxKey) >>> shift;
        count += values;
        // no more than these are sure to be that high; and below, that low
        cells[max]++;
        cells[min] += values - 1;
        cells[slots + min]++;
        cells[slots + max] += values - 1;
    }

    /** A key that the value of a rank, 1 or more, is not below. */
    long lowKey(long rank) {
        long above = count - rank + 1;
        int slot = slots - 1;
        for (long high = cells[slot]; high < above && slot > 0; high += cells[slot]) {
            slot--;
        }
        return scale.lowKey(slot << shift);
    }

    /** A key that the value of a rank, no more than there are values, is not above. */
    long highKey(long rank) {
        int slot = 0;
        for (long low = cells[slots]; low < rank && slot < slots - 1; low += cells[slots + slot]) {
            slot++;
        }
        return scale.highKey(Math.min((slot + 1) << shift, scale.count()) - 1);
    }
}
