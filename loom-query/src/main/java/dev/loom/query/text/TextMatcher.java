package dev.loom.query.text;

import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * Matches texts against a query, token by token, without allocation. A phrase is found by the bits of its tokens that may
 * end at the current one (Baeza-Yates and Gonnet, 1992: shift-and). For one thread.
 */
public final class TextMatcher {
    private final TokenReader reader = new TokenReader();
    private final List<PhraseMatcher> matchers = new ArrayList<>();
    private final PhraseMatcher[] phrases;
    private final Node root;

    /** Makes the matcher of a query. */
    public TextMatcher(TextQuery query) {
        root = node(query);
        phrases = matchers.toArray(PhraseMatcher[]::new);
    }

    /** Whether the UTF-8 text at {@code [offset, offset + length)} matches. */
    public boolean matches(DirectBuffer text, int offset, int length) {
        int missing = phrases.length;
        for (PhraseMatcher phrase : phrases) {
            phrase.reset();
        }
        reader.wrap(text, offset, length);
        while (missing > 0 && reader.next()) {
            for (PhraseMatcher phrase : phrases) {
                missing -= phrase.findsAt(reader) ? 1 : 0;
            }
        }
        return root.matches();
    }

    /** A node of the query, once all tokens were seen, or each phrase was. */
    private interface Node {
        boolean matches();
    }

    private Node node(TextQuery query) {
        if (query instanceof TextQuery.Phrase phrase) {
            PhraseMatcher matcher = new PhraseMatcher(phrase);
            matchers.add(matcher);
            return matcher;
        }
        if (query instanceof TextQuery.Not not) {
            Node term = node(not.term());
            return () -> !term.matches();
        }
        return query instanceof TextQuery.And and
                ? junction(and.terms(), false)
                : junction(((TextQuery.Or) query).terms(), true);
    }

    /** Matches as soon as a term does, or as soon as one does not. */
    private Node junction(List<TextQuery> terms, boolean any) {
        Node[] nodes = terms.stream().map(this::node).toArray(Node[]::new);
        return () -> {
            for (Node node : nodes) {
                if (node.matches() == any) {
                    return any;
                }
            }
            return !any;
        };
    }

    private static final class PhraseMatcher implements Node {
        private final int[][] tokens;
        private final boolean prefix;
        private final int last;

        /** Bit i is set if the current token may be the phrase's token i, after those before. */
        private long ending;

        private boolean found;

        PhraseMatcher(TextQuery.Phrase phrase) {
            tokens = phrase.tokens().stream()
                    .map(token -> token.codePoints().toArray())
                    .toArray(int[][]::new);
            prefix = phrase.prefix();
            last = tokens.length - 1;
        }

        void reset() {
            ending = 0;
            found = false;
        }

        /** Takes the current token; whether the phrase is found for the first time. */
        boolean findsAt(TokenReader reader) {
            if (found) {
                return false;
            }
            long possible = (ending << 1) | 1;
            ending = 0;
            while (possible != 0) {
                int i = Long.numberOfTrailingZeros(possible);
                possible &= possible - 1;
                if (i <= last && is(reader, i)) {
                    ending |= 1L << i;
                }
            }
            found = (ending >>> last) != 0;
            return found;
        }

        private boolean is(TokenReader reader, int i) {
            return (i == last && prefix) ? reader.beginsWith(tokens[i]) : reader.is(tokens[i]);
        }

        @Override
        public boolean matches() {
            return found;
        }
    }
}
