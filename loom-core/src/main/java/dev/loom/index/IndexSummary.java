package dev.loom.index;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;

/** An index's totals over one or several chunks, without the bins. Reused; not thread-safe. */
public final class IndexSummary {
    private final LongSum keySum = new LongSum();
    private final DoubleSum doubleSum = new DoubleSum();
    private int indexId;
    private long count;
    private long minKey;
    private long maxKey;
    private long binsAddress;

    /** The address of the bins if there are none. */
    public static final long NO_BINS = -1;

    /** Resets it to no records. */
    public void clear(int ofIndexId) {
        indexId = ofIndexId;
        count = 0;
        minKey = Long.MAX_VALUE;
        maxKey = Long.MIN_VALUE;
        keySum.clear();
        doubleSum.clear();
        binsAddress = NO_BINS;
    }

    void setRange(long records, long min, long max) {
        count = records;
        minKey = min;
        maxKey = max;
    }

    /** Adds the table's current bin. */
    void add(BinTable bins, ValueType type) {
        count += bins.count();
        minKey = Math.min(minKey, bins.minKey());
        maxKey = Math.max(maxKey, bins.maxKey());
        if (type == ValueType.F64) {
            doubleSum.add(bins.doubleSum());
        } else {
            bins.addKeysTo(keySum);
        }
    }

    /** Adds the summary of another chunk. */
    public void add(IndexSummary other) {
        count += other.count;
        minKey = Math.min(minKey, other.minKey);
        maxKey = Math.max(maxKey, other.maxKey);
        keySum.add(other.keySum);
        doubleSum.add(other.doubleSum);
    }

    public int indexId() {
        return indexId;
    }

    /** The number of records with a value. */
    public long count() {
        return count;
    }

    /** The least key; above every other if there are no values. */
    public long minKey() {
        return minKey;
    }

    /** The greatest key; below every other if there are no values. */
    public long maxKey() {
        return maxKey;
    }

    /** The sum of the keys of an index of integers; see {@link #addValuesTo}. */
    LongSum keySum() {
        return keySum;
    }

    /** The sum of the values of an index of doubles. */
    public DoubleSum doubleSum() {
        return doubleSum;
    }

    /** Adds the values of an index of integers. */
    public void addValuesTo(LongSum sum, ValueType type) {
        sum.add(keySum);
        if (type == ValueType.U64) {
            sum.add(count >>> 1, count << (Long.SIZE - 1)); // each key is its value minus 2^63
        }
    }

    /** The address in the chunk index of the chunk's bins, or {@link #NO_BINS}. */
    public long binsAddress() {
        return binsAddress;
    }

    public void binsAddress(long address) {
        binsAddress = address;
    }
}
