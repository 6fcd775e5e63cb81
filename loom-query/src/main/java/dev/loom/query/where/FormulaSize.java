package dev.loom.query.where;

import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;

/**
 * How much there is to calculate.
 *
 * @param bits of the numbers as fractions, of each the longer half; a result has no more than these and those of the fields, and one for
 *     each operand
 */
record FormulaSize(int operands, long bits) {
    static final FormulaSize NONE = new FormulaSize(0, 0);

    private static final double BITS_OF_TEN = Math.log(10) / Math.log(2);

    static FormulaSize of(Where.Relation relation) {
        return of(relation.left()).plus(of(relation.right()));
    }

    private static FormulaSize of(Formula formula) {
        return formula instanceof Formula.Operation operation
                ? of(operation.left()).plus(of(operation.right()))
                : new FormulaSize(1, formula instanceof Formula.Constant number ? bits(number.literal()) : 0);
    }

    /** Without writing the number out. */
    private static long bits(Literal.Numeric literal) {
        BigDecimal value = literal.value();
        int digits = value.unscaledValue().bitLength();
        long power = (long) Math.ceil(Math.abs((long) value.scale()) * BITS_OF_TEN);
        return value.scale() > 0 ? Math.max(digits, power) : digits + power;
    }

    FormulaSize plus(FormulaSize other) {
        return new FormulaSize(operands + other.operands, bits + other.bits);
    }
}
