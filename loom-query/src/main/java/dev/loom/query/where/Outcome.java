package dev.loom.query.where;

/** The outcome of comparing a field's value with a literal: one bit each, so that an operator is a set of outcomes. */
final class Outcome {
    static final int LESS = 1;
    static final int EQUAL = 2;
    static final int GREATER = 4;
    /** NaN against any number. */
    static final int UNORDERED = 8;
    /** The field has no value, or a value of another kind: no operator holds. */
    static final int NONE = 0;

    private Outcome() {}

    /** Converts the result of a {@code compare} method. */
    static int of(int comparison) {
        if (comparison == 0) {
            return EQUAL;
        }
        return comparison < 0 ? LESS : GREATER;
    }

    /** The outcome with the sides exchanged. */
    static int reversed(int outcome) {
        return outcome == LESS ? GREATER : outcome == GREATER ? LESS : outcome;
    }
}
