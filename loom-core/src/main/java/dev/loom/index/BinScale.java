package dev.loom.index;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import java.util.Arrays;

/**
 * Bins over the keys of one type of values: numbered from 0 in the order of the values, without gaps between them.
 * Immutable.
 */
public abstract class BinScale {
    private final int count;

    BinScale(int count) {
        this.count = count;
    }

    /**
     * Makes the bins of a type.
     *
     * @throws IllegalArgumentException when an edge is no value of the type, or two edges are the same value of it
     */
    public static BinScale of(Bins bins, ValueType type) {
        return switch (bins.form()) {
            case LOG_LINEAR ->
                type == ValueType.F64 ? new ExponentialScale(bins.scale()) : new LogLinearScale(bins.scale(), type);
            case LINEAR -> LinearScale.between(bins, type);
            case EDGES -> EdgeScale.between(bins, type);
            case MATCH -> EdgeScale.matching(bins, type);
        };
    }

    /**
     * Takes neighbouring bins together.
     *
     * @param ends of the groups: the first bin of the first, and for each the bin after its last; ascending
     */
    public final BinScale grouped(int... ends) {
        if (ends.length < 2 || ends[0] < 0 || ends[ends.length - 1] > count) {
            throw new IllegalArgumentException(
                    "ends of groups out of range: ends=" + Arrays.toString(ends) + ", bins=" + count);
        }
        return new GroupedScale(this, ends);
    }

    /** How many bins there are, with those that few values fall into. */
    public final int count() {
        return count;
    }

    /** The bin of a value. */
    public abstract int bin(long key);

    /** The bins of so many values: each kind of bins has a loop of its own, without a call for each value. */
    abstract void bins(long[] keys, int length, int[] into);

    /** The lowest key of a bin. */
    public abstract long lowKey(int bin);

    /** The highest key of a bin; below {@link #lowKey} if no value is in it, as of some bins of subnormal doubles. */
    public abstract long highKey(int bin);
}
