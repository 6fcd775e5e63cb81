package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Matches texts against a query, token by token, without allocation, in a time that doesn't grow with the number of terms:
 * each token of the text is looked up among the query's tokens, and advances only the phrases that contain it. A text that lacks
 * a word which every match must have is not read token by token. For one thread.
 */
public final class TextMatcher {
    private final TokenReader reader = new TokenReader();
    private final QueryTokens tokens = new QueryTokens();
    private final MatchNode root;
    private final int phrases;
    private final boolean negated;
    private final @Nullable RequiredWords required;

    private long text;
    /** Numbers the tokens of all texts, with a gap between texts that no phrase crosses. */
    private long token;

    /** Compiles a query. */
    public TextMatcher(TextQuery query) {
        List<PhraseMatcher> all = new ArrayList<>();
        root = new MatchNode(query, all);
        phrases = all.size();
        negated = hasNot(query);
        required = RequiredWords.of(query);
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
        if (required != null && !required.mayBeIn(buffer, offset, length)) {
            return false;
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
