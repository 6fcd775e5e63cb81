package dev.loom.index;

import java.util.Arrays;

/** The values of a chunk with their bins, for an index that keeps them. For one thread. */
final class ChunkValues {
    private int[] bins = new int[1024];
    private long[] keys = new long[1024];
    private long[] grouped = new long[1024];
    private int count;

    /** Adds values; allocates only when a chunk has more than any before. */
    void add(int[] valueBins, long[] valueKeys, int length) {
        if (keys.length - count < length) {
            int more = Math.max(2 * keys.length, count + length);
            // allocates everything before anything changes
            int[] largerBins = Arrays.copyOf(bins, more);
            long[] largerKeys = Arrays.copyOf(keys, more);
            grouped = new long[more];
            bins = largerBins;
            keys = largerKeys;
        }
        System.arraycopy(valueBins, 0, bins, count, length);
        System.arraycopy(valueKeys, 0, keys, count, length);
        count += length;
    }

    /** Adds one value. */
    void add(int bin, long key) {
        if (count == keys.length) {
            add(new int[] {bin}, new long[] {key}, 1);
            return;
        }
        bins[count] = bin;
        keys[count++] = key;
    }

    /** The values in the order of their bins, which the table holds. */
    long[] inOrderOf(BinTable table) {
        table.group(bins, keys, count, grouped);
        return grouped;
    }

    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }
}
