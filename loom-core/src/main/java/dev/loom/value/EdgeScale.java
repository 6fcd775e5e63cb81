package dev.loom.value;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import java.math.BigDecimal;
import java.util.Arrays;

/**
 * Bins between given edges, found by binary search: a value's bin is the number of edges at or below it. An outlier bin
 * that can hold no value does not exist.
 */
class EdgeScale extends BinScale {
    /** Up to this many edges are compared one by one, which a processor does speculatively. */
    private static final int COMPARED_MAX = 8;

    private final ValueType type;
    private final long[] edges;

    /** @param keys ascending */
    EdgeScale(long[] keys, ValueType type) {
        super(keys.length + (isReachedByAll(keys, type) ? 0 : 1));
        this.type = type;
        this.edges = Arrays.copyOfRange(keys, isReachedByAll(keys, type) ? 1 : 0, keys.length);
    }

    private static boolean isReachedByAll(long[] keys, ValueType type) {
        return keys[0] == type.lowestKey();
    }

    static EdgeScale between(Bins bins, ValueType type) {
        long[] keys = new long[bins.edges().size()];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = EdgeKeys.edge(bins.edges().get(i), type);
            if (i > 0) {
                EdgeKeys.checkAscending(keys[i - 1], keys[i], type);
            }
        }
        return new EdgeScale(keys, type);
    }

    /** The scale of a single value, whose bin lies between its key and the next. */
    static EdgeScale matching(Bins bins, ValueType type) {
        BigDecimal value = bins.edges().get(0);
        long key = EdgeKeys.match(value, type);
        return new EdgeScale(key == type.highestKey() ? new long[] {key} : new long[] {key, key + 1}, type);
    }

    @Override
    public int bin(long key) {
        if (edges.length > COMPARED_MAX) {
            return search(key);
        }
        int bin = 0;
        for (long edge : edges) {
            bin += key >= edge ? 1 : 0;
        }
        return bin;
    }

    @Override
    public void bins(long[] keys, int length, int[] into) {
        for (int i = 0; i < length; i++) {
            into[i] = bin(keys[i]);
        }
    }

    private int search(long key) {
        int from = 0;
        int count = edges.length;
        while (count > 1) {
            int half = count >>> 1;
            from += key >= edges[from + half] ? half : 0;
            count -= half;
        }
        return from + (key >= edges[from] ? 1 : 0);
    }

    /** Finds the bin of a value step by step from a guess. */
    final int near(int guess, long key) {
        int bin = Math.min(guess, edges.length);
        while (bin > 0 && key < edges[bin - 1]) {
            bin--;
        }
        while (bin < edges.length && key >= edges[bin]) {
            bin++;
        }
        return bin;
    }

    @Override
    public final long lowKey(int bin) {
        return bin == 0 ? type.lowestKey() : edges[bin - 1];
    }

    @Override
    public final long highKey(int bin) {
        return bin == edges.length ? type.highestKey() : edges[bin] - 1;
    }
}
