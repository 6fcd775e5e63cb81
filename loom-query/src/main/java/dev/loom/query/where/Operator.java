package dev.loom.query.where;

/** How a field is compared with a literal. */
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

    /** As it is written in an expression. */
    public String text() {
        return text;
    }

    /** Whether the operator holds for one of the {@link Outcome}s. */
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
