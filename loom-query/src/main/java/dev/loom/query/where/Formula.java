package dev.loom.query.where;

import dev.loom.query.where.Where.Literal;

/**
 * A number that is calculated from a record's fields, such as {@code end - start} or {@code bytes / 1024}, as an immutable
 * tree. {@code toString()} gives it as expressions write it.
 */
public sealed interface Formula {
    /** The most operands of one comparison. */
    int OPERANDS_MAX = 64;

    /** The most bits of the numbers of one comparison, so that what it calculates stays short. */
    int BITS_MAX = 4096;

    /** The most operands of all comparisons of an expression that calculate; each value of a list is compared with the formula again. */
    int ALL_OPERANDS_MAX = 4096;

    /** The most bits of the numbers of these comparisons. */
    int ALL_BITS_MAX = 1 << 16;

    /** The number in a field; a record without one there has no result. */
    record Field(String name) implements Formula {
        @Override
        public String toString() {
            return Quoting.name(name);
        }
    }

    /** A number as written. */
    record Constant(Literal.Numeric literal) implements Formula {
        @Override
        public String toString() {
            return literal.toString();
        }
    }

    /** Two numbers, and what is done with them. */
    record Operation(Formula left, Operator operator, Formula right) implements Formula {
        @Override
        public String toString() {
            return operand(left, false) + ' ' + operator.text() + ' ' + operand(right, true);
        }

        private String operand(Formula operand, boolean isRight) {
            boolean inParentheses = operand instanceof Operation inner
                    && (isRight ? !inner.operator.bindsCloser(operator) : operator.bindsCloser(inner.operator));
            return inParentheses ? "(" + operand + ")" : operand.toString();
        }
    }

    /** What is done with two numbers. */
    enum Operator {
        PLUS("+"),
        MINUS("-"),
        TIMES("*"),
        DIVIDED_BY("/");

        private final String text;

        Operator(String text) {
            this.text = text;
        }

        /** The operator as written in an expression. */
        public String text() {
            return text;
        }

        boolean bindsCloser(Operator other) {
            return (this == TIMES || this == DIVIDED_BY) && (other == PLUS || other == MINUS);
        }
    }
}
