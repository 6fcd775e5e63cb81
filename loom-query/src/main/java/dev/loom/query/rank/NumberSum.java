package dev.loom.query.rank;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.read.ChunkSummary;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The sum of numbers, whole or not: exact while all are whole; otherwise the whole ones are summed exactly and the others as
 * doubles. For one thread.
 */
public final class NumberSum {
    /** Bytes that {@link #store} takes. */
    static final int STORED_LENGTH = 5 * Long.BYTES;

    /** Doubles from here on may not fit 64 bits. */
    private static final double WHOLE_MAX = 0x1p62;

    /** Every whole number up to this is exact as a double, and so is a sum up to this. */
    private static final double EXACT_MAX = 0x1p53;

    private final LongSum whole = new LongSum();
    private final DoubleSum others = new DoubleSum();
    private boolean allWhole = true;

    /** Whether a double holds the sum of this many whole numbers of at most this magnitude exactly. */
    public static boolean isExact(long count, double magnitudeMax) {
        return count * magnitudeMax < EXACT_MAX;
    }

    /** Whether the sum that an index of doubles has of a chunk is exact if all values are whole. */
    static boolean isExact(ChunkSummary totals) {
        return isExact(
                totals.count(),
                Math.max(Math.abs(ValueType.doubleOf(totals.minKey())), Math.abs(ValueType.doubleOf(totals.maxKey()))));
    }

    /** Stores the sum at the beginning of some bytes. */
    void store(MutableDirectBuffer into, int offset) {
        into.putLong(offset, whole.high());
        into.putLong(offset + Long.BYTES, whole.low());
        into.putDouble(offset + 2 * Long.BYTES, others.sum());
        into.putDouble(offset + 3 * Long.BYTES, others.compensation());
        into.putLong(offset + 4 * Long.BYTES, allWhole ? 0 : 1);
    }

    /** Continues a sum that was stored; zeros are the sum of no numbers. */
    void load(DirectBuffer from, int offset) {
        whole.clear();
        whole.add(from.getLong(offset), from.getLong(offset + Long.BYTES));
        others.set(from.getDouble(offset + 2 * Long.BYTES), from.getDouble(offset + 3 * Long.BYTES));
        allWhole = from.getLong(offset + 4 * Long.BYTES) == 0;
    }

    /** Adds 128 bits in two's complement to the whole numbers of a sum that was stored. */
    static void addStored(MutableDirectBuffer sum, int offset, long high, long low) {
        long total = sum.getLong(offset + Long.BYTES) + low;
        long carry = Long.compareUnsigned(total, low) < 0 ? 1 : 0;
        sum.putLong(offset, sum.getLong(offset) + high + carry);
        sum.putLong(offset + Long.BYTES, total);
    }

    /** Adds to the others of a sum that was stored, as {@link DoubleSum#add(double)} does. */
    static void addStored(MutableDirectBuffer sum, int offset, double value) {
        double before = sum.getDouble(offset + 2 * Long.BYTES);
        double total = before + value;
        int at = offset + 3 * Long.BYTES;
        sum.putDouble(at, sum.getDouble(at) + DoubleSum.error(before, value, total));
        sum.putDouble(offset + 2 * Long.BYTES, total);
    }

    /** Adds another sum. */
    void add(NumberSum other) {
        whole.add(other.whole);
        others.add(other.others);
        allWhole &= other.allWhole;
    }

    /** The sum of the whole numbers. */
    LongSum whole() {
        return whole;
    }

    /** The sum of the others. */
    DoubleSum others() {
        return others;
    }

    /** Adds a double. */
    public void add(double value) {
        if (Math.abs(value) < WHOLE_MAX && value == Math.rint(value)) {
            whole.add((long) value);
        } else if (Double.isInfinite(value) || value != Math.rint(value)) {
            allWhole = false;
            others.add(value);
        } else {
            addLarge(value, 0);
        }
    }

    /** Adds the sum of several doubles, one at least: if their least or their greatest is not whole, not all are. */
    public void addSum(double sum, double least, double greatest) {
        allWhole &= least == Math.rint(least) && greatest == Math.rint(greatest);
        add(sum);
    }

    /** Adds a double and a remainder. */
    public void add(double value, int remainder) {
        if (remainder == 0) {
            add(value);
        } else {
            addLarge(value, remainder);
        }
    }

    /**
     * Adds a large double and a remainder, as an integer if it fits 64 bits, signed or unsigned. Larger doubles are whole
     * too, but only because they are coarse; they are summed as doubles.
     */
    private void addLarge(double value, int remainder) {
        if (value >= -0x1p63 && value < 0x1p63) {
            whole.add((long) value);
            whole.add(remainder);
        } else if (value > 0 && value < 0x1p64) {
            whole.addUnsigned((long) (value - 0x1p63) ^ Long.MIN_VALUE);
            whole.add(remainder);
        } else {
            allWhole = false;
            others.add(value);
        }
    }

    /** Whether all numbers are whole, so that {@link #toBigInteger} is their sum. */
    public boolean isWhole() {
        return allWhole;
    }

    public BigInteger toBigInteger() {
        return whole.toBigInteger();
    }

    /** The double nearest to the sum. */
    public double doubleValue() {
        double rest = others.value();
        return Double.isFinite(rest)
                ? new BigDecimal(toBigInteger()).add(new BigDecimal(rest)).doubleValue()
                : rest;
    }

    /** The sum divided by a count, as the nearest double. */
    public double mean(long count) {
        double rest = others.value();
        return Double.isFinite(rest)
                ? new BigDecimal(toBigInteger())
                        .add(new BigDecimal(rest))
                        .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
                        .doubleValue()
                : rest / count;
    }
}
