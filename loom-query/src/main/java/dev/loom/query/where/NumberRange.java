package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;

/** The numbers that a field of some type can hold: integers within bounds, or any floating-point number. */
record NumberRange(Field.Type type, BigInteger min, BigInteger max) {
    /** The range of a numeric type. */
    static NumberRange of(Field.Type type) {
        int bits = type.fixedLength() * Byte.SIZE;
        return type.isUnsigned()
                ? new NumberRange(
                        type, BigInteger.ZERO, BigInteger.TWO.pow(bits).subtract(BigInteger.ONE))
                : new NumberRange(
                        type,
                        BigInteger.TWO.pow(bits - 1).negate(),
                        BigInteger.TWO.pow(bits - 1).subtract(BigInteger.ONE));
    }

    /**
     * Whether the comparison can hold for any number of the type; for an integer {@code !=}, whether any number can be
     * equal, as otherwise the comparison would exclude nothing. Infinity is less or greater than any number.
     */
    boolean canHold(Operator operator, Literal.Numeric literal) {
        if (!type.isInteger()) {
            return operator != Operator.EQUAL || isFloatingPoint(literal);
        }
        BigDecimal value = literal.value();
        int toMin = new BigDecimal(min).compareTo(value);
        int toMax = new BigDecimal(max).compareTo(value);
        return switch (operator) {
            case EQUAL, NOT_EQUAL ->
                toMin <= 0 && toMax >= 0 && value.stripTrailingZeros().scale() <= 0;
            case LESS -> toMin < 0;
            case LESS_OR_EQUAL -> toMin <= 0;
            case GREATER -> toMax > 0;
            case GREATER_OR_EQUAL -> toMax >= 0;
        };
    }

    private boolean isFloatingPoint(Literal.Numeric literal) {
        boolean single = type == Field.Type.F32;
        NumberComparand comparand = new NumberComparand(literal, single);
        return comparand.isDouble() && (!single || (float) comparand.doubleValue() == comparand.doubleValue());
    }

    @Override
    public String toString() {
        return type.isInteger() ? "integers from " + min + " to " + max : "floating-point numbers";
    }
}
