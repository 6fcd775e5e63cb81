package dev.loom.query.where;

import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.util.function.Function;

/** Compares two formulas, bound to the fields of a format, over the current payload. */
record Calculation(Operand left, Operator operator, Operand right) implements Condition {
    /** Binds two formulas, whose literals are in the units of their fields. */
    static Calculation of(Where.Relation relation, Function<String, FieldSlot> slots) {
        return new Calculation(operand(relation.left(), slots), relation.operator(), operand(relation.right(), slots));
    }

    private static Operand operand(Formula formula, Function<String, FieldSlot> slots) {
        if (formula instanceof Formula.Field field) {
            return new InField(slots.apply(field.name()), new Calculated());
        }
        if (formula instanceof Formula.Operation operation) {
            Operand left = operand(operation.left(), slots);
            Operand right = operand(operation.right(), slots);
            Step step = new Step(left, operation.operator(), right, new Calculated());
            return left instanceof Constant && right instanceof Constant ? new Constant(step.number()) : step;
        }
        Literal.Numeric literal = ((Formula.Constant) formula).literal();
        Calculated number = new Calculated();
        number.set(Fraction.of(literal.value()));
        return new Constant(number);
    }

    @Override
    public boolean test() {
        return operator.holds(left.number().compare(right.number()));
    }

    /** A part of a formula. */
    private sealed interface Operand {
        /** The number for the current payload, valid until the next call. */
        Calculated number();
    }

    private record Constant(Calculated number) implements Operand {}

    private record InField(FieldSlot slot, Calculated result) implements Operand {
        @Override
        public Calculated number() {
            result.set(slot.value());
            return result;
        }
    }

    private record Step(Operand left, Formula.Operator operator, Operand right, Calculated result) implements Operand {
        @Override
        public Calculated number() {
            Calculated a = left.number();
            Calculated b = right.number();
            switch (operator) {
                case PLUS -> result.setSum(a, b);
                case MINUS -> result.setDifference(a, b);
                case TIMES -> result.setProduct(a, b);
                case DIVIDED_BY -> result.setQuotient(a, b);
            }
            return result;
        }
    }
}
