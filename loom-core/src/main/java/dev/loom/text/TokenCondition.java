package dev.loom.text;

import java.util.List;

/**
 * A condition on the tokens of a record's text, by their digests. It is necessary: whatever a query asks, a record without what the
 * condition names does not meet it. Immutable.
 */
public sealed interface TokenCondition {
    /** The longest beginning of a word that filters distinguish, in code points. */
    int PREFIX_MAX = 16;

    /**
     * Whether filters of prefixes have prefixes that go on with a character: up to a word's first digit, as numbers and ids have too many
     * beginnings that tell nothing.
     */
    static boolean isPrefixPart(int codePoint) {
        return codePoint < 0x80 ? codePoint < '0' || codePoint > '9' : !Character.isDigit(codePoint);
    }

    /** Nothing is necessary. */
    TokenCondition NONE = new All(List.of());

    /** A field has a word. */
    record Word(String field, long digest) implements TokenCondition {}

    /**
     * A field has a word with a beginning.
     *
     * @param digests of the beginning's first code point, of its first two, and so on, as far as {@link #isPrefixPart} allows, to at
     *     most {@link #PREFIX_MAX}; 1 or more
     */
    record Prefix(String field, List<Long> digests) implements TokenCondition {
        public Prefix {
            digests = List.copyOf(digests);
        }
    }

    /** A field has a value; the digest has the field in it. */
    record Value(String field, long digest) implements TokenCondition {}

    /** All terms hold. */
    record All(List<TokenCondition> terms) implements TokenCondition {
        public All {
            terms = List.copyOf(terms);
        }
    }

    /** One of the terms holds, 1 or more. */
    record Any(List<TokenCondition> terms) implements TokenCondition {
        public Any {
            terms = List.copyOf(terms);
            if (terms.isEmpty()) {
                throw new IllegalArgumentException("no term to choose from");
            }
        }
    }

    /** All of the terms, without those that say nothing. */
    static TokenCondition all(List<TokenCondition> terms) {
        List<TokenCondition> known =
                terms.stream().filter(term -> !term.equals(NONE)).toList();
        return known.size() == 1 ? known.get(0) : new All(known);
    }

    /** One of the terms; nothing is necessary if that holds for one of them. */
    static TokenCondition any(List<TokenCondition> terms) {
        return terms.contains(NONE) ? NONE : terms.size() == 1 ? terms.get(0) : new Any(terms);
    }
}
