package dev.loom.query.model;

import dev.loom.api.ValueType;
import java.math.BigDecimal;

/**
 * A value of an index, as found. {@link #toString()} gives an integer in full, or a double in its shortest form.
 *
 * @param type the type of the value
 * @param key its key, see {@link ValueType}
 * @param remainder how much greater the value is than the double with this key, for an integer that is no exact double in a
 *     field of no declared type; otherwise 0
 */
public record Value(ValueType type, long key, int remainder) {
    /** A value that its key gives in full. */
    public Value(ValueType type, long key) {
        this(type, key, 0);
    }

    /** The value; a double rounded toward zero. An integer above {@link Long#MAX_VALUE} is given as its 64 bits. */
    public long longValue() {
        if (remainder != 0) {
            return toBigDecimal().toBigIntegerExact().longValue();
        }
        return type == ValueType.F64 ? (long) ValueType.doubleOf(key) : type.bits(key);
    }

    /** The value as the nearest double. */
    public double doubleValue() {
        return type == ValueType.F64 && remainder == 0
                ? ValueType.doubleOf(key)
                : type == ValueType.I64 ? key : toBigDecimal().doubleValue();
    }

    /**
     * The value in full.
     *
     * @throws ArithmeticException if it is infinite
     */
    public BigDecimal toBigDecimal() {
        if (type != ValueType.F64) {
            return new BigDecimal(toString());
        }
        double value = ValueType.doubleOf(key);
        if (Double.isInfinite(value)) {
            throw new ArithmeticException("value is not finite: value=" + value);
        }
        return new BigDecimal(value).add(BigDecimal.valueOf(remainder));
    }

    @Override
    public String toString() {
        return remainder == 0 ? type.format(key) : toBigDecimal().toPlainString();
    }
}
