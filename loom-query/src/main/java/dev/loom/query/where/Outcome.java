package dev.loom.query.where;

/** What comparing a field's value with a literal can give; one bit each, so that an operator is a set of them. */
final class Outcome {
    static final int LESS = 1;
    static final int EQUAL = 2;
    static final int GREATER = 4;
    /** NaN and any number. */
    static final int UNORDERED = 8;
    /** A field without a value, or with one of another kind: no operator holds. */
    static final int NONE = 0;

    private Outcome() {}

    /** The outcome of what a {@code compare} method gives. */
    static int of(int comparison) {
        if (comparison == 0) {
            return EQUAL;
        }
        return comparison < 0 ? LESS : GREATER;
    }
}
