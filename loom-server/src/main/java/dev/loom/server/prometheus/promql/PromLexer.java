package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits an expression into tokens. */
final class PromLexer {
    // possessive, so that no text takes more than one pass
    private static final Pattern NUMBER =
            Pattern.compile("0[xX][0-9a-fA-F]++|(?:[0-9]++(?:\\.[0-9]*+)?|\\.[0-9]++)(?:[eE][+-]?[0-9]++)?");

    private static final Pattern DURATION = Pattern.compile("(?:[0-9]++(?:ms|[smhdwy]))++");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*+");
    private static final String[] OPERATORS = {
        "==", "!=", "=~", "!~", ">=", "<=", "(", ")", "{", "}", "[", "]", ",", "=", "+", "-", "*", "/", "%", "^", "<",
        ">", "@", ":"
    };

    private final String text;
    private final List<PromToken> tokens = new ArrayList<>();
    private int at;

    private PromLexer(String text) {
        this.text = text;
    }

    /** The tokens of an expression; the last one is its end. */
    static List<PromToken> tokens(String text) {
        PromLexer lexer = new PromLexer(text);
        while (lexer.skipSpace()) {
            lexer.next();
        }
        lexer.tokens.add(new PromToken(PromTokenKind.END, "", text.length()));
        return lexer.tokens;
    }

    private boolean skipSpace() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                at++;
            } else {
                return true;
            }
        }
        return false;
    }

    private void next() {
        char c = text.charAt(at);
        if (c == '"' || c == '\'' || c == '`') {
            string(c);
        } else if (take(DURATION, PromTokenKind.DURATION) || take(NUMBER, PromTokenKind.NUMBER)) {
            requireBorder();
        } else if (!takeName()) {
            operator();
        }
    }

    private boolean take(Pattern pattern, PromTokenKind kind) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            return false;
        }
        tokens.add(new PromToken(kind, matcher.group(), at));
        at = matcher.end();
        return true;
    }

    private boolean takeName() {
        // in a subquery a colon is an operator
        boolean colon = text.charAt(at) == ':'
                && !tokens.isEmpty()
                && tokens.get(tokens.size() - 1).kind() == PromTokenKind.DURATION;
        return !colon && take(NAME, PromTokenKind.NAME);
    }

    /** A number does not end within a word. */
    private void requireBorder() {
        if (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
            PromToken last = tokens.get(tokens.size() - 1);
            throw new PromQlException(
                    text,
                    last.position(),
                    "bad number or duration syntax: " + Quoted.of(last.text() + text.charAt(at)));
        }
    }

    private void operator() {
        for (String operator : OPERATORS) {
            if (text.startsWith(operator, at)) {
                tokens.add(new PromToken(PromTokenKind.OPERATOR, operator, at));
                at += operator.length();
                return;
            }
        }
        int codePoint = text.codePointAt(at);
        throw new PromQlException(text, at, "unexpected character: " + Quoted.of(Character.toString(codePoint)));
    }

    private void string(char quote) {
        int begin = at++;
        StringBuilder value = new StringBuilder();
        while (true) {
            if (at >= text.length() || (quote != '`' && text.charAt(at) == '\n')) {
                throw new PromQlException(text, begin, "unterminated quoted string");
            }
            char c = text.charAt(at++);
            if (c == quote) {
                break;
            } else if (c == '\\' && quote != '`') {
                escape(quote, value);
            } else {
                value.append(c);
            }
        }
        tokens.add(new PromToken(PromTokenKind.STRING, value.toString(), begin));
    }

    private void escape(char quote, StringBuilder value) {
        char c = at < text.length() ? text.charAt(at) : 0;
        int plain = "abfnrtv\\".indexOf(c);
        if (c != 0 && (plain >= 0 || c == quote)) {
            value.append(c == quote ? quote : "\u0007\b\f\n\r\t\u000B\\".charAt(plain));
            at++;
            return;
        }
        int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        try {
            if (digits > 0) {
                value.appendCodePoint(codePoint(text.substring(at + 1, at + 1 + digits), 16, c == 'x'));
                at += 1 + digits;
                return;
            } else if (c >= '0' && c <= '7') {
                value.appendCodePoint(codePoint(text.substring(at, at + 3), 8, true));
                at += 3;
                return;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new PromQlException(text, at - 1, "bad escape in a string");
        }
        throw new PromQlException(text, at - 1, "unknown escape sequence in a string");
    }

    /** A byte that is no character of its own is refused. */
    private static int codePoint(String digits, int radix, boolean ofByte) {
        int codePoint = Integer.parseUnsignedInt(digits, radix);
        if (ofByte && codePoint > 0x7F) {
            throw new IllegalArgumentException("not ASCII");
        }
        return codePoint;
    }
}
