package dev.loom.query.where;

/** A comparison of a field with a literal. */
public enum Operator {
    EQUAL("==", Outcome.EQUAL),
    NOT_EQUAL("!=", Outcome.LESS | Outcome.GREATER | Outcome.UNORDERED),
    LESS("<", Outcome.LESS),
    LESS_OR_EQUAL("<=", Outcome.LESS | Outcome.EQUAL),
    GREATER(">", Outcome.GREATER),
    GREATER_OR_EQUAL(">=", Outcome.GREATER | Outcome.EQUAL);

    private final String text;
    private final int outcomes;

    Operator(String text, int outcomes) {
        this.text = text;
        this.outcomes = outcomes;
    }

    /** The operator as written in an expression. */
    public String text() {
        return text;
    }

    /** Whether the operator holds for an {@link Outcome}. */
    boolean holds(int outcome) {
        return (outcomes & outcome) != 0;
    }

    boolean isEquality() {
        return this == EQUAL || this == NOT_EQUAL;
    }

    static Operator of(String text) {
        for (Operator operator : values()) {
            if (operator.text.equals(text)) {
                return operator;
            }
        }
        throw new IllegalArgumentException("unknown operator: text=" + text);
    }
}
