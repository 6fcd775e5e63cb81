package dev.loom.query.text;

import java.util.List;

/**
 * Finds a phrase by the bits of its tokens that may end at the current one (Baeza-Yates and Gonnet, 1992: shift-and). It is
 * told of the text's tokens that are among its own alone. For one thread.
 */
final class PhraseMatcher {
    private final List<String> tokens;
    private final boolean prefix;
    private final MatchNode node;
    private final int last;

    /** Bit i is set if the token may be the phrase's token i, after those before. */
    private long ending;

    /** The bits that can be set at the token. */
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

    /** Whether a token of the phrase is the beginning of one. */
    boolean isPrefix(int i) {
        return prefix && i == last;
    }

    /**
     * Takes a token of a text, as one or more of the phrase's tokens.
     *
     * @param atToken the token's number
     * @param mask of the phrase's tokens that it is
     * @return whether the phrase is found for the first time
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
