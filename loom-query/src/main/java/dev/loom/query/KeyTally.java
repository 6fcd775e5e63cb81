package dev.loom.query;

import dev.loom.index.BinListReader;
import dev.loom.index.BinScale;
import dev.loom.index.IndexSummary;

/** What a pass over the values of a query adds up: whole groups where single values make no difference. For one thread. */
interface KeyTally {
    /** Of values below, it matters at most how many there are. */
    long lowKey();

    /** Values above don't matter. */
    long highKey();

    /**
     * How many of the values from one key to another count: {@link Coverage#ALL} says that they may be added as a group,
     * {@link Coverage#NONE} that they may be left out, {@link Coverage#SOME} that each has to be seen.
     */
    Coverage cover(long minKey, long maxKey);

    /** Whether of the bins from that of {@link #lowKey()} on only the numbers of values matter, given by such bins. */
    default boolean countsBins(BinScale bins) {
        return false;
    }

    /** Adds values of one of the bins that it {@linkplain #countsBins counts}. */
    default void addBin(int bin, int values) {
        throw new IllegalStateException("bins are not counted: bin=" + bin + ", values=" + values);
    }

    /** Adds all values of a chunk. */
    void add(IndexSummary totals);

    /** Adds all values of a bin of a chunk. */
    void add(BinListReader bin);

    /** Adds one value, if it counts. */
    void add(long key);

    /** Adds one value, if it counts, which is greater by a {@link dev.loom.index.KeyReader#remainder()} than that of its key. */
    default void addExact(long key, int remainder) {
        add(key);
    }

    /** Whether what is asked for can be had of a chunk's totals and bins at all. */
    default boolean takes(IndexSummary totals) {
        return true;
    }

    /** Adds the first values of some, as far as they count. */
    void add(long[] keys, int length);

    /** Adds values below {@link #lowKey()}. */
    void addBelow(long values);
}
