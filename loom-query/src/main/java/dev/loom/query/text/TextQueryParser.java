package dev.loom.query.text;

import dev.loom.text.TokenReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Parses a query into a tree by recursive descent:
 *
 * <pre>
 * query       = conjunction { "OR" conjunction }
 * conjunction = negation { [ "AND" ] negation }
 * negation    = ( "NOT" | "-" | "!" ) negation | [ "+" ] ( "(" query ")" | term )
 * term        = word [ "*" ] | '"' phrase '"' [ "*" ]
 * </pre>
 */
final class TextQueryParser {
    private static final int SHOWN_MAX = 80;
    private static final int SHOWN_BEFORE = 60;

    private final String query;
    private int position;
    private int depth;

    TextQueryParser(String query) {
        this.query = query;
    }

    TextQuery parse() {
        if (query.length() > TextQuery.LENGTH_MAX) {
            throw error("query is too long, length=" + query.length() + ", max=" + TextQuery.LENGTH_MAX, 0);
        }
        TextQuery parsed = disjunction();
        if (!atEnd()) {
            throw error("unexpected )", position);
        }
        return parsed;
    }

    private TextQuery disjunction() {
        List<TextQuery> terms = new ArrayList<>();
        do {
            TextQuery term = conjunction();
            if (term instanceof TextQuery.Or or) {
                terms.addAll(or.terms());
            } else {
                terms.add(term);
            }
        } while (skipWord("OR"));
        return terms.size() == 1 ? terms.get(0) : new TextQuery.Or(terms);
    }

    private TextQuery conjunction() {
        List<TextQuery> terms = new ArrayList<>();
        do {
            TextQuery term = negation();
            if (term instanceof TextQuery.And and) {
                terms.addAll(and.terms());
            } else {
                terms.add(term);
            }
        } while (skipWord("AND") || !(atEnd() || peek() == ')' || isWord("OR")));
        return terms.size() == 1 ? terms.get(0) : new TextQuery.And(terms);
    }

    private TextQuery negation() {
        if (atEnd()) {
            throw error("expected a word, a phrase, NOT or (, found the end", position);
        }
        int start = position;
        if (skipWord("NOT")) {
            descend(start);
            TextQuery negated = new TextQuery.Not(negation());
            depth--;
            return negated;
        }
        if (isMark("-!")) {
            position++;
            descend(start);
            TextQuery negated = new TextQuery.Not(negation());
            depth--;
            return negated;
        }
        position += isMark("+") ? 1 : 0;
        if (peek() == '(') {
            position++;
            descend(start);
            TextQuery inner = disjunction();
            if (atEnd() || query.charAt(position) != ')') {
                throw error("expected ) to close the group at " + start, position);
            }
            position++;
            depth--;
            return inner;
        }
        if (isWord("AND") || isWord("OR") || peek() == ')') {
            throw error("expected a word, a phrase, NOT or (", position);
        }
        return peek() == '"' ? quoted() : unquoted();
    }

    /** Whether one of these signs, known from other search languages, stands right before a term. */
    private boolean isMark(String marks) {
        int next = position + 1;
        if (marks.indexOf(query.charAt(position)) < 0 || next == query.length()) {
            return false;
        }
        int begin = query.codePointAt(next);
        return begin == '"' || begin == '(' || TokenReader.isPart(begin);
    }

    private void descend(int start) {
        if (++depth > TextQuery.DEPTH_MAX) {
            throw error("query is nested too deeply, max=" + TextQuery.DEPTH_MAX, start);
        }
    }

    private TextQuery quoted() {
        int start = position;
        int close = query.indexOf('"', start + 1);
        if (close < 0) {
            throw error("quote is not closed", start);
        }
        for (int star = query.indexOf('*', start); star >= 0 && star < close; star = query.indexOf('*', star + 1)) {
            if (TokenReader.isPart(query.codePointBefore(star))) {
                throw error("* inside quotes is not a wildcard; put it after the closing quote, or leave it out", star);
            }
        }
        position = close + 1;
        return phrase(query.substring(start + 1, close), skipStar(), start);
    }

    private TextQuery unquoted() {
        int start = position;
        while (position < query.length() && !isDelimiter(query.charAt(position))) {
            position++;
        }
        String text = query.substring(start, position);
        for (int at = start; at < position; at++) {
            refuseForeign(at, start);
        }
        return phrase(text, skipStar(), start);
    }

