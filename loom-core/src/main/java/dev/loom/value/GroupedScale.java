package dev.loom.value;

import java.util.Arrays;

/** Groups of neighbouring bins. Lower values fall into the first group, higher ones into the last. */
final class GroupedScale extends BinScale {
    private final BinScale bins;
    private final int[] ends;

    /** @param ends the first group's first bin, then each group's end, which is the bin after its last; ascending */
    GroupedScale(BinScale bins, int[] ends) {
        super(ends.length - 1);
        this.bins = bins;
        this.ends = ends.clone();
    }

    @Override
    public int bin(long key) {
        int found = Arrays.binarySearch(ends, bins.bin(key));
        int group = found < 0 ? -found - 2 : found;
        return Math.max(0, Math.min(group, count() - 1));
    }

    @Override
    public void bins(long[] keys, int length, int[] into) {
        for (int i = 0; i < length; i++) {
            into[i] = bin(keys[i]);
        }
    }

    @Override
    public long lowKey(int bin) {
        return bins.lowKey(ends[bin]);
    }

    @Override
    public long highKey(int bin) {
        return bins.highKey(ends[bin + 1] - 1);
    }
}
