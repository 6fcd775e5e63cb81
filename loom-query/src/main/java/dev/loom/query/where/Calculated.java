package dev.loom.query.where;

import dev.loom.format.FieldValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The result of a calculation over one record; the next record overwrites it. It is exact as long as no floating-point number
 * takes part: a fraction of 128 by 64 bits with their signs in place, without allocating, or else one of any size.
 *
 * <p>An operation writes into its result, which must not be an operand. For one thread.
 */
final class Calculated {
    private static final int MISSING = 0;
    private static final int EXACT = 1;
    private static final int LARGE = 2;
    private static final int FLOATING = 3;

    /** More bits than a double has, and one for what follows them. */
    private static final int ROUNDED_BITS_MIN = 55;

    private static final double TWO_TO_63 = 0x1p63;
    private static final double TWO_TO_64 = 0x1p64;
    /** What fits without any thought about the ends. */
    private static final int NUMERATOR_BITS_MAX = 126;

    private static final int DENOMINATOR_BITS_MAX = 62;

    private int kind = MISSING;
    /** The numerator's upper half, with its sign. */
    private long high;

    private long low;
    /** Positive. */
    private long denominator;

    private double floating;
    private @Nullable Fraction large;

    // what multiply() returns
    private long productHigh;
    private long productLow;

    void setMissing() {
        kind = MISSING;
    }

    void set(FieldValue value) {
        switch (value.kind()) {
            case INTEGER -> setExact(value.longValue() >> 63, value.longValue(), 1);
            case UNSIGNED -> setExact(0, value.longValue(), 1);
            case DOUBLE -> setFloating(value.doubleValue());
            default -> kind = MISSING;
        }
    }

    void set(Fraction value) {
        BigInteger numerator = value.numerator();
        if (numerator.signum() == 0) {
            setExact(0, 0, 1);
        } else if (numerator.bitLength() <= NUMERATOR_BITS_MAX
                && value.denominator().bitLength() <= DENOMINATOR_BITS_MAX) {
            setExact(
                    numerator.shiftRight(Long.SIZE).longValue(),
                    numerator.longValue(),
                    value.denominator().longValue());
        } else {
            kind = LARGE;
            large = value;
        }
    }

    void setSum(Calculated a, Calculated b) {
        if (!isFloating(a, b)) {
            if (a.kind != EXACT || b.kind != EXACT || !addExact(a, b.high, b.low, b.denominator)) {
                set(a.fraction().plus(b.fraction()));
            }
        } else if (kind == FLOATING) {
            setFloating(a.nearest() + b.nearest());
        }
    }

    void setDifference(Calculated a, Calculated b) {
        if (!isFloating(a, b)) {
            boolean negates = b.high != Long.MIN_VALUE;
            if (a.kind != EXACT
                    || b.kind != EXACT
                    || !negates
                    || !addExact(a, negatedHigh(b.high, b.low), -b.low, b.denominator)) {
                set(a.fraction().plus(b.fraction().negated()));
            }
        } else if (kind == FLOATING) {
            setFloating(a.nearest() - b.nearest());
        }
    }

    void setProduct(Calculated a, Calculated b) {
        if (!isFloating(a, b)) {
            if (a.kind != EXACT
                    || b.kind != EXACT
                    || !multiply(a.high, a.low, b.high, b.low)
                    || !setQuotient(productHigh, productLow, a.denominator, b.denominator)) {
                set(a.fraction().times(b.fraction()));
            }
        } else if (kind == FLOATING) {
            setFloating(a.nearest() * b.nearest());
        }
    }

    /** Missing if the divisor is 0. */
    void setQuotient(Calculated a, Calculated b) {
        if (b.isZero()) {
            kind = MISSING;
        } else if (!isFloating(a, b)) {
            if (a.kind != EXACT || b.kind != EXACT || !divideExact(a, b)) {
                set(a.fraction().dividedBy(b.fraction()));
            }
        } else if (kind == FLOATING) {
            setFloating(a.nearest() / b.nearest());
        }
    }

    /** The {@link Outcome} of this number against another one. */
    int compare(Calculated other) {
        if (kind == MISSING || other.kind == MISSING) {
            return Outcome.NONE;
        }
        if (kind == FLOATING) {
            return other.kind == FLOATING
                    ? compare(floating, other.floating)
                    : Outcome.reversed(other.compare(floating));
        }
        return other.kind == FLOATING ? compare(other.floating) : compareExact(other);
    }

