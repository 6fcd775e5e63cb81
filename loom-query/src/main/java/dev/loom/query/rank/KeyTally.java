package dev.loom.query.rank;

import dev.loom.query.plan.Coverage;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkSummary;
import dev.loom.value.BinScale;

/** What a pass accumulates over a query's values: whole groups if single values make no difference. For one thread. */
public interface KeyTally {
    /** Of the values below this key, at most their number matters. */
    long lowKey();

    /** Values above this key don't matter. */
    long highKey();

    /**
     * How many of the values from one key to another count: with {@link Coverage#ALL} they may be added as a group, with
     * {@link Coverage#NONE} they may be skipped, with {@link Coverage#SOME} each must be examined.
     */
    Coverage cover(long minKey, long maxKey);

    /** Whether counts by bins of this scale are enough, from the bin of {@link #lowKey()} on. */
    default boolean countsBins(BinScale bins) {
        return false;
    }

    /** Adds values of one bin, if it {@linkplain #countsBins counts bins}. */
    default void addBin(int bin, int values) {
        throw new IllegalStateException("bins are not counted: bin=" + bin + ", values=" + values);
    }

    /** Adds all values of a chunk. */
    void add(ChunkSummary totals);

    /** Adds all values of a bin of a chunk. */
    void add(BinListReader bin);

    /** Adds one value, if it counts. */
    void add(long key);

    /** Adds one value, if it counts: that of its key plus a {@link dev.loom.value.KeyReader#remainder()}. */
    default void addExact(long key, int remainder) {
        add(key);
    }

    /** Whether a chunk's totals and bins can give the answer at all. */
    default boolean takes(ChunkSummary totals) {
        return true;
    }

    /** Adds those of the first {@code length} values that count. */
    void add(long[] keys, int length);

    /** Adds values below {@link #lowKey()}. */
    void addBelow(long values);
}
