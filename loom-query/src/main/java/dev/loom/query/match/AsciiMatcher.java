package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import dev.loom.text.TokenReader;
import java.util.Comparator;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Matches texts of ASCII by their bytes, without reading their tokens: folding changes nothing but case there, and one byte is one
 * character. For queries of few phrases. Immutable.
 */
final class AsciiMatcher {
    /** Beyond this number of phrases, each of which is looked for by itself, reading the tokens is as fast. */
    private static final int PHRASES_MAX = 8;

    private static final int ASCII = 0x80;

    /** A part of a query. */
    interface Term {
        /** Whether it holds of a text of ASCII. */
        boolean holds(DirectBuffer text, int offset, int length);

        /** How long the word is that a text must have; the longer, the fewer texts have it. */
        int length();
    }

    /** A phrase that no text of ASCII has. */
    private static final Term NEVER = new Term() {
        @Override
        public boolean holds(DirectBuffer text, int offset, int length) {
            return false;
        }

        @Override
        public int length() {
            return Integer.MAX_VALUE;
        }
    };

    private final Term root;

    private AsciiMatcher(Term root) {
        this.root = root;
    }

    /** That of a query; null if it would be no faster. */
    static @Nullable AsciiMatcher of(TextQuery query) {
        return phrases(query) > PHRASES_MAX ? null : new AsciiMatcher(term(query));
    }

    private static long phrases(TextQuery query) {
        if (query instanceof TextQuery.And and) {
            return and.terms().stream().mapToLong(AsciiMatcher::phrases).sum();
        } else if (query instanceof TextQuery.Or or) {
            return or.terms().stream().mapToLong(AsciiMatcher::phrases).sum();
        }
        return query instanceof TextQuery.Not not ? phrases(not.term()) : 1;
    }

    private static Term term(TextQuery query) {
        if (query instanceof TextQuery.And and) {
            return new Several(and.terms(), false);
        } else if (query instanceof TextQuery.Or or) {
            return new Several(or.terms(), true);
        } else if (query instanceof TextQuery.Not not) {
            return new Negated(term(not.term()));
        }
        TextQuery.Phrase phrase = (TextQuery.Phrase) query;
        return phrase.tokens().stream().allMatch(AsciiMatcher::isInAscii) ? new AsciiPhrase(phrase) : NEVER;
    }

    /** Whether a token of ASCII can be this one. */
    private static boolean isInAscii(String token) {
        return token.length() <= TokenReader.LENGTH_MAX && token.chars().allMatch(c -> c < ASCII);
    }

    /** Whether a text matches; only for texts of ASCII, as {@link AsciiPhrase#isAscii} tells. */
    boolean matches(DirectBuffer text, int offset, int length) {
        return root.holds(text, offset, length);
    }

    /** Terms that all must hold, or of which one must. */
    private static final class Several implements Term {
        private final Term[] terms;
        private final boolean any;

        Several(List<TextQuery> of, boolean any) {
            this.any = any;
            // what fewer texts have is asked first of all of them, and last of any
            Comparator<Term> rarestFirst = Comparator.comparingInt(Term::length).reversed();
            this.terms = of.stream()
                    .map(AsciiMatcher::term)
                    .sorted(any ? rarestFirst.reversed() : rarestFirst)
                    .toArray(Term[]::new);
        }

        @Override
        public boolean holds(DirectBuffer text, int offset, int length) {
            for (Term term : terms) {
                if (term.holds(text, offset, length) == any) {
                    return any;
                }
            }
            return !any;
        }

        @Override
        public int length() {
            return terms[0].length();
        }
    }

    /** A term that must not hold. */
    private record Negated(Term term) implements Term {
        @Override
        public boolean holds(DirectBuffer text, int offset, int length) {
            return !term.holds(text, offset, length);
        }

        @Override
        public int length() {
            return 0; // most texts do without the term
        }
    }
}