    private int compareExact(Calculated other) {
        if (kind == EXACT && other.kind == EXACT) {
            if (denominator == other.denominator) {
                return compare(high, low, other.high, other.low);
            }
            if (multiply(high, low, 0, other.denominator)) {
                long leftHigh = productHigh;
                long leftLow = productLow;
                if (multiply(other.high, other.low, 0, denominator)) {
                    return compare(leftHigh, leftLow, productHigh, productLow);
                }
            }
        }
        return Outcome.of(fraction().compareTo(other.fraction()));
    }

    /** An integer compares exactly with a floating-point number, a fraction by the double that is nearest to it. */
    private int compare(double other) {
        if (Double.isNaN(other)) {
            return Outcome.UNORDERED;
        }
        if (Double.isInfinite(other)) {
            return other > 0 ? Outcome.LESS : Outcome.GREATER;
        }
        if (kind == EXACT && denominator == 1) {
            if (high == low >> 63) {
                return compare(low, other);
            } else if (high == 0) {
                return compareUnsigned(low, other);
            }
        }
        if (kind == EXACT && high == low >> 63) {
            return compare(nearest(), other); // a denominator that divides was divided by
        }
        Fraction exact = fraction();
        return exact.isInteger()
                ? Outcome.of(exact.compareTo(Fraction.of(new BigDecimal(other))))
                : compare(nearest(), other);
    }

    private static int compare(double a, double b) {
        if (a == b) {
            return Outcome.EQUAL;
        }
        return a < b ? Outcome.LESS : a > b ? Outcome.GREATER : Outcome.UNORDERED;
    }

    private static int compare(long integer, double other) {
        if (other >= TWO_TO_63) {
            return Outcome.LESS;
        } else if (other < -TWO_TO_63) {
            return Outcome.GREATER;
        }
        long whole = (long) other;
        return integer == whole ? compare(0.0, other - whole) : Outcome.of(Long.compare(integer, whole));
    }

    /** An integer with its highest bit set. */
    private static int compareUnsigned(long integer, double other) {
        if (other >= TWO_TO_64) {
            return Outcome.LESS;
        } else if (other < TWO_TO_63) {
            return Outcome.GREATER;
        }
        return Outcome.of(Long.compareUnsigned(integer, ((long) (other - TWO_TO_63)) ^ Long.MIN_VALUE));
    }

    private static int compare(long highA, long lowA, long highB, long lowB) {
        return Outcome.of(highA == highB ? Long.compareUnsigned(lowA, lowB) : Long.compare(highA, highB));
    }

    private boolean isZero() {
        return switch (kind) {
            case EXACT -> (high | low) == 0;
            case FLOATING -> floating == 0;
            default -> false;
        };
    }

    /** Whether the result is missing or floating because an operand is; this then has that kind. */
    private boolean isFloating(Calculated a, Calculated b) {
        if (a.kind == MISSING || b.kind == MISSING) {
            kind = MISSING;
            return true;
        }
        if (a.kind == FLOATING || b.kind == FLOATING) {
            kind = FLOATING;
            return true;
        }
        return false;
    }

    /** The nearest double. */
    private double nearest() {
        if (kind == FLOATING) {
            return floating;
        }
        if (kind == EXACT && high == low >> 63 && low != Long.MIN_VALUE) {
            double magnitude = denominator == 1 ? Math.abs(low) : nearestQuotient(Math.abs(low), denominator);
            return low < 0 ? -magnitude : magnitude;
        } else if (kind == EXACT && high == 0) {
            return nearestQuotient(low, denominator);
        }
        return fraction().nearestDouble();
    }

    /** The double nearest to an unsigned number divided by a positive one. */
    private static double nearestQuotient(long dividend, long divisor) {
        long quotient = Long.divideUnsigned(dividend, divisor);
        long remainder = Long.remainderUnsigned(dividend, divisor);
        int exponent = 0;
        while (remainder != 0 && quotient >>> ROUNDED_BITS_MIN == 0) {
            remainder <<= 1;
            quotient <<= 1;
            if (Long.compareUnsigned(remainder, divisor) >= 0) {
                remainder -= divisor;
                quotient++;
            }
            exponent--;
        }
        // the last bit says whether anything follows, which decides where it would be half way
        long digits = quotient | (remainder != 0 ? 1 : 0);
        double rounded = digits < 0 ? (double) ((digits >>> 1) | (digits & 1)) * 2 : digits;
        return Math.scalb(rounded, exponent);
    }

    private Fraction fraction() {
        Fraction value = large;
        if (kind == LARGE && value != null) {
            return value;
        }
        BigInteger numerator = BigInteger.valueOf(high)
                .shiftLeft(Long.SIZE)
                .add(BigInteger.valueOf(low >>> 1).shiftLeft(1))
                .add(BigInteger.valueOf(low & 1));
        return new Fraction(numerator, BigInteger.valueOf(denominator));
    }

