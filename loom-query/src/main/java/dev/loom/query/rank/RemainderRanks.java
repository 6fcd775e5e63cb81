package dev.loom.query.rank;

import dev.loom.query.plan.Coverage;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkSummary;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Finds the integer of a rank among those between a large double and the next, for several such doubles. It counts the
 * values below each double, and those of its key by their {@link dev.loom.value.KeyReader#remainder()}. One pass. For one
 * thread.
 */
public final class RemainderRanks implements KeyTally {
    /** They take 512 KiB. */
    public static final int KEYS_MAX = 32;

    /** The greatest distance between neighbouring doubles below 2^64. */
    private static final int REMAINDERS = 1 << 11;

    private final long[] keys;
    /** For each key, the number of values below it and above the previous key. */
    private final long[] below;

    private final long[][] counts;

    /** @param ascending the doubles' keys, from one to {@link #KEYS_MAX} */
    public RemainderRanks(long[] ascending) {
        keys = ascending;
        below = new long[keys.length];
        counts = new long[keys.length][REMAINDERS];
    }

    @Override
    public long lowKey() {
        return keys[0];
    }

    @Override
    public long highKey() {
        return keys[keys.length - 1];
    }

    @Override
    public Coverage cover(long minKey, long maxKey) {
        int first = firstFrom(minKey);
        if (first == keys.length) {
            return Coverage.NONE;
        }
        return minKey == maxKey || keys[first] > maxKey ? Coverage.ALL : Coverage.SOME;
    }

    /** The index of the first key that is at least this one; the number of keys if there is none. */
    private int firstFrom(long key) {
        int found = Arrays.binarySearch(keys, key);
        return found < 0 ? -found - 1 : found;
    }

    @Override
    public void add(ChunkSummary totals) {
        add(totals.minKey(), 0, totals.count());
    }

    @Override
    public void add(BinListReader bin) {
        add(bin.minKey(), 0, bin.count());
    }

    @Override
    public void add(long key) {
        add(key, 0, 1);
    }

    @Override
    public void addExact(long key, int remainder) {
        add(key, remainder, 1);
    }

    @Override
    public void add(long[] values, int length) {
        for (int i = 0; i < length; i++) {
            add(values[i], 0, 1);
        }
    }

    @Override
    public void addBelow(long values) {
        below[0] += values;
    }

    private void add(long key, int remainder, long times) {
        int at = firstFrom(key);
        if (at < keys.length && keys[at] == key) {
            counts[at][remainder] += times;
        } else if (at < keys.length) {
            below[at] += times;
        }
    }

    /**
     * The remainder of the value of a rank; the greatest one found if the disk returns fewer values now.
     *
     * @param key the value's key, one of those asked for
     * @param rank from 1 on, among all values
     */
    public int remainder(long key, long rank) {
        int at = firstFrom(key);
        long left = rank - below[at];
        for (int i = 0; i < at; i++) {
            left -= below[i] + LongStream.of(counts[i]).sum();
        }
        int last = 0;
        for (int i = 0; i < REMAINDERS && left > 0; i++) {
            left -= counts[at][i];
            last = counts[at][i] > 0 ? i : last;
        }
        return last;
    }
}
