package dev.loom.value;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import java.util.Arrays;

/** Bins over the keys of one value type, numbered from 0 in the order of the values, without gaps. Immutable. */
public abstract class BinScale {
    private final int count;

    BinScale(int count) {
        this.count = count;
    }

    /**
     * Makes the scale for bins of a type.
     *
     * @throws IllegalArgumentException when an edge is not a value of the type, or two edges become the same value
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
     * Merges neighbouring bins into groups.
     *
     * @param ends the first group's first bin, then each group's end, which is the bin after its last; ascending
     */
    public final BinScale grouped(int... ends) {
        if (ends.length < 2 || ends[0] < 0 || ends[ends.length - 1] > count) {
            throw new IllegalArgumentException(
                    "group ends out of range: ends=" + Arrays.toString(ends) + ", bins=" + count);
        }
        return new GroupedScale(this, ends);
    }

    /** The number of bins, outlier bins included. */
    public final int count() {
        return count;
    }

    /** The bin of a value. */
    public abstract int bin(long key);

    /** The bins of several values. Each scale has its own loop, without a call per value. */
    public abstract void bins(long[] keys, int length, int[] into);

    /** The lowest key of a bin. */
    public abstract long lowKey(int bin);

    /**
     * The highest key of a bin; below {@link #lowKey} if the bin can hold no value, as for some bins of subnormal
     * doubles.
     */
    public abstract long highKey(int bin);
}