    private boolean addExact(Calculated a, long bHigh, long bLow, long bDenominator) {
        if (a.denominator == bDenominator) {
            return setSum(a.high, a.low, bHigh, bLow) && setQuotient(high, low, bDenominator, 1);
        }
        if (!multiply(a.high, a.low, 0, bDenominator)) {
            return false;
        }
        long leftHigh = productHigh;
        long leftLow = productLow;
        return multiply(bHigh, bLow, 0, a.denominator)
                && setSum(leftHigh, leftLow, productHigh, productLow)
                && setQuotient(high, low, a.denominator, bDenominator);
    }

    private boolean setSum(long aHigh, long aLow, long bHigh, long bLow) {
        low = aLow + bLow;
        long carry = Long.compareUnsigned(low, aLow) < 0 ? 1 : 0;
        high = aHigh + bHigh + carry;
        return ((aHigh ^ high) & (bHigh ^ high)) >= 0;
    }

    private boolean divideExact(Calculated a, Calculated b) {
        boolean fits = b.high == b.low >> 63 && b.low != Long.MIN_VALUE;
        if (!fits || !multiply(a.high, a.low, 0, b.denominator)) {
            return false;
        }
        if (b.low > 0) {
            return setQuotient(productHigh, productLow, a.denominator, b.low);
        }
        return productHigh != Long.MIN_VALUE
                && setQuotient(negatedHigh(productHigh, productLow), -productLow, a.denominator, -b.low);
    }

    /** Sets a numerator over two factors of its denominator; false if their product is too large. */
    private boolean setQuotient(long numeratorHigh, long numeratorLow, long factorA, long factorB) {
        if (Math.multiplyHigh(factorA, factorB) != 0 || factorA * factorB < 0) {
            return false;
        }
        long product = factorA * factorB;
        boolean negative = numeratorHigh < 0;
        long magnitudeHigh = negative ? negatedHigh(numeratorHigh, numeratorLow) : numeratorHigh;
        long magnitude = negative ? -numeratorLow : numeratorLow;
        if (product != 1 && magnitudeHigh == 0 && Long.remainderUnsigned(magnitude, product) == 0) {
            long whole = Long.divideUnsigned(magnitude, product);
            setExact(negative ? negatedHigh(0, whole) : 0, negative ? -whole : whole, 1);
        } else {
            setExact(numeratorHigh, numeratorLow, product);
        }
        return true;
    }

    /** Multiplies two numerators into {@link #productHigh} and {@link #productLow}; false if the product is too large. */
    private boolean multiply(long aHigh, long aLow, long bHigh, long bLow) {
        if (aHigh == aLow >> 63 && bHigh == bLow >> 63) {
            productHigh = Math.multiplyHigh(aLow, bLow);
            productLow = aLow * bLow;
            return true;
        }
        if (aHigh == Long.MIN_VALUE || bHigh == Long.MIN_VALUE) {
            return false;
        }
        boolean negative = aHigh < 0 != bHigh < 0;
        long leftHigh = aHigh < 0 ? negatedHigh(aHigh, aLow) : aHigh;
        long left = aHigh < 0 ? -aLow : aLow;
        long rightHigh = bHigh < 0 ? negatedHigh(bHigh, bLow) : bHigh;
        long right = bHigh < 0 ? -bLow : bLow;
        if (leftHigh != 0 && rightHigh != 0) {
            return false;
        }
        // at most one of the two upper halves is not 0
        long cross = leftHigh != 0 ? leftHigh : rightHigh;
        long factor = leftHigh != 0 ? right : left;
        long upper = unsignedHigh(left, right);
        long crossed = cross * factor;
        long sum = upper + crossed;
        if (unsignedHigh(cross, factor) != 0 || crossed < 0 || upper < 0 || sum < 0) {
            return false;
        }
        productHigh = sum;
        productLow = left * right;
        if (negative) {
            productHigh = negatedHigh(productHigh, productLow);
            productLow = -productLow;
        }
        return true;
    }

    private static long unsignedHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }

    private static long negatedHigh(long high, long low) {
        return low == 0 ? -high : ~high;
    }

    private void setExact(long newHigh, long newLow, long newDenominator) {
        kind = EXACT;
        high = newHigh;
        low = newLow;
        denominator = newDenominator;
    }

    private void setFloating(double value) {
        kind = FLOATING;
        floating = value;
    }
}
