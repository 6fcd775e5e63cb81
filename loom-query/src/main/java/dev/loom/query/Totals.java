package dev.loom.query;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.index.BinListReader;
import dev.loom.index.IndexSummary;
import org.jspecify.annotations.Nullable;

/** Count, sum, minimum and maximum of the values in a range. For one thread. */
final class Totals implements KeyTally {
    private final ValueType type;
    private final KeyRange range;
    private final LongSum sum = new LongSum();
    private final DoubleSum doubleSum = new DoubleSum();
    /** Of integers, the keys of bins and single values, which may differ from the values. */
    private final LongSum keySum = new LongSum();

    private long keysSummed;
    private long count;
    private long minKey = Long.MAX_VALUE;
    private long maxKey = Long.MIN_VALUE;

    private final @Nullable RankBounds bounds;

    /** @param bounds of the values of ranks, to be found besides */
    Totals(ValueType type, KeyRange range, @Nullable RankBounds bounds) {
        this.type = type;
        this.range = range;
        this.bounds = bounds;
    }

    @Override
    public long lowKey() {
        return range.low();
    }

    @Override
    public long highKey() {
        return range.high();
    }

    @Override
    public void addBelow(long values) {
        // out of range
    }

    @Override
    public Coverage cover(long min, long max) {
        return range.covers(min, max) ? Coverage.ALL : range.touches(min, max) ? Coverage.SOME : Coverage.NONE;
    }

    @Override
    public void add(IndexSummary totals) {
        addGroup(totals.count(), totals.minKey(), totals.maxKey());
        if (type == ValueType.F64) {
            doubleSum.add(totals.doubleSum());
        } else {
            totals.addValuesTo(sum, type);
        }
    }

    @Override
    public void add(BinListReader bin) {
        addGroup(bin.count(), bin.minKey(), bin.maxKey());
        if (type == ValueType.F64) {
            bin.addTo(doubleSum);
        } else {
            bin.addKeysTo(keySum);
            keysSummed += bin.count();
        }
    }

    @Override
    public void add(long key) {
        if (range.contains(key)) {
            addGroup(1, key, key);
            if (type == ValueType.F64) {
                doubleSum.add(ValueType.doubleOf(key));
            } else {
                keySum.add(key);
                keysSummed++;
            }
        }
    }

    @Override
    public void add(long[] keys, int length) {
        for (int i = 0; i < length; i++) {
            add(keys[i]);
        }
    }

    private void addGroup(long records, long min, long max) {
        count += records;
        minKey = Math.min(minKey, min);
        maxKey = Math.max(maxKey, max);
        RankBounds ranks = bounds;
        if (ranks != null) {
            ranks.add(records, min, max);
        }
    }

    long count() {
        return count;
    }

    long minKey() {
        return minKey;
    }

    long maxKey() {
        return maxKey;
    }

    /** Of integers, the sum. */
    LongSum sum() {
        LongSum all = new LongSum();
        all.add(sum);
        all.add(keySum);
        if (type == ValueType.U64) {
            all.add(keysSummed >>> 1, keysSummed << (Long.SIZE - 1)); // each key is 2^63 less than its value
        }
        return all;
    }

    /** Of doubles, the sum. */
    double doubleSum() {
        return doubleSum.value();
    }
}
