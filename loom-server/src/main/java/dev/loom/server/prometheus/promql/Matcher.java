package dev.loom.server.prometheus.promql;

import com.google.re2j.Pattern;
import dev.loom.query.where.Where;
import org.jspecify.annotations.Nullable;

/**
 * A condition on a label, whose value is empty if a series lacks it. A regular expression has to match the whole value. Immutable.
 */
public final class Matcher {
    /** How a label is compared. */
    public enum Operator {
        EQUAL("="),
        NOT_EQUAL("!="),
        MATCHES("=~"),
        MATCHES_NOT("!~");

        private final String text;

        Operator(String text) {
            this.text = text;
        }

        /** As it is written. */
        public String text() {
            return text;
        }
    }

    private final String label;
    private final Operator operator;
    private final String value;
    private final @Nullable Pattern pattern;

    /** @throws IllegalArgumentException if the regular expression is none */
    public Matcher(String label, Operator operator, String value) {
        this.label = label;
        this.operator = operator;
        this.value = value;
        boolean regular = operator == Operator.MATCHES || operator == Operator.MATCHES_NOT;
        pattern = regular ? compiled(value) : null;
    }

    /**
     * A regular expression, which is as large as those of conditions may be.
     *
     * @throws IllegalArgumentException if it is none, or too large
     */
    static Pattern compiled(String regex) {
        try {
            return Pattern.compile(new Where.MatchesRegex("", regex).pattern(), Pattern.DOTALL);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("error parsing regexp: " + e.getMessage(), e);
        }
    }

    public String label() {
        return label;
    }

    public Operator operator() {
        return operator;
    }

    public String value() {
        return value;
    }

    /** Whether a label's value meets the condition. */
    public boolean matches(String found) {
        return switch (operator) {
            case EQUAL -> found.equals(value);
            case NOT_EQUAL -> !found.equals(value);
            case MATCHES -> pattern != null && pattern.matches(found);
            case MATCHES_NOT -> pattern != null && !pattern.matches(found);
        };
    }

    @Override
    public String toString() {
        return Quoted.label(label) + operator.text() + Quoted.of(value);
    }
}
