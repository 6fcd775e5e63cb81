package dev.loom.query;

import dev.loom.api.ValueType;
import java.math.BigDecimal;

/**
 * A value of an index, as it was found. Its string is the value: an integer in full, or a double's shortest form.
 *
 * @param type what the value is
 * @param key its key, see {@link ValueType}
 * @param remainder by how much it is greater than the double that has the key: of an integer that is no double, in a field that
 *     declares no type; else 0
 */
public record Value(ValueType type, long key, int remainder) {
    /** One that is all in its key. */
    public Value(ValueType type, long key) {
        this(type, key, 0);
    }

    /** Of an integer beyond {@link Long#MAX_VALUE} its 64 bits, else the value, of a double rounded toward zero. */
    public long longValue() {
        if (remainder != 0) {
            return toBigDecimal().toBigIntegerExact().longValue();
        }
        return type == ValueType.F64 ? (long) ValueType.doubleOf(key) : type.bits(key);
    }

    /** The value, or the double nearest to it. */
    public double doubleValue() {
        return type == ValueType.F64 && remainder == 0
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
        return new BigDecimal(value).add(BigDecimal.valueOf(remainder));
    }

    @Override
    public String toString() {
        return remainder == 0 ? type.format(key) : toBigDecimal().toPlainString();
    }
}
