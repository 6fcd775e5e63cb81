package dev.loom.query.plan;

import dev.loom.api.ValueType;
import dev.loom.format.Field;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a field's values have in an index if they compare with a literal in a certain way.
 *
 * <p>A literal has an exact value, but a literal with a fraction stands for the nearest double, or float, when compared with
 * values of that type; and an index of doubles rounds integers. Where these differ, the range is wide enough for the keys of
 * all of them, and nothing is certain.
 *
 * @param possible holds all keys of values that meet the comparison
 * @param certain every value with a key in it meets the comparison
 */
public record LiteralKeys(KeyRange possible, KeyRange certain) {
    /** Every integer up to this is exact as a double. */
    private static final BigDecimal EXACT_MAX = BigDecimal.valueOf(1L << 53);

    /** A field compared with a boolean by {@code =} or {@code !=}, or with a number by any operator but {@code !=}. */
    public static LiteralKeys of(Literal literal, Operator operator, Field.@Nullable Type fieldType, ValueType type) {
        return literal instanceof Literal.Bool bool
                ? of(bool.value() == (operator == Operator.EQUAL), fieldType, type)
                : of((Literal.Numeric) literal, operator, fieldType, type);
    }

    /** A field equal to a boolean. */
    public static LiteralKeys of(boolean value, Field.@Nullable Type fieldType, ValueType type) {
        long number = value ? 1 : 0;
        KeyRange keys = KeyRange.of(ValueRange.atLeast(number).to(ValueRange.atMost(number)), type);
        return new LiteralKeys(keys, fieldType == Field.Type.BOOL ? keys : KeyRange.NONE);
    }

    /** A field compared with a number by any operator but {@link Operator#NOT_EQUAL}. */
    public static LiteralKeys of(
            Literal.Numeric literal, Operator operator, Field.@Nullable Type fieldType, ValueType type) {
        BigDecimal exact = literal.value();
        BigDecimal nearest = nearest(literal, fieldType);
        boolean floating = fieldType == Field.Type.F64 || fieldType == Field.Type.F32;
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
            case GREATER -> KeyRange.of(ValueRange.above(low), type);
            case LESS -> KeyRange.of(ValueRange.below(low), type);
            default -> keys(operator, low, low, type);
        };
        // an undeclared field may hold a boolean, which has a key but never compares with a number
        boolean number = fieldType != null && fieldType.isNumber();
        return new LiteralKeys(keys, number ? keys : KeyRange.NONE);
    }

    private static BigDecimal nearest(Literal.Numeric literal, Field.@Nullable Type fieldType) {
        if (literal.integral()) {
            return literal.value();
        }
        double value = fieldType == Field.Type.F32
                ? literal.value().floatValue()
                : literal.value().doubleValue();
        return Double.isInfinite(value) ? literal.value() : new BigDecimal(value);
    }

    private static KeyRange keys(Operator operator, BigDecimal low, BigDecimal high, ValueType type) {
        KeyRange fromLow = KeyRange.of(ValueRange.atLeast(low), type);
        KeyRange toHigh = KeyRange.of(ValueRange.atMost(high), type);
        return choose(operator, fromLow, toHigh);
    }

    /** The keys in an index that rounds. Rounding is monotonic, so the rounded bounds include every match. */
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
