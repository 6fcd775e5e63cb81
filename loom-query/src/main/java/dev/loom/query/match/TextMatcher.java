package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Matches texts against a query, token by token, without allocation, in a time that doesn't grow with the number of terms:
 * each token of the text is looked up among the query's tokens, and advances only the phrases that contain it. Of texts of ASCII the tokens need
 * not be read if the query has few phrases. For one thread.
 */
public final class TextMatcher {
    private final TokenReader reader = new TokenReader();
    private final QueryTokens tokens = new QueryTokens();
    private final MatchNode root;
    private final int phrases;
    private final boolean negated;
    private final @Nullable AsciiMatcher ascii;

    private long text;
    /** Numbers the tokens of all texts, with a gap between texts that no phrase crosses. */
    private long token;

    /** Compiles a query. */
    public TextMatcher(TextQuery query) {
        List<PhraseMatcher> all = new ArrayList<>();
        root = MatchNode.of(query, all);
        phrases = all.size();
        negated = hasNot(query);
        ascii = AsciiMatcher.of(query);
        all.forEach(tokens::add);
        tokens.prepare();
    }

    private static boolean hasNot(TextQuery query) {
        if (query instanceof TextQuery.And and) {
            return and.terms().stream().anyMatch(TextMatcher::hasNot);
        }
        return query instanceof TextQuery.Or or
                ? or.terms().stream().anyMatch(TextMatcher::hasNot)
                : query instanceof TextQuery.Not;
    }

    /** Whether the UTF-8 text at {@code [offset, offset + length)} matches. */
    public boolean matches(DirectBuffer buffer, int offset, int length) {
        if (ascii != null && AsciiPhrase.isAscii(buffer, offset, length)) {
            return ascii.matches(buffer, offset, length);
        }
        text++;
        token++;
        int missing = phrases;
        reader.wrap(buffer, offset, length);
        while (missing > 0 && reader.next()) {
            token++;
            int found = tokens.take(reader, token, text);
            missing -= found;
            // without NOT, nothing found later can undo a match
            if (found > 0 && !negated && root.holds(text)) {
                return true;
            }
        }
        return root.holds(text);
    }
}
