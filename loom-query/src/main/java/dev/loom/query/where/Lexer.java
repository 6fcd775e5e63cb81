package dev.loom.query.where;

import dev.loom.api.ValueUnit;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;

/** Splits an expression into tokens. */
final class Lexer {
    private static final int CHARS_BEFORE = 60;
    private static final int CHARS_AFTER = 20;
    private static final String CUT = "...";

    /** The greatest power of ten in a number, so that no number expands to millions of digits. */
    static final int EXPONENT_MAX = 999;

    private final String expression;
    private int position;

    private TokenKind previous = TokenKind.END;

    /** Whether the next token is a regular expression. */
    private boolean regexFollows;

    Lexer(String expression) {
        this(expression, 0);
    }

    /** Begins at a position where a token begins. */
    Lexer(String expression, int position) {
        this.expression = expression;
        this.position = position;
    }

    /** The next token; at the end always {@link TokenKind#END}. */
    Token next() {
        Token token = read();
        previous = token.kind();
        return token;
    }

    private Token read() {
        while (Character.isWhitespace(peek(0))) {
            position++;
        }
        boolean inRegex = regexFollows;
        regexFollows = false;
        int start = position;
        char c = peek(0);
        if (start == expression.length()) {
            return new Token(TokenKind.END, start, start, "", null);
        }
        if (isNameStart(c)) {
            return word(start);
        }
        boolean signed = (c == '-' || c == '+') && isDigit(peek(1)) && !previous.endsOperand();
        if (isDigit(c) || signed) {
            return number(start);
        }
        return switch (c) {
            case '"', '\'' -> text(start, c, inRegex);
            case '`' -> quotedName(start);
            case '(' -> symbol(TokenKind.LEFT_PARENTHESIS, 1);
            case ')' -> symbol(TokenKind.RIGHT_PARENTHESIS, 1);
            case ',' -> symbol(TokenKind.COMMA, 1);
            case '+' -> symbol(TokenKind.PLUS, 1);
            case '-' -> symbol(TokenKind.MINUS, 1);
            case '*' -> symbol(TokenKind.TIMES, 1);
            case '/' -> symbol(TokenKind.DIVIDED_BY, 1);
            case '<', '>' -> symbol(TokenKind.OPERATOR, peek(1) == '=' ? 2 : 1);
            case '=', '!' -> equality(start, c);
            default -> throw error("unexpected character", start);
        };
    }

    QuerySyntaxException error(String problem, int at) {
        return error(problem + ": position=" + at, expression, at);
    }

    /** An error whose message quotes the expression around a position, and points at it. */
    static QuerySyntaxException error(String problem, String expression, int at) {
        return new QuerySyntaxException(problem + "\n" + excerpt(expression, at), at);
    }

    private static String excerpt(String expression, int position) {
        int start = Math.max(0, position - CHARS_BEFORE);
        int end = Math.min(expression.length(), position + CHARS_AFTER);
        StringBuilder excerpt = new StringBuilder(start > 0 ? CUT : "");
        int caret = excerpt.length() + position - start;
        for (int i = start; i < end; i++) {
            // one column each: a character that would move the terminal's cursor becomes a space
            char c = expression.charAt(i);
            excerpt.append(Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? ' ' : c);
        }
        excerpt.append(end < expression.length() ? CUT : "");
        return excerpt.append('\n').append(" ".repeat(caret)).append('^').toString();
    }

    private Token symbol(TokenKind kind, int length) {
        int start = position;
        position += length;
        return new Token(kind, start, position, expression.substring(start, position), null);
    }

    private Token equality(int start, char c) {
        if (peek(1) == '~') {
            regexFollows = true;
            return symbol(c == '=' ? TokenKind.REGEX : TokenKind.NOT_REGEX, 2);
        } else if (peek(1) != '=') {
            throw error(c == '=' ? "expected == instead of =" : "expected != or the word not", start);
        }
        return symbol(TokenKind.OPERATOR, 2);
    }

    private Token word(int start) {
        while (isNamePart(peek(0))) {
            position++;
        }
        String word = expression.substring(start, position);
        return new Token(TokenKind.ofWord(word), start, position, word, null);
    }

