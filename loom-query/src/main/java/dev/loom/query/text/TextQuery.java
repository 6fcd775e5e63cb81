package dev.loom.query.text;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a text has to have, as a tree, immutable. Its string is a query that parses to an equal tree.
 *
 * <p>{@code word} matches a whole token, {@code word*} a token's beginning, {@code "two words"} consecutive tokens; terms side
 * by side mean {@code AND}; {@code NOT} binds closest, then {@code AND}, then {@code OR}, which are words to be found unless they are in capitals. {@code -word} and {@code !word}
 * mean {@code NOT word}, {@code +word} is {@code word}: signs count right before a term and after no other character of it. A token is
 * as {@link dev.loom.text.TokenReader} reads it, in a query as in a text: {@code retry-later} is a phrase of two.
 */
public sealed interface TextQuery {
    /** The longest query, in characters (UTF-16 units). */
    int LENGTH_MAX = 8192;

    /** How deep {@code NOT} and parentheses may be nested. */
    int DEPTH_MAX = 64;

    /** The most tokens of a phrase. */
    int PHRASE_MAX = 64;

    /**
     * Parses a query.
     *
     * @throws TextSyntaxException if it is not well-formed, too long or nested too deep, or a term has no token in it; with
     *     the place
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
     * Tokens, one after the other.
     *
     * @param tokens folded, 1 to {@link #PHRASE_MAX}
     * @param prefix whether the last is the beginning of one
     */
    record Phrase(List<String> tokens, boolean prefix) implements TextQuery {
        public Phrase {
            tokens = List.copyOf(tokens);
            if (tokens.isEmpty() || tokens.size() > PHRASE_MAX) {
                throw new IllegalArgumentException(
                        "tokens of a phrase out of range: count=" + tokens.size() + ", min=1, max=" + PHRASE_MAX);
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
