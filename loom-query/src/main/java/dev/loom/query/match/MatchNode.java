package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a query, which knows whether it holds with the phrases found so far. Finding a phrase updates only the nodes
 * above it; state from an earlier text is discarded on the next access. For one thread.
 */
final class MatchNode {
    private enum Kind {
        PHRASE,
        NOT,
        ALL,
        ANY
    }

    private final Kind kind;
    private final int terms;
    private final int termsInitially;
    private @Nullable MatchNode parent;

    private long text = -1;
    /** The number of terms that hold; for a phrase, 1 once it is found. */
    private int holding;

    private MatchNode(Kind kind, List<MatchNode> below) {
        this.kind = kind;
        terms = below.size();
        int holdingNow = 0;
        for (MatchNode term : below) {
            holdingNow += term.holds(term.termsInitially) ? 1 : 0;
        }
        termsInitially = holdingNow;
    }

    /**
     * The node of a query, with those below it.
     *
     * @param phrases receives the phrases of the query, in order
     */
    static MatchNode of(TextQuery query, List<PhraseMatcher> phrases) {
        if (query instanceof TextQuery.Phrase phrase) {
            MatchNode node = new MatchNode(Kind.PHRASE, List.of());
            phrases.add(new PhraseMatcher(phrase, node));
            return node;
        } else if (query instanceof TextQuery.Not not) {
            return of(Kind.NOT, List.of(not.term()), phrases);
        } else if (query instanceof TextQuery.And and) {
            return of(Kind.ALL, and.terms(), phrases);
        }
        return of(Kind.ANY, ((TextQuery.Or) query).terms(), phrases);
    }

    private static MatchNode of(Kind kind, List<TextQuery> terms, List<PhraseMatcher> phrases) {
        List<MatchNode> below = new ArrayList<>(terms.size());
        for (TextQuery term : terms) {
            below.add(of(term, phrases));
        }
        MatchNode node = new MatchNode(kind, below);
        below.forEach(term -> term.parent = node);
        return node;
    }

    /** Whether it holds in a text, so far. */
    boolean holds(long inText) {
        return holds(text == inText ? holding : termsInitially);
    }

    private boolean holds(int count) {
        return switch (kind) {
            case PHRASE, ANY -> count > 0;
            case NOT -> count == 0;
            case ALL -> count == terms;
        };
    }

    /** Notes that a phrase was found for the first time in a text. */
    void found(long inText) {
        MatchNode node = this;
        int change = 1;
        while (node != null && change != 0) {
            boolean before = node.holds(inText);
            node.holding = (node.text == inText ? node.holding : node.termsInitially) + change;
            node.text = inText;
            boolean after = node.holds(inText);
            change = before == after ? 0 : after ? 1 : -1;
            node = node.parent;
        }
    }
}
