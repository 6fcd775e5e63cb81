package dev.loom.query;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

/**
 * The sum of numbers of which some are whole and some are not: exact as long as all are whole, else that of the whole ones
 * and, as a double, that of the others. For one thread.
 */
final class NumberSum {
    /** Doubles from here on may be beyond what 64 bits hold. */
    private static final double WHOLE_MAX = 0x1p62;

    /** Whole numbers up to this, and so sums up to this of them, are doubles. */
    private static final double EXACT_MAX = 0x1p53;

    private final LongSum whole = new LongSum();
    private final DoubleSum others = new DoubleSum();
    private boolean allWhole = true;

    /** Whether so many numbers of this magnitude have a sum that a double holds exactly if they are whole. */
    static boolean isExact(long count, double magnitudeMax) {
        return count * magnitudeMax < EXACT_MAX;
    }

    /** Adds a double. */
    void add(double value) {
        if (Math.abs(value) < WHOLE_MAX && value == Math.rint(value)) {
            whole.add((long) value);
        } else if (Double.isInfinite(value) || value != Math.rint(value)) {
            allWhole = false;
            others.add(value);
        } else {
            addLarge(value, 0);
        }
    }

    /** Adds a double and a little more. */
    void add(double value, int remainder) {
        if (remainder == 0) {
            add(value);
        } else {
            addLarge(value, remainder);
        }
    }

    /** Of an integer of 64 bits, signed or not. Other doubles of that magnitude are whole too, and of no use as such. */
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

    /** Whether all numbers are whole, and {@link #toBigInteger} is their sum. */
    boolean isWhole() {
        return allWhole;
    }

    BigInteger toBigInteger() {
        return whole.toBigInteger();
    }

    /** The double nearest to the sum. */
    double doubleValue() {
        double rest = others.value();
        return Double.isFinite(rest)
                ? new BigDecimal(toBigInteger()).add(new BigDecimal(rest)).doubleValue()
                : rest;
    }

    /** The double nearest to the sum by a number. */
    double mean(long count) {
        double rest = others.value();
        return Double.isFinite(rest)
                ? new BigDecimal(toBigInteger())
                        .add(new BigDecimal(rest))
                        .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
                        .doubleValue()
                : rest / count;
    }
}
