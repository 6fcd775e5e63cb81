package dev.loom.query.where;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * An exact number of any size: a fraction in its lowest terms.
 *
 * @param denominator positive
 */
record Fraction(BigInteger numerator, BigInteger denominator) implements Comparable<Fraction> {
    /** More bits than a double has, even before a digit that only says whether anything follows. */
    private static final int ROUNDED_BITS = 66;

    Fraction {
        BigInteger common = numerator.gcd(denominator);
        if (denominator.signum() < 0) {
            common = common.negate();
        }
        if (!common.equals(BigInteger.ONE)) {
            numerator = numerator.divide(common);
            denominator = denominator.divide(common);
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
        return denominator.equals(BigInteger.ONE);
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
        int twos = denominator.getLowestSetBit();
        BigInteger rest = denominator.shiftRight(twos);
        BigInteger five = BigInteger.valueOf(5);
        int fives = 0;
        for (BigInteger[] parts = rest.divideAndRemainder(five);
                parts[1].signum() == 0;
                parts = rest.divideAndRemainder(five)) {
            rest = parts[0];
            fives++;
        }
        if (!rest.equals(BigInteger.ONE)) {
            return null;
        }
        int scale = Math.max(twos, fives);
        BigInteger unscaled =
                numerator.multiply(BigInteger.TWO.pow(scale - twos)).multiply(five.pow(scale - fives));
        return new BigDecimal(unscaled, scale);
    }

    /** The nearest double, of two as near the even one; infinite if it is beyond them. */
    double nearestDouble() {
        if (isInteger()) {
            return numerator.doubleValue();
        }
        int shift = ROUNDED_BITS - (numerator.bitLength() - denominator.bitLength());
        BigInteger dividend = numerator.abs().shiftLeft(Math.max(shift, 0));
        BigInteger[] parts = dividend.divideAndRemainder(denominator.shiftLeft(Math.max(-shift, 0)));
        // the last bit says that the number is not exactly the digits before it, which decides where it would be half
        // way
        BigInteger digits = parts[1].signum() == 0 ? parts[0] : parts[0].setBit(0);
        BigDecimal power = new BigDecimal(BigInteger.TWO.pow(Math.abs(shift)));
        BigDecimal rounded = shift < 0 ? new BigDecimal(digits).multiply(power) : new BigDecimal(digits).divide(power);
        double nearest = Double.parseDouble(rounded.toString());
        return numerator.signum() < 0 ? -nearest : nearest;
    }

    @Override
    public int compareTo(Fraction other) {
        return numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
    }
}
