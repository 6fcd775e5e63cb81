package dev.loom.query.text;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a text must contain, as an immutable tree. {@code toString()} gives a query that parses to an equal tree.
 *
 * <p>{@code word} matches a whole token, {@code word*} the start of a token, {@code "two words"} consecutive tokens.
 * Adjacent terms are joined by {@code AND}. {@code NOT} binds closest, then {@code AND}, then {@code OR}; unless in
 * capitals, they are words to be found. {@code -word} and {@code !word} mean {@code NOT word}, {@code +word} means {@code
 * word}: a sign counts only right before a term and not after another character of it. Tokens are those of {@link
 * dev.loom.text.TokenReader}, in a query as in a text: {@code retry-later} is a phrase of two.
 */
public sealed interface TextQuery {
    /** The greatest length of a query, in characters (UTF-16 units). */
    int LENGTH_MAX = 8192;

    /** The greatest nesting depth of {@code NOT} and parentheses. */
    int DEPTH_MAX = 64;

    /** The most tokens of a phrase. */
    int PHRASE_MAX = 64;

    /**
     * Parses a query.
     *
     * @throws QuerySyntaxException if it is malformed, too long or nested too deep, or if a term has no token; the exception
     *     gives the position
     */
    static TextQuery parse(String query) {
        return new TextQueryParser(query).parse();
    }

    /** Every term matches. */
    record And(List<TextQuery> terms) implements TextQuery {
        public And {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " ");
        }
    }

    /** Any term matches. */
    record Or(List<TextQuery> terms) implements TextQuery {
        public Or {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " OR ");
        }
    }

    /** The term doesn't match. */
    record Not(TextQuery term) implements TextQuery {
        @Override
        public String toString() {
            return "NOT " + operand(term);
        }
    }

    /**
     * Consecutive tokens.
     *
     * @param tokens folded, 1 to {@link #PHRASE_MAX}
     * @param prefix whether the last one is the start of a token
     */
    record Phrase(List<String> tokens, boolean prefix) implements TextQuery {
        public Phrase {
            tokens = List.copyOf(tokens);
            if (tokens.isEmpty() || tokens.size() > PHRASE_MAX) {
                throw new IllegalArgumentException(
                        "phrase length out of range: tokens=" + tokens.size() + ", min=1, max=" + PHRASE_MAX);
            }
        }

        @Override
        public String toString() {
            String text = tokens.size() == 1 ? tokens.get(0) : '"' + String.join(" ", tokens) + '"';
            return prefix ? text + '*' : text;
        }
    }

    private static List<TextQuery> atLeastTwo(List<TextQuery> terms) {
        if (terms.size() < 2) {
            throw new IllegalArgumentException("too few terms: count=" + terms.size() + ", min=2");
        }
        return List.copyOf(terms);
    }

    private static String join(List<TextQuery> terms, String separator) {
        return terms.stream().map(TextQuery::operand).collect(Collectors.joining(separator));
    }

    private static String operand(TextQuery term) {
        return term instanceof And || term instanceof Or ? "(" + term + ")" : term.toString();
    }
}