    /** Rejects other search languages' fields, fuzzy words and weights, which would only separate words here. */
    private void refuseForeign(int at, int start) {
        boolean adjoins =
                at > 0 && ("\")*".indexOf(query.charAt(at - 1)) >= 0 || TokenReader.isPart(query.codePointBefore(at)));
        int next = at + 1 == query.length() ? ' ' : query.codePointAt(at + 1);
        String problem = !adjoins
                ? null
                : switch (query.charAt(at)) {
                    case '~' -> "fuzzy search is not supported";
                    case '^' -> "boosts are not supported";
                    case '?' -> TokenReader.isPart(next) ? "? is not a wildcard" : null;
                    case '&', '|' -> next == query.charAt(at) ? "AND and OR are written as words" : null;
                    case ':' ->
                        isName(start, at) && (TokenReader.isPart(next) || "\"([{<>".indexOf(next) >= 0)
                                ? "a text query names no fields, use where: level == \"error\", level matches \"error\""
                                : null;
                    default -> null;
                };
        if (problem != null) {
            throw error(problem + "; put literal text in quotes", at);
        }
    }

    private boolean isName(int start, int end) {
        return !Character.isDigit(query.codePointAt(start))
                && query.substring(start, end)
                        .codePoints()
                        .allMatch(c -> TokenReader.isPart(c) || ".-@".indexOf(c) >= 0);
    }

    private boolean skipStar() {
        if (position == query.length() || query.charAt(position) != '*') {
            return false;
        }
        position++;
        if (position < query.length() && !isSpace(query.charAt(position)) && "()".indexOf(query.charAt(position)) < 0) {
            throw error("* is only allowed at the end of a term", position - 1);
        }
        return true;
    }

    private TextQuery phrase(String text, boolean prefix, int start) {
        List<String> tokens = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TokenReader reader = new TokenReader();
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        while (reader.next()) {
            if (reader.length() > TokenReader.LENGTH_MAX) {
                throw error("word is too long, length=" + reader.length() + ", max=" + TokenReader.LENGTH_MAX, start);
            }
            StringBuilder token = new StringBuilder();
            for (int i = 0; i < reader.length(); i++) {
                token.appendCodePoint(reader.codePoint(i));
            }
            tokens.add(token.toString());
        }
        if (tokens.isEmpty()) {
            throw error("term has no letter, digit or _", start);
        }
        if (tokens.size() > TextQuery.PHRASE_MAX) {
            throw error("phrase has too many words, count=" + tokens.size() + ", max=" + TextQuery.PHRASE_MAX, start);
        }
        if (prefix && !endsInToken(text)) {
            throw error("* must follow a letter, digit or _", position - 1);
        }
        return new TextQuery.Phrase(tokens, prefix);
    }

    /** Whether what came next would belong to the text's last token. */
    private static boolean endsInToken(String text) {
        return tokens(text + '_') == tokens(text);
    }

    private static int tokens(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TokenReader reader = new TokenReader();
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        int count = 0;
        while (reader.next()) {
            count++;
        }
        return count;
    }

    /** Skips to the next term; returns whether there is none. */
    private boolean atEnd() {
        while (position < query.length() && isSpace(query.charAt(position))) {
            position++;
        }
        return position == query.length();
    }

    private char peek() {
        return query.charAt(position);
    }

    private boolean skipWord(String word) {
        if (atEnd() || !isWord(word)) {
            return false;
        }
        position += word.length();
        return true;
    }

    private boolean isWord(String word) {
        int end = position + word.length();
        return query.startsWith(word, position) && (end == query.length() || isDelimiter(query.charAt(end)));
    }

    private static boolean isDelimiter(char c) {
        return isSpace(c) || c == '(' || c == ')' || c == '"' || c == '*';
    }

    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    private QuerySyntaxException error(String problem, int at) {
        return new QuerySyntaxException(problem + ": position=" + at + ", query=" + around(at), at);
    }

    /** The query or, if it is long, the part around a position. */
    private String around(int at) {
        int start = query.length() <= SHOWN_MAX ? 0 : Math.max(0, at - SHOWN_BEFORE);
        int end = Math.min(query.length(), start + SHOWN_MAX);
        return (start > 0 ? "..." : "") + query.substring(start, end) + (end < query.length() ? "..." : "");
    }
}
