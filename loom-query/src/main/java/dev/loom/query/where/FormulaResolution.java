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
        Part leftPart = Part.of(relation.left());
        Part rightPart = Part.of(relation.right());
        Formula left = leftPart.simpler();
        Formula right = rightPart.simpler();
        if (left instanceof Formula.Field field && right instanceof Formula.Constant number) {
            return new Where.Comparison(field.name(), relation.operator(), number.literal());
        }
        if (left instanceof Formula.Constant number && right instanceof Formula.Field field) {
            return new Where.Comparison(field.name(), relation.operator().reversed(), number.literal());
        }
        @Nullable Linear all = Linear.of(leftPart.linear, Formula.Operator.MINUS, rightPart.linear);
        Where.@Nullable Comparison comparison = solved(all, relation.operator());
        return comparison != null ? comparison : new Where.Relation(left, relation.operator(), right);
    }

    private static Literal.Numeric literal(BigDecimal value) {
        return new Literal.Numeric(value, value.scale() == 0);
    }

    /**
     * The comparison of a single integer field that is true of the same numbers; null if there is none.
     *
     * @param all what is compared with 0
     */
    private Where.@Nullable Comparison solved(@Nullable Linear all, Operator operator) {
        if (all == null || all.field == null || all.factor.numerator().signum() == 0) {
            return null;
        }
        Field.@Nullable Type type = format.declaredType(all.field);
        if (type == null || !type.isInteger()) {
            return null;
        }
        Operator solved = all.factor.numerator().signum() < 0 ? operator.reversed() : operator;
        Fraction bound = all.constant.negated().dividedBy(all.factor);
        BigInteger integer = bound.floor();
        if (!bound.isInteger()) {
            switch (solved) {
                // no integer is between the bound and its floor
                case GREATER, LESS_OR_EQUAL -> {}
                case LESS, GREATER_OR_EQUAL -> integer = integer.add(BigInteger.ONE);
                case EQUAL, NOT_EQUAL -> {
                    return null;
                }
            }
        }
        Literal.Numeric number = literal(new BigDecimal(integer));
        // a comparison that is the same for all numbers is an error only where somebody wrote it
        return NumberRange.of(type).canHold(solved, number) ? new Where.Comparison(all.field, solved, number) : null;
    }

    /**
     * A part of a formula, calculated once.
     *
     * @param formula as written, without parts that have no field beside others that have one
     * @param linear null if it is not a multiple of one field and a constant
     */
    private record Part(Formula formula, @Nullable Linear linear) {
        static Part of(Formula formula) {
            if (formula instanceof Formula.Field field) {
                return new Part(formula, new Linear(field.name(), Linear.ONE, Linear.ZERO));
            }
            if (formula instanceof Formula.Constant number) {
                Fraction value = Fraction.of(number.literal().value());
                return new Part(formula, new Linear(null, Linear.ZERO, value));
            }
            Formula.Operation operation = (Formula.Operation) formula;
            Part left = of(operation.left());
            Part right = of(operation.right());
            @Nullable Linear both = Linear.of(left.linear, operation.operator(), right.linear);
            // parts whose decimals never end may make a whole whose decimals do
            boolean isConstant = both != null && both.field == null;
            return new Part(
                    isConstant ? formula : new Formula.Operation(left.simpler(), operation.operator(), right.simpler()),
                    both);
        }

        /** The formula as a number if it has no field, unless its decimals never end. */
        Formula simpler() {
            Linear all = linear;
            if (!(formula instanceof Formula.Operation) || all == null || all.field != null) {
                return formula;
            }
            BigDecimal value = all.constant.decimal();
            return value == null ? formula : new Formula.Constant(literal(value));
        }
    }

    /**
     * The factor times the field, plus the constant.
     *
     * @param field null if there is none, even if it is multiplied by 0
     */
    private record Linear(@Nullable String field, Fraction factor, Fraction constant) {
        static final Fraction ZERO = Fraction.of(BigInteger.ZERO);
        static final Fraction ONE = Fraction.of(BigInteger.ONE);

        /** What is calculated from two; null if it is none. */
        static @Nullable Linear of(@Nullable Linear left, Formula.Operator operator, @Nullable Linear right) {
            if (left == null || right == null) {
                return null;
            }
            return switch (operator) {
                case PLUS -> left.plus(right);
                case MINUS -> left.plus(right.times(ONE.negated()));
                case TIMES ->
                    right.field == null
                            ? left.times(right.constant)
                            : left.field == null ? right.times(left.constant) : null;
                case DIVIDED_BY ->
                    right.field == null && right.constant.numerator().signum() != 0
                            ? left.times(ONE.dividedBy(right.constant))
                            : null;
            };
        }

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
