package dev.loom.query;

import dev.loom.api.ValueType;
import dev.loom.format.FieldType;
import dev.loom.query.where.Literal;
import dev.loom.query.where.Operator;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The keys that values of a field have in an index when they compare with a literal in a certain way.
 *
 * <p>A literal has an exact value, but one written with a fraction stands for the nearest double, or float, to values of that
 * kind; and an index of doubles rounds integers. Where these differ the range is taken so wide that it has the keys of all of
 * them, and nothing is certain.
 *
 * @param possible all keys of values that meet the comparison are in it
 * @param certain all values with a key in it meet the comparison
 */
record LiteralKeys(KeyRange possible, KeyRange certain) {
    /** Integers up to this are doubles. */
    private static final BigDecimal EXACT_MAX = BigDecimal.valueOf(1L << 53);

    /** Of a field compared with a boolean by equality or its opposite, or with a number by any operator but the latter. */
    static LiteralKeys of(Literal literal, Operator operator, @Nullable FieldType fieldType, ValueType type) {
        return literal instanceof Literal.Bool bool
                ? of(bool.value() == (operator == Operator.EQUAL), fieldType, type)
                : of((Literal.Numeric) literal, operator, fieldType, type);
    }

    /** Of a field equal to a boolean. */
    static LiteralKeys of(boolean value, @Nullable FieldType fieldType, ValueType type) {
        long number = value ? 1 : 0;
        KeyRange keys = ValueRange.atLeast(number).to(ValueRange.atMost(number)).keys(type);
        return new LiteralKeys(keys, fieldType == FieldType.BOOL ? keys : KeyRange.NONE);
    }

    /** Of a field compared with a number, by any operator but {@link Operator#NOT_EQUAL}. */
    static LiteralKeys of(Literal.Numeric literal, Operator operator, @Nullable FieldType fieldType, ValueType type) {
        BigDecimal exact = literal.value();
        BigDecimal nearest = nearest(literal, fieldType);
        boolean floating = fieldType == FieldType.F64 || fieldType == FieldType.F32;
        BigDecimal low = floating ? nearest : exact.min(nearest);
        BigDecimal high = floating ? nearest : exact.max(nearest);
        boolean one = low.compareTo(high) == 0;
        if (type == ValueType.F64 && !floating && !(one && high.abs().compareTo(EXACT_MAX) < 0)) {
            return new LiteralKeys(roundedKeys(operator, low, high), KeyRange.NONE);
        }
        if (!one) {
            return new LiteralKeys(keys(operator, low, high, type), KeyRange.NONE);
        }
        KeyRange keys = switch (operator) {
            case GREATER -> ValueRange.above(low).keys(type);
            case LESS -> ValueRange.below(low).keys(type);
            default -> keys(operator, low, low, type);
        };
        // an undeclared field may hold a boolean, which has a key but compares with no number
        boolean number = fieldType != null && fieldType.isNumber();
        return new LiteralKeys(keys, number ? keys : KeyRange.NONE);
    }

    private static BigDecimal nearest(Literal.Numeric literal, @Nullable FieldType fieldType) {
        if (literal.integral()) {
            return literal.value();
        }
        double value = fieldType == FieldType.F32
                ? literal.value().floatValue()
                : literal.value().doubleValue();
        return Double.isInfinite(value) ? literal.value() : new BigDecimal(value);
    }

    private static KeyRange keys(Operator operator, BigDecimal low, BigDecimal high, ValueType type) {
        KeyRange fromLow = ValueRange.atLeast(low).keys(type);
        KeyRange toHigh = ValueRange.atMost(high).keys(type);
        return choose(operator, fromLow, toHigh);
    }

    /** Of an index that rounds: what is not less than a number is not less when both are rounded. */
    private static KeyRange roundedKeys(Operator operator, BigDecimal low, BigDecimal high) {
        long from = ValueType.doubleKey(low.doubleValue());
        long to = ValueType.doubleKey(high.doubleValue());
        return choose(
                operator, new KeyRange(from, ValueType.F64.highestKey()), new KeyRange(ValueType.F64.lowestKey(), to));
    }

    private static KeyRange choose(Operator operator, KeyRange fromLow, KeyRange toHigh) {
        return switch (operator) {
            case GREATER, GREATER_OR_EQUAL -> fromLow;
            case LESS, LESS_OR_EQUAL -> toHigh;
            case EQUAL, NOT_EQUAL -> fromLow.and(toHigh);
        };
    }
}
