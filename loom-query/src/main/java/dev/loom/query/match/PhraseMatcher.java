package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import java.util.List;

/**
 * Finds a phrase by the set of its tokens, as bits, that may end at the current token (Baeza-Yates and Gonnet, 1992:
 * shift-and). It receives only tokens that the phrase contains. For one thread.
 */
final class PhraseMatcher {
    private final List<String> tokens;
    private final boolean prefix;
    private final MatchNode node;
    private final int last;

    /** Bit i is set if the current token completes the phrase's first i + 1 tokens. */
    private long ending;

    /** The bits that may be set for the current token. */
    private long possible;

    private long token = -1;
    private long foundInText = -1;

    PhraseMatcher(TextQuery.Phrase phrase, MatchNode node) {
        this.tokens = phrase.tokens();
        this.prefix = phrase.prefix();
        this.node = node;
        this.last = tokens.size() - 1;
    }

    List<String> tokens() {
        return tokens;
    }

    /** Whether the phrase's token i is a prefix. */
    boolean isPrefix(int i) {
        return prefix && i == last;
    }

    /**
     * Takes a token of a text that equals one or more of the phrase's tokens.
     *
     * @param atToken the token's number
     * @param mask the phrase's tokens that it equals
     * @return whether this finds the phrase for the first time
     */
    boolean take(long atToken, long inText, long mask) {
        if (foundInText == inText) {
            return false;
        }
        if (token != atToken) {
            possible = token == atToken - 1 ? (ending << 1) | 1 : 1;
            ending = 0;
            token = atToken;
        }
        ending |= possible & mask;
        if ((ending >>> last & 1) == 0) {
            return false;
        }
        foundInText = inText;
        node.found(inText);
        return true;
    }
}
