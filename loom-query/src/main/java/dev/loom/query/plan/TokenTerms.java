package dev.loom.query.plan;

import dev.loom.api.ValueUnit;
import dev.loom.query.match.RegexLiterals;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.text.TokenCondition;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The tokens that a record must have to meet an expression, which the text index knows. Each word of the expression is digested
 * once, for all filters of all units.
 */
final class TokenTerms {
    private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    private TokenTerms() {}

    /** What is necessary for an expression; {@link TokenCondition#NONE} if tokens say nothing. */
    static TokenCondition of(Where expression) {
        if (expression instanceof Where.And and) {
            return TokenCondition.all(and.terms().stream().map(TokenTerms::of).toList());
        } else if (expression instanceof Where.Or or) {
            return TokenCondition.any(or.terms().stream().map(TokenTerms::of).toList());
        } else if (expression instanceof Where.Matches matches) {
            return of(matches.field(), matches.query());
        } else if (expression instanceof Where.Comparison comparison && comparison.operator() == Operator.EQUAL) {
            return equal(comparison.field(), comparison.literal());
        } else if (expression instanceof Where.In in) {
            return TokenCondition.any(in.literals().stream()
                    .map(literal -> equal(in.field(), literal))
                    .toList());
        } else if (expression instanceof Where.Contains contains) {
            return within(contains.field(), contains.text());
        } else if (expression instanceof Where.MatchesRegex regex) {
            return regex(regex.field(), RegexLiterals.of(regex.pattern()));
        } else if (expression instanceof Where.ContainsIgnoringCase contains) {
            return within(contains.field(), contains.text());
        } else {
            return TokenCondition.NONE;
        }
    }

    private static TokenCondition of(String field, TextQuery query) {
        if (query instanceof TextQuery.And and) {
            return TokenCondition.all(
                    and.terms().stream().map(term -> of(field, term)).toList());
        } else if (query instanceof TextQuery.Or or) {
            return TokenCondition.any(
                    or.terms().stream().map(term -> of(field, term)).toList());
        } else if (query instanceof TextQuery.Phrase phrase) {
            return phrase(field, phrase);
        } else {
            return TokenCondition.NONE; // a record with a word may have others too
        }
    }

    private static TokenCondition phrase(String field, TextQuery.Phrase phrase) {
        List<TokenCondition> terms = new ArrayList<>();
        int words = phrase.tokens().size() - (phrase.prefix() ? 1 : 0);
        for (int i = 0; i < words; i++) {
            terms.add(word(field, phrase.tokens().get(i)));
        }
        if (phrase.prefix()) {
            terms.add(prefix(field, phrase.tokens().get(words)));
        }
        return TokenCondition.all(terms);
    }

    /** A token of a query is folded, as a reader folds it: read again, one with 64 marks and more would be composed otherwise. */
    private static TokenCondition word(String field, String token) {
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < token.length(); i += Character.charCount(token.codePointAt(i))) {
            state = TokenDigest.add(state, token.codePointAt(i));
        }
        return new TokenCondition.Word(field, TokenDigest.finish(state));
    }

    private static TokenCondition prefix(String field, String token) {
        List<Long> digests = new ArrayList<>();
        long state = TokenDigest.EMPTY;
        int[] codePoints = token.codePoints().toArray();
        for (int i = 0; i < codePoints.length && i < TokenCondition.PREFIX_MAX; i++) {
            if (!TokenCondition.isPrefixPart(codePoints[i])) {
                break;
            }
            state = TokenDigest.add(state, codePoints[i]);
            digests.add(TokenDigest.finish(state));
        }
        return digests.isEmpty() ? TokenCondition.NONE : new TokenCondition.Prefix(field, digests);
    }

    private static TokenCondition equal(String field, Literal literal) {
        if (literal instanceof Literal.Text text) {
            byte[] bytes = text.value().getBytes(StandardCharsets.UTF_8);
            List<TokenCondition> terms = new ArrayList<>(words(field, text.value()));
            long digest = TokenDigest.ofText(TokenDigest.field(field), new UnsafeBuffer(bytes), 0, bytes.length);
            terms.add(new TokenCondition.Value(field, digest));
            return TokenCondition.all(terms);
        }
        boolean whole = literal instanceof Literal.Numeric number
                && number.integral()
                && number.unit() == ValueUnit.NONE
                && number.value().compareTo(LONG_MIN) >= 0
                && number.value().compareTo(LONG_MAX) <= 0;
        return whole
                ? new TokenCondition.Value(
                        field,
                        TokenDigest.ofInteger(
                                TokenDigest.field(field),
                                ((Literal.Numeric) literal).value().longValueExact()))
                : TokenCondition.NONE;
    }

    /** The words of a text that fields contain: those between two characters that separate words whatever is beside them. */
    private static TokenCondition within(String field, String text) {
        int first = 0;
        while (first < text.length() && !separates(text.charAt(first))) {
            first++;
        }
        int last = text.length() - 1;
        while (last > first && !separates(text.charAt(last))) {
            last--;
        }
        return last <= first ? TokenCondition.NONE : TokenCondition.all(words(field, text.substring(first, last + 1)));
    }

    /** The words of the texts that all matches of an alternative have. */
    private static TokenCondition regex(String field, RegexLiterals literals) {
        List<TokenCondition> each = literals.alternatives().stream()
                .map(texts -> TokenCondition.all(texts.stream()
                        .filter(text ->
                                literals.isCaseSensitive() || text.chars().noneMatch(TokenTerms::isIota))
                        .map(text -> within(field, text))
                        .toList()))
                .toList();
        return each.isEmpty() ? TokenCondition.NONE : TokenCondition.any(each);
    }

    /** Where case does not count, RE2 takes these for one letter, one of which is composed with the letter before it. */
    private static boolean isIota(int c) {
        return c == 0x345 || c == 0x399 || c == 0x3B9 || c == 0x1FBE;
    }

    private static boolean separates(char c) {
        return c < 0x80 && !Character.isLetterOrDigit(c) && c != '_';
    }

    private static List<TokenCondition> words(String field, String text) {
        List<TokenCondition> words = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TokenReader reader = new TokenReader();
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        while (reader.next()) {
            words.add(new TokenCondition.Word(field, TokenDigest.of(reader)));
        }
        return words;
    }
}
