package dev.loom.query.where;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * An exact number of any size: a fraction, not in its lowest terms. To find these takes a hundred times as long as a multiplication, and
 * numbers don't become long without it: a result has at most the bits of its operands together, and one.
 *
 * @param denominator positive
 */
record Fraction(BigInteger numerator, BigInteger denominator) implements Comparable<Fraction> {
    /** More bits than a double has, even before a digit that only says whether anything follows. */
    private static final int ROUNDED_BITS = 66;

    /** To what is a quarter of the least double, so that nothing is rounded twice. */
    private static final int SHIFT_MAX = 1076;

    private static final BigInteger FIVE = BigInteger.valueOf(5);
    private static final double BITS_OF_FIVE = Math.log(5) / Math.log(2);

    Fraction {
        if (denominator.signum() < 0) {
            numerator = numerator.negate();
            denominator = denominator.negate();
        }
    }

    static Fraction of(BigInteger integer) {
        return new Fraction(integer, BigInteger.ONE);
    }

    static Fraction of(BigDecimal decimal) {
        return decimal.scale() <= 0
                ? of(decimal.toBigIntegerExact())
                : new Fraction(decimal.unscaledValue(), BigInteger.TEN.pow(decimal.scale()));
    }

    boolean isInteger() {
        return denominator.equals(BigInteger.ONE)
                || numerator.remainder(denominator).signum() == 0;
    }

    Fraction plus(Fraction other) {
        return new Fraction(
                numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
                denominator.multiply(other.denominator));
    }

    Fraction negated() {
        return new Fraction(numerator.negate(), denominator);
    }

    Fraction times(Fraction other) {
        return new Fraction(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
    }

    /** The other must not be 0. */
    Fraction dividedBy(Fraction other) {
        return new Fraction(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
    }

    /** The greatest integer that is not greater. */
    BigInteger floor() {
        BigInteger[] parts = numerator.divideAndRemainder(denominator);
        return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
    }

    /** The number written with finitely many digits; null if it can't be. */
    @Nullable
    BigDecimal decimal() {
        BigInteger common = numerator.gcd(denominator);
        BigInteger below = denominator.divide(common);
        int twos = below.getLowestSetBit();
        BigInteger rest = below.shiftRight(twos);
        // the only power of five of this length
        int fives = (int) Math.ceil((rest.bitLength() - 1) / BITS_OF_FIVE);
        if (!rest.equals(FIVE.pow(fives))) {
            return null;
        }
        int scale = Math.max(twos, fives);
        BigInteger unscaled = numerator
                .divide(common)
                .multiply(BigInteger.TWO.pow(scale - twos))
                .multiply(FIVE.pow(scale - fives));
        return new BigDecimal(unscaled, scale);
    }

    /** The nearest double, of two as near the even one; infinite if it is beyond them. */
    double nearestDouble() {
        if (denominator.equals(BigInteger.ONE)) {
            return numerator.doubleValue();
        }
        int shift = Math.min(ROUNDED_BITS - (numerator.bitLength() - denominator.bitLength()), SHIFT_MAX);
        BigInteger dividend = numerator.abs().shiftLeft(Math.max(shift, 0));
        BigInteger[] parts = dividend.divideAndRemainder(denominator.shiftLeft(Math.max(-shift, 0)));
        // the last bit says that the number is not exactly the digits before it, which decides where it would be half
        // way
        BigInteger digits = parts[1].signum() == 0 ? parts[0] : parts[0].setBit(0);
        double nearest = Math.scalb(digits.doubleValue(), -shift);
        return numerator.signum() < 0 ? -nearest : nearest;
    }

    @Override
    public int compareTo(Fraction other) {
        return numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
    }
}
