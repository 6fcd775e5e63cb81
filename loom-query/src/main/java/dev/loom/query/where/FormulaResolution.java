package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes a comparison between formulas simpler without changing what it is true of: what has no field is calculated once, and
 * where one integer field remains it is compared with a number, which indexes know about.
 */
final class FormulaResolution {
    private final PayloadFormat format;

    FormulaResolution(PayloadFormat format) {
        this.format = format;
    }

    Where resolve(Where.Relation written) {
        Where.Relation relation = new FormulaUnits(format).resolve(written);
        Formula left = folded(relation.left());
        Formula right = folded(relation.right());
        if (left instanceof Formula.Field field && right instanceof Formula.Constant number) {
            return new Where.Comparison(field.name(), relation.operator(), number.literal());
        }
        if (left instanceof Formula.Constant number && right instanceof Formula.Field field) {
            return new Where.Comparison(field.name(), relation.operator().reversed(), number.literal());
        }
        Where.@Nullable Comparison comparison = solved(left, relation.operator(), right);
        return comparison != null ? comparison : new Where.Relation(left, relation.operator(), right);
    }

    /** The formula with each part that has no field calculated, unless its decimals never end. */
    private static Formula folded(Formula formula) {
        if (!(formula instanceof Formula.Operation operation)) {
            return formula;
        }
        Formula left = folded(operation.left());
        Formula right = folded(operation.right());
        Formula.Operation simpler = new Formula.Operation(left, operation.operator(), right);
        // parts whose decimals never end may make a whole whose decimals do
        @Nullable Linear all = linear(simpler);
        @Nullable BigDecimal value = all == null || all.field != null ? null : all.constant.decimal();
        return value == null ? simpler : new Formula.Constant(literal(value));
    }

    private static Literal.Numeric literal(BigDecimal value) {
        return new Literal.Numeric(value, value.scale() == 0);
    }

    /** The comparison of a single integer field that is true of the same numbers; null if there is none. */
    private Where.@Nullable Comparison solved(Formula left, Operator operator, Formula right) {
        @Nullable Linear all = linear(new Formula.Operation(left, Formula.Operator.MINUS, right));
        if (all == null || all.field == null || all.factor.numerator().signum() == 0) {
            return null;
        }
        Field.@Nullable Type type = format.declaredType(all.field);
        if (type == null || !type.isInteger()) {
            return null;
        }
        Operator solved = all.factor.numerator().signum() < 0 ? operator.reversed() : operator;
        Fraction bound = all.constant.negated().dividedBy(all.factor);
        BigInteger floor = bound.floor();
        if (!bound.isInteger()) {
            switch (solved) {
                // no integer is between the bound and its floor
                case GREATER, LESS_OR_EQUAL -> bound = Fraction.of(floor);
                case LESS, GREATER_OR_EQUAL -> bound = Fraction.of(floor.add(BigInteger.ONE));
                case EQUAL, NOT_EQUAL -> {
                    return null;
                }
            }
        }
        Literal.Numeric number = literal(new BigDecimal(bound.numerator()));
        // a comparison that is the same for all numbers is an error only where somebody wrote it
        return NumberRange.of(type).canHold(solved, number) ? new Where.Comparison(all.field, solved, number) : null;
    }

    /** A formula as a multiple of one field and a constant; null if it is none. */
    private static @Nullable Linear linear(Formula formula) {
        if (formula instanceof Formula.Field field) {
            return new Linear(field.name(), Linear.ONE, Linear.ZERO);
        }
        if (formula instanceof Formula.Constant number) {
            return new Linear(null, Linear.ZERO, Fraction.of(number.literal().value()));
        }
        Formula.Operation operation = (Formula.Operation) formula;
        @Nullable Linear left = linear(operation.left());
        @Nullable Linear right = linear(operation.right());
        if (left == null || right == null) {
            return null;
        }
        return switch (operation.operator()) {
            case PLUS -> left.plus(right);
            case MINUS -> left.plus(right.times(Linear.ONE.negated()));
            case TIMES ->
                right.field == null
                        ? left.times(right.constant)
                        : left.field == null ? right.times(left.constant) : null;
            case DIVIDED_BY ->
                right.field == null && right.constant.numerator().signum() != 0
                        ? left.times(Linear.ONE.dividedBy(right.constant))
                        : null;
        };
    }

    /**
     * The factor times the field, plus the constant.
     *
     * @param field null if there is none, even if it is multiplied by 0
     */
    private record Linear(@Nullable String field, Fraction factor, Fraction constant) {
        static final Fraction ZERO = Fraction.of(BigInteger.ZERO);
        static final Fraction ONE = Fraction.of(BigInteger.ONE);

        @Nullable
        Linear plus(Linear other) {
            if (field != null && other.field != null && !field.equals(other.field)) {
                return null;
            }
            return new Linear(
                    field != null ? field : other.field, factor.plus(other.factor), constant.plus(other.constant));
        }

        Linear times(Fraction number) {
            return new Linear(field, factor.times(number), constant.times(number));
        }
    }
}
