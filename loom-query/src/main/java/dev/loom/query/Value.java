package dev.loom.query;

import dev.loom.api.ValueType;
import java.math.BigDecimal;

/**
 * A value of an index, as it was found. Its string is the value: an integer in full, or a double's shortest form.
 *
 * @param type what the value is
 * @param key its key, see {@link ValueType}
 */
public record Value(ValueType type, long key) {
    /** Of a {@link ValueType#U64} value its 64 bits, else the value, of a double rounded toward zero. */
    public long longValue() {
        return type == ValueType.F64 ? (long) ValueType.doubleOf(key) : type.bits(key);
    }

    /** The value, or the double nearest to it. */
    public double doubleValue() {
        return type == ValueType.F64
                ? ValueType.doubleOf(key)
                : type == ValueType.I64 ? key : toBigDecimal().doubleValue();
    }

    /**
     * The value in full.
     *
     * @throws ArithmeticException for an infinity
     */
    public BigDecimal toBigDecimal() {
        if (type != ValueType.F64) {
            return new BigDecimal(toString());
        }
        double value = ValueType.doubleOf(key);
        if (Double.isInfinite(value)) {
            throw new ArithmeticException("value is not finite: value=" + value);
        }
        return new BigDecimal(value);
    }

    @Override
    public String toString() {
        return type.format(key);
    }
}