    /** A name in backquotes; a doubled backquote stands for one. */
    private Token quotedName(int start) {
        StringBuilder name = new StringBuilder();
        position++;
        while (true) {
            char c = take("`", start);
            if (c != '`') {
                name.append(c);
            } else if (peek(0) == '`') {
                name.append(c);
                position++;
            } else {
                break;
            }
        }
        if (name.isEmpty()) {
            throw error("field name is empty", start);
        }
        return new Token(TokenKind.NAME, start, position, name.toString(), null);
    }

    private Token text(int start, char quote, boolean inRegex) {
        StringBuilder text = new StringBuilder();
        position++;
        while (true) {
            char c = take(String.valueOf(quote), start);
            if (c == quote) {
                return new Token(TokenKind.TEXT, start, position, text.toString(), null);
            }
            if (c == '\\') {
                escape(start, inRegex, text);
            } else {
                text.append(c);
            }
        }
    }

    /** A regular expression keeps escapes of its own, such as {@code \\d}. */
    private void escape(int start, boolean inRegex, StringBuilder text) {
        int at = position - 1;
        char c = take("the rest of an escape", start);
        switch (c) {
            case '"', '\'', '\\' -> text.append(c);
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> text.append(unicode(at));
            default -> {
                if (!inRegex) {
                    throw error("unknown escape, expected one of \\\" \\' \\\\ \\n \\r \\t \\uXXXX", at);
                }
                text.append('\\').append(c);
            }
        }
    }

    private char unicode(int at) {
        int value = 0;
        for (int i = 0; i < 4; i++, position++) {
            int digit = Character.digit(peek(0), 16);
            if (digit < 0 || peek(0) > 'f') {
                throw error("expected four hexadecimal digits after \\u", at);
            }
            value = value << 4 | digit;
        }
        return (char) value;
    }

    private Token number(int start) {
        position++;
        skipDigits();
        boolean integral = true;
        if (peek(0) == '.' && isDigit(peek(1))) {
            integral = false;
            position++;
            skipDigits();
        }
        if (peek(0) == 'e' || peek(0) == 'E') {
            integral = false;
            exponent();
        }
        int unitStart = position;
        while (isUnitPart(peek(0))) {
            position++;
        }
        BigDecimal value = Quantity.scaled(expression.substring(start, position), unitStart - start, null);
        if (value == null) {
            throw error("unknown unit, expected one of " + Unit.ALL, unitStart);
        }
        // 1h0.5m has a fraction, although its first number has none
        integral &= value.scale() == 0;
        Literal.Numeric number = new Literal.Numeric(value, integral, unit(unitStart));
        return new Token(TokenKind.NUMBER, start, position, expression.substring(start, position), number);
    }

    /** The unit of a number, from its first unit; all its units have one dimension. */
    private ValueUnit unit(int unitStart) {
        int end = unitStart;
        while (end < position && !isDigit(expression.charAt(end))) {
            end++;
        }
        Unit first = Unit.of(expression.substring(unitStart, end));
        return first == null
                ? ValueUnit.NONE
                : first.dimension() == Unit.Dimension.TIME ? ValueUnit.NANOSECONDS : ValueUnit.BYTES;
    }

    private void exponent() {
        int start = position++;
        if (peek(0) == '-' || peek(0) == '+') {
            position++;
        }
        int digits = position;
        skipDigits();
        if (position == digits) {
            throw error("expected exponent digits", start);
        }
        if (position - digits > 3) {
            throw error("exponent is too large, max=" + EXPONENT_MAX, start);
        }
    }

    private void skipDigits() {
        while (isDigit(peek(0))) {
            position++;
        }
    }

    /** The next character of a token that began at {@code start} and may not end here. */
    private char take(String expected, int start) {
        if (position == expression.length()) {
            throw error("expected " + expected + " in the token that starts at " + start, position);
        }
        return expression.charAt(position++);
    }

    /** The character this far ahead; 0 past the end, which is part of no token outside quotes. */
    private char peek(int ahead) {
        int at = position + ahead;
        return at < expression.length() ? expression.charAt(at) : 0;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
    }

    private static boolean isUnitPart(char c) {
        return (isNamePart(c) && c != '-') || c == '\u00b5' || c == '\u03bc';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || isDigit(c) || c == '.' || c == '-';
    }
}
