package dev.loom.query.rank;

import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.value.BinScale;

/** An interval of keys that holds the value of a rank, and how a pass divides it. For one thread. */
public final class KeyInterval {
    final long low;
    final long high;
    /** The number of values in it, at most. */
    final long count;

    /** Whether the pass collects its values; otherwise it counts them by slot. */
    boolean collects;
    /** The first of its cells, which hold values or counts. */
    int begin;
    /** The number of values collected. */
    int used;
    /** The number of slots. */
    int slots;

    private boolean byBins;
    private int firstBin;
    private int shift;

    public KeyInterval(long low, long high, long count) {
        this.low = low;
        this.high = high;
        this.count = count;
    }

    /** Whether it holds a single key. */
    public boolean isOne() {
        return low == high;
    }

    /** Whether its ends are no further apart than a share of the one nearer to 0; not if 0 lies between them. */
    public boolean isWithin(ValueType type, double share) {
        double from = new Value(type, low).doubleValue();
        double to = new Value(type, high).doubleValue();
        return from > 0 ? to - from <= share * from : to < 0 && to - from <= share * -to;
    }

    public boolean isSame(KeyInterval other) {
        return low == other.low && high == other.high;
    }

    /**
     * Whether a key lies in it. One comparison, which mostly fails and so is well predicted; with two, a branch predictor
     * could only guess.
     */
    public boolean contains(long key) {
        return Long.compareUnsigned(key - low, high - low) <= 0;
    }

    /** Divides it into at most {@code slotsMax} slots: bins, runs of bins, or parts of equal width. */
    public void divide(BinScale scale, boolean intoBins, int slotsMax) {
        byBins = intoBins;
        firstBin = scale.bin(low);
        long last = byBins ? scale.bin(high) - firstBin : high - low;
        shift = 0;
        while (Long.compareUnsigned(last >>> shift, slotsMax) >= 0) {
            shift++;
        }
        slots = (int) (last >>> shift) + 1;
    }

    /** The slot of a key in the interval. */
    public int slot(BinScale scale, long key) {
        return byBins ? slotOfBin(scale.bin(key)) : (int) ((key - low) >>> shift);
    }

    /** The slot of a bin, if it is divided by bins. */
    public int slotOfBin(int bin) {
        return (bin - firstBin) >> shift;
    }

    /** Whether all values from one key to another go to the same slot, or are the same. */
    public boolean treatsAlike(BinScale scale, long minKey, long maxKey) {
        if (minKey < low || maxKey > high) {
            return false;
        }
        return minKey == maxKey || (!collects && slot(scale, minKey) == slot(scale, maxKey));
    }

    /** The interval that a slot covers. */
    public KeyInterval part(BinScale scale, int slot, long values) {
        long from;
        long to;
        if (byBins) {
            int bin = firstBin + (slot << shift);
            from = scale.lowKey(bin);
            to = scale.highKey(Math.min(bin + (1 << shift), scale.count()) - 1);
        } else {
            from = low + ((long) slot << shift);
            long width = (1L << shift) - 1;
            to = Long.compareUnsigned(width, high - from) < 0 ? from + width : high;
        }
        return new KeyInterval(Math.max(from, low), Math.min(to, high), values);
    }

    @Override
    public String toString() {
        return "[" + low + ", " + high + "], values=" + count;
    }
}
