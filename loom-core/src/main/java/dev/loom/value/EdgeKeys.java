package dev.loom.value;

import dev.loom.api.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Converts the numbers in a description of bins to keys. */
final class EdgeKeys {
    private static final BigInteger UNSIGNED_MAX =
            BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private EdgeKeys() {}

    /** The key of the double nearest to a number, or of the number rounded up to an integer. */
    static long edge(BigDecimal number, ValueType type) {
        if (type == ValueType.F64) {
            return doubleKey(number);
        }
        return integerKey(number.setScale(0, RoundingMode.CEILING).toBigInteger(), number, type);
    }

    /** The key of the double nearest to a number, or of the number itself, which must be an integer. */
    static long match(BigDecimal number, ValueType type) {
        if (type == ValueType.F64) {
            return doubleKey(number);
        }
        if (number.signum() != 0 && number.stripTrailingZeros().scale() > 0) {
            throw outOfRange(number, type);
        }
        return integerKey(number.toBigInteger(), number, type);
    }

    private static long doubleKey(BigDecimal number) {
        double value = number.doubleValue();
        if (Double.isInfinite(value)) {
            throw outOfRange(number, ValueType.F64);
        }
        return ValueType.doubleKey(value);
    }

    private static long integerKey(BigInteger value, BigDecimal number, ValueType type) {
        boolean fits = type == ValueType.I64
                ? value.bitLength() < Long.SIZE
                : value.signum() >= 0 && value.compareTo(UNSIGNED_MAX) <= 0;
        if (!fits) {
            throw outOfRange(number, type);
        }
        return type.key(value.longValue());
    }

    private static IllegalArgumentException outOfRange(BigDecimal number, ValueType type) {
        return new IllegalArgumentException(
                "edge is not a value of the index: edge=" + number + ", type=" + type.text());
    }

    static void checkAscending(long before, long key, ValueType type) {
        if (key <= before) {
            throw new IllegalArgumentException("bins are narrower than the precision of the values: edge="
                    + type.format(key) + ", before=" + type.format(before));
        }
    }
}
