package dev.loom.query.rank;

import dev.loom.api.DoubleSum;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.Coverage;
import dev.loom.query.plan.KeyRange;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkSummary;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Count, sum, minimum and maximum of the values in a range. For one thread. */
public final class Totals implements KeyTally {
    private final ValueType type;
    private final KeyRange range;
    private final ValueRange values;
    /** For values that are to be kept exact; otherwise null. */
    private final @Nullable NumberSum numbers;

    private final LongSum sum = new LongSum();
    private final DoubleSum doubleSum = new DoubleSum();
    /** For integers: the sum of the keys of bins and single values; keys may differ from values. */
    private final LongSum keySum = new LongSum();

    private long keysSummed;
    private long count;
    private long minKey = Long.MAX_VALUE;
    private long maxKey = Long.MIN_VALUE;
    private int minRemainder;
    private int maxRemainder;

    private final @Nullable RankBounds bounds;

    /** The keys of all values, as long as they are few; null if they are not kept. */
    private long @Nullable [] few;

    /**
     * @param values those that count
     * @param bounds bounds of ranks to gather as well, or null
     * @param fewMax keep the keys of up to this number of values, for {@link #sortedKeys}
     */
    public Totals(IndexFunction function, ValueRange values, @Nullable RankBounds bounds, int fewMax) {
        this.few = fewMax == 0 ? null : new long[fewMax];
        this.type = function.type();
        this.values = values;
        this.range = KeyRange.of(values, type);
        this.numbers = function.isExact() ? new NumberSum() : null;
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
    public void add(ChunkSummary totals) {
        addGroup(totals.count(), totals.minKey(), totals.maxKey());
        if (totals.count() == 0) {
            return;
        } else if (numbers != null) {
            DoubleSum ofChunk = new DoubleSum();
            totals.addTo(ofChunk);
            numbers.addSum(ofChunk.value(), ValueType.doubleOf(totals.minKey()), ValueType.doubleOf(totals.maxKey()));
        } else if (type == ValueType.F64) {
            totals.addTo(doubleSum);
        } else {
            totals.addTo(sum);
        }
    }

    @Override
    public void add(BinListReader bin) {
        addGroup(bin.count(), bin.minKey(), bin.maxKey());
        if (bin.count() == 0) {
            return;
        } else if (numbers != null) {
            DoubleSum ofBin = new DoubleSum();
            bin.addTo(ofBin);
            numbers.addSum(ofBin.value(), ValueType.doubleOf(bin.minKey()), ValueType.doubleOf(bin.maxKey()));
        } else if (type == ValueType.F64) {
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
            if (numbers != null) {
                numbers.add(ValueType.doubleOf(key));
            } else if (type == ValueType.F64) {
                doubleSum.add(ValueType.doubleOf(key));
            } else {
                keySum.add(key);
                keysSummed++;
            }
        }
    }

    @Override
    public void addExact(long key, int remainder) {
        if (remainder == 0) {
            add(key);
        } else if (values.contains(new Value(type, key, remainder).toBigDecimal())) {
            addGroup(1, key, key, remainder);
            if (numbers != null) {
                numbers.add(ValueType.doubleOf(key), remainder);
            }
        }
    }

    /** An index rounds its sums. */
    @Override
    public boolean takes(ChunkSummary totals) {
        return numbers == null || NumberSum.isExact(totals);
    }

    @Override
    public void add(long[] keys, int length) {
        for (int i = 0; i < length; i++) {
            add(keys[i]);
        }
    }

    private void addGroup(long records, long min, long max) {
        addGroup(records, min, max, 0);
    }

    /** @param remainder the remainder of both keys */
    private void addGroup(long records, long min, long max, int remainder) {
        long[] kept = few;
        if (kept != null && (records > kept.length - count || (records > 1 && min != max))) {
            few = null;
        } else if (kept != null) {
            Arrays.fill(kept, (int) count, (int) (count + records), min);
        }
        count += records;
        if (min < minKey || (min == minKey && remainder < minRemainder)) {
            minKey = min;
            minRemainder = remainder;
        }
        if (max > maxKey || (max == maxKey && remainder > maxRemainder)) {
            maxKey = max;
            maxRemainder = remainder;
        }
        RankBounds ranks = bounds;
        if (ranks != null) {
            ranks.add(records, min, max);
        }
    }

    public long count() {
        return count;
    }

    /** The keys of all values, ascending; null unless they are few and each was seen. */
    public long @Nullable [] sortedKeys() {
        long[] kept = few;
        if (kept == null) {
            return null;
        }
        long[] sorted = Arrays.copyOf(kept, (int) count);
        Arrays.sort(sorted);
        return sorted;
    }

    public long minKey() {
        return minKey;
    }

    public long maxKey() {
        return maxKey;
    }

    public Value min() {
        return new Value(type, minKey, minRemainder);
    }

    public Value max() {
        return new Value(type, maxKey, maxRemainder);
    }

    /** The sum. */
    public ValueSum sum() {
        ValueSum all = new ValueSum(type, numbers != null);
        if (numbers != null) {
            all.numbers().add(numbers);
        } else if (type == ValueType.F64) {
            all.numbers().others().add(doubleSum);
        } else {
            all.numbers().whole().add(integerSum());
        }
        return all;
    }

    private LongSum integerSum() {
        LongSum all = new LongSum();
        all.add(sum);
        all.add(keySum);
        if (type == ValueType.U64) {
            all.add(keysSummed >>> 1, keysSummed << (Long.SIZE - 1)); // each key is 2^63 less than its value
        }
        return all;
    }
}
