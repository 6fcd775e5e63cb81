package dev.loom.server.prometheus.promql;

import java.util.Locale;

/**
 * A token of an expression.
 *
 * @param text as written; of a string, what it means
 * @param position of its first character
 */
record PromToken(PromTokenKind kind, String text, int position) {
    boolean is(String operator) {
        return kind == PromTokenKind.OPERATOR && text.equals(operator);
    }

    /** Whether it is a keyword, in any case. */
    boolean isWord(String word) {
        return kind == PromTokenKind.NAME && text.toLowerCase(Locale.ROOT).equals(word);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case END -> "end of input";
            case STRING -> "string " + Quoted.of(text);
            case NUMBER -> "number " + Quoted.of(text);
            case DURATION -> "duration " + Quoted.of(text);
            case NAME -> "identifier " + Quoted.of(text);
            case OPERATOR -> Quoted.of(text);
        };
    }
}
