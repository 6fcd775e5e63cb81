package dev.loom.query.rank;

import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.Coverage;
import dev.loom.query.plan.KeyRange;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkSummary;

/**
 * Accumulates those values alone that are in a range, where integers share a double: a key at an end of the range may be that of values
 * within and of others beyond. Groups have no such integers, as an index that has is not taken. For one thread.
 */
public final class ValuesInRange implements KeyTally {
    private final KeyTally tally;
    private final ValueRange values;
    private final ValueType type;
    /** The keys of the doubles in the range. */
    private final KeyRange range;

    /** @param tally takes those that are in the range */
    public ValuesInRange(KeyTally tally, ValueRange values, ValueType type) {
        this.tally = tally;
        this.values = values;
        this.type = type;
        this.range = KeyRange.of(values, type);
    }

    @Override
    public long lowKey() {
        return range.low();
    }

    @Override
    public long highKey() {
        return Math.min(range.high(), tally.highKey());
    }

    @Override
    public Coverage cover(long minKey, long maxKey) {
        if (!range.touches(minKey, maxKey)) {
            return Coverage.NONE;
        }
        Coverage within = tally.cover(minKey, maxKey);
        return within == Coverage.ALL && !range.covers(minKey, maxKey) ? Coverage.SOME : within;
    }

    @Override
    public boolean takes(ChunkSummary totals) {
        return tally.takes(totals);
    }

    @Override
    public void add(ChunkSummary totals) {
        tally.add(totals);
    }

    @Override
    public void add(BinListReader bin) {
        tally.add(bin);
    }

    @Override
    public void add(long key) {
        if (range.contains(key)) {
            tally.add(key);
        }
    }

    @Override
    public void addExact(long key, int remainder) {
        if (remainder == 0) {
            add(key);
        } else if (values.contains(new Value(type, key, remainder).toBigDecimal())) {
            tally.addExact(key, remainder);
        }
    }

    @Override
    public void add(long[] keys, int length) {
        for (int i = 0; i < length; i++) {
            add(keys[i]);
        }
    }

    @Override
    public void addBelow(long below) {
        // beyond the range
    }
}
