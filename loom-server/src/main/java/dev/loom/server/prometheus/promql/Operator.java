package dev.loom.server.prometheus.promql;

import org.jspecify.annotations.Nullable;

/** An operator between two expressions. */
enum Operator {
    OR("or", 1),
    AND("and", 2),
    UNLESS("unless", 2),
    EQUAL("==", 3),
    NOT_EQUAL("!=", 3),
    LESS_OR_EQUAL("<=", 3),
    LESS("<", 3),
    GREATER_OR_EQUAL(">=", 3),
    GREATER(">", 3),
    PLUS("+", 4),
    MINUS("-", 4),
    TIMES("*", 5),
    BY("/", 5),
    MODULO("%", 5),
    ATAN2("atan2", 5),
    POWER("^", 6);

    /** How strongly a sign binds: as a product. */
    static final int SIGN = 5;

    private final String text;
    private final int precedence;

    Operator(String text, int precedence) {
        this.text = text;
        this.precedence = precedence;
    }

    String text() {
        return text;
    }

    /** The greater, the more it binds. */
    int precedence() {
        return precedence;
    }

    boolean isComparison() {
        return precedence == EQUAL.precedence;
    }

    /** Whether it is one of sets of series. */
    boolean isSet() {
        return this == OR || this == AND || this == UNLESS;
    }

    /** The one that a token stands for; null if there is none. */
    static @Nullable Operator of(PromToken token) {
        for (Operator each : values()) {
            if (token.is(each.text) || token.isWord(each.text)) {
                return each;
            }
        }
        return null;
    }

    /** Calculates. */
    double apply(double left, double right) {
        return switch (this) {
            case PLUS -> left + right;
            case MINUS -> left - right;
            case TIMES -> left * right;
            case BY -> left / right;
            case MODULO -> left % right;
            case ATAN2 -> Math.atan2(left, right);
            case POWER -> power(left, right);
            default -> throw new IllegalStateException("not arithmetic: " + this);
        };
    }

    /** As IEEE 754 has it, and Java has not: 1 to any power, and -1 to an infinite one, is 1. */
    private static double power(double base, double exponent) {
        boolean one = base == 1 || (base == -1 && Double.isInfinite(exponent));
        return one ? 1 : Math.pow(base, exponent);
    }

    /** Compares. */
    boolean holds(double left, double right) {
        return switch (this) {
            case EQUAL -> left == right;
            case NOT_EQUAL -> left != right;
            case LESS -> left < right;
            case LESS_OR_EQUAL -> left <= right;
            case GREATER -> left > right;
            case GREATER_OR_EQUAL -> left >= right;
            default -> throw new IllegalStateException("not a comparison: " + this);
        };
    }
}
