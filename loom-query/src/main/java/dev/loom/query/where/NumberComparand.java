package dev.loom.query.where;

import dev.loom.format.FieldValue;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * A number to compare values with, prepared so that a comparison is exact and takes one or two primitive comparisons. For
 * each kind of value it holds the greatest one that is not greater than the number, and whether the two are equal.
 */
final class NumberComparand {
    private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final int UNSIGNED_BITS = 64;

    private final boolean whole;
    private final long floor;
    /** 0 if {@link #floor} is a signed long; otherwise the outcome for every signed long. */
    private final int signedOutcome;
    /** 0 if {@link #floor} is an unsigned long above {@link Long#MAX_VALUE}; otherwise the outcome for all of those. */
    private final int unsignedOutcome;

    private final double floorDouble;
    private final boolean floorDoubleEqual;

    /**
     * Prepares a literal.
     *
     * @param singlePrecision whether floating-point values come from floats, so that the nearest float counts
     */
    NumberComparand(Literal.Numeric literal, boolean singlePrecision) {
        BigDecimal value = literal.value();
        BigInteger floorExact = value.setScale(0, RoundingMode.FLOOR).toBigInteger();
        whole = value.compareTo(new BigDecimal(floorExact)) == 0;
        floor = floorExact.longValue();
        boolean signed = floorExact.bitLength() < UNSIGNED_BITS;
        boolean unsigned = floorExact.signum() > 0 && floorExact.bitLength() == UNSIGNED_BITS;
        signedOutcome = signed ? Outcome.NONE : floorExact.compareTo(LONG_MIN) < 0 ? Outcome.GREATER : Outcome.LESS;
        unsignedOutcome = unsigned ? Outcome.NONE : signed || floorExact.signum() < 0 ? Outcome.GREATER : Outcome.LESS;

        double nearest = singlePrecision && !literal.integral() ? value.floatValue() : value.doubleValue();
        if (Double.isInfinite(nearest)) {
            // a finite number beyond all doubles: no double equals it
            floorDouble = nearest > 0 ? Double.MAX_VALUE : Double.NEGATIVE_INFINITY;
            floorDoubleEqual = false;
        } else {
            int difference = literal.integral() ? new BigDecimal(nearest).compareTo(value) : 0;
            floorDouble = difference > 0 ? Math.nextDown(nearest) : nearest;
            floorDoubleEqual = difference == 0;
        }
    }

    /** The {@link Outcome} of the value against the number. */
    int compare(FieldValue value) {
        return switch (value.kind()) {
            case INTEGER -> compareSigned(value.longValue());
            case UNSIGNED -> compareUnsigned(value.longValue());
            case DOUBLE -> compareDouble(value.doubleValue());
            default -> Outcome.NONE;
        };
    }

    /** Whether a signed long can equal the number; if so, {@link #longValue()} does. */
    boolean isSigned() {
        return whole && signedOutcome == Outcome.NONE;
    }

    /** Whether an unsigned long above {@link Long#MAX_VALUE} can; if so, {@link #longValue()} does. */
    boolean isUnsigned() {
        return whole && unsignedOutcome == Outcome.NONE;
    }

    long longValue() {
        return floor;
    }

    /** Whether a floating-point value can; if so, {@link #doubleValue()} does. */
    boolean isDouble() {
        return floorDoubleEqual;
    }

    /** Never -0.0. */
    double doubleValue() {
        return floorDouble + 0.0;
    }

    private int compareSigned(long value) {
        if (signedOutcome != Outcome.NONE) {
            return signedOutcome;
        }
        return value == floor ? atFloor(whole) : Outcome.of(Long.compare(value, floor));
    }

    private int compareUnsigned(long bits) {
        if (unsignedOutcome != Outcome.NONE) {
            return unsignedOutcome;
        }
        return bits == floor ? atFloor(whole) : Outcome.of(Long.compareUnsigned(bits, floor));
    }

    private int compareDouble(double value) {
        if (value < floorDouble) {
            return Outcome.LESS;
        }
        if (value == floorDouble) {
            return atFloor(floorDoubleEqual);
        }
        return value > floorDouble ? Outcome.GREATER : Outcome.UNORDERED;
    }

    private static int atFloor(boolean equal) {
        return equal ? Outcome.EQUAL : Outcome.LESS;
    }
}
