package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Splits a query in LogQL into tokens. For one thread. */
final class LogQlLexer {
    /** The longest query, in characters. */
    static final int LENGTH_MAX = 8_192;

    private static final List<String> SYMBOLS = List.of(
            "|=", "|~", "|>", "=~", "!~", "!=", "!>", "==", ">=", "<=", "{", "}", "(", ")", "[", "]", ",", "|", "=",
            ">", "<", "+", "-", "*", "/", "%", "^");

    private static final int NUMBER_MAX = 64;

    private static final Map<String, Long> TIMES = Map.ofEntries(
            Map.entry("ns", 1L),
            Map.entry("us", 1_000L),
            Map.entry("\u00b5s", 1_000L),
            Map.entry("\u03bcs", 1_000L),
            Map.entry("ms", 1_000_000L),
            Map.entry("s", 1_000_000_000L),
            Map.entry("m", 60_000_000_000L),
            Map.entry("h", 3_600_000_000_000L),
            Map.entry("d", 86_400_000_000_000L),
            Map.entry("w", 604_800_000_000_000L),
            Map.entry("y", 31_536_000_000_000_000L));

    private static final Map<String, Long> SIZES = Map.ofEntries(
            Map.entry("b", 1L),
            Map.entry("kb", 1_000L),
            Map.entry("mb", 1_000_000L),
            Map.entry("gb", 1_000_000_000L),
            Map.entry("tb", 1_000_000_000_000L),
            Map.entry("pb", 1_000_000_000_000_000L),
            Map.entry("kib", 1L << 10),
            Map.entry("mib", 1L << 20),
            Map.entry("gib", 1L << 30),
            Map.entry("tib", 1L << 40),
            Map.entry("pib", 1L << 50));

    private final String text;
    private int at;

    LogQlLexer(String text) {
        this.text = text;
        if (text.length() > LENGTH_MAX) {
            throw error("query is too long: length=" + text.length() + ", max=" + LENGTH_MAX, LENGTH_MAX);
        }
    }

    /** The kinds of tokens. */
    enum Kind {
        NAME,
        STRING,
        NUMBER,
        SYMBOL,
        END
    }

    /**
     * A token.
     *
     * @param text a name, a symbol, or what a string says
     * @param number with its unit multiplied in
     */
    record Token(Kind kind, String text, BigDecimal number, LogQl.Unit unit, int position) {
        /** Whether it is a symbol, or a keyword in any case. */
        boolean is(String symbolOrKeyword) {
            return (kind == Kind.SYMBOL || kind == Kind.NAME) && text.equalsIgnoreCase(symbolOrKeyword);
        }

        @Override
        public String toString() {
            return kind == Kind.END ? "the end" : kind == Kind.STRING ? quoted(text) : text;
        }
    }

    Token next() {
        skipSpace();
        int from = at;
        if (at == text.length()) {
            return token(Kind.END, "", from);
        }
        char c = text.charAt(at);
        if (isNameStart(c)) {
            while (at < text.length() && (isNameStart(text.charAt(at)) || isDigit(text.charAt(at)))) {
                at++;
            }
            return token(Kind.NAME, text.substring(from, at), from);
        } else if (c == '"') {
            return token(Kind.STRING, quotedString(), from);
        } else if (c == '`') {
            int end = text.indexOf('`', at + 1);
            if (end < 0) {
                throw error("string has no end", from);
            }
            at = end + 1;
            return token(Kind.STRING, text.substring(from + 1, end), from);
        } else if (isDigit(c) || (c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1)))) {
            return number();
        }
        for (String symbol : SYMBOLS) {
            if (text.startsWith(symbol, at)) {
                at += symbol.length();
                return token(Kind.SYMBOL, symbol, from);
            }
        }
        throw error("unexpected character " + Character.getName(text.codePointAt(at)), from);
    }

    private static Token token(Kind kind, String text, int from) {
        return new Token(kind, text, BigDecimal.ZERO, LogQl.Unit.NONE, from);
    }

    private void skipSpace() {
        while (at < text.length() && (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == '#')) {
            if (text.charAt(at) == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else {
                at++;
            }
        }
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** A number, a duration such as {@code 1h30m}, or a size such as {@code 5KiB}. */
    private Token number() {
        int from = at;
        BigDecimal sum = BigDecimal.ZERO;
        LogQl.Unit unit = LogQl.Unit.NONE;
        do {
            BigDecimal part = digits(from);
            int unitFrom = at;
            while (at < text.length() && Character.isLetter(text.charAt(at))) {
                at++;
            }
            String name = text.substring(unitFrom, at);
            Long time = TIMES.get(name);
            Long size = SIZES.get(name.toLowerCase(Locale.ROOT));
            LogQl.Unit found =
                    name.isEmpty() ? LogQl.Unit.NONE : time != null ? LogQl.Unit.NANOSECONDS : LogQl.Unit.BYTES;
            boolean first = sum.signum() == 0 && unit == LogQl.Unit.NONE;
            if ((!name.isEmpty() && time == null && size == null) || (!first && found != LogQl.Unit.NANOSECONDS)) {
                throw error("not a number, a duration or a size: " + text.substring(from, at), from);
            }
            sum = sum.add(part.multiply(BigDecimal.valueOf(time != null ? time : size != null ? size : 1)));
            unit = found;
        } while (unit == LogQl.Unit.NANOSECONDS && at < text.length() && isDigit(text.charAt(at)));
        return new Token(Kind.NUMBER, text.substring(from, at), sum, unit, from);
    }

    private BigDecimal digits(int from) {
        int begin = at;
        while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        int exponent = at;
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                at++;
            }
            int digits = at;
            while (at < text.length() && isDigit(text.charAt(at))) {
                at++;
            }
            if (digits == at) {
                at = exponent;
            }
        }
        try {
            BigDecimal number = new BigDecimal(text.substring(begin, at));
            if (at - begin > NUMBER_MAX || Math.abs((long) number.precision() - number.scale()) > NUMBER_MAX * 8L) {
                throw error("number is out of range", from);
            }
            return number;
        } catch (NumberFormatException e) {
            throw error("not a number: " + text.substring(begin, at), from);
        }
    }

    /** A string in double quotes, with the escapes of Go. */
    private String quotedString() {
        int from = at++;
        StringBuilder string = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c != '\\') {
                string.append(c);
            } else if (at == text.length()) {
                break;
            } else {
                string.append(escaped(text.charAt(at++)));
            }
        }
        if (at == text.length()) {
            throw error("string has no end", from);
        }
        at++;
        return string.toString();
    }

    private String escaped(char c) {
        return switch (c) {
            case 'n' -> "\n";
            case 'r' -> "\r";
            case 't' -> "\t";
            case 'a' -> "\u0007";
            case 'b' -> "\b";
            case 'f' -> "\f";
            case 'v' -> "\u000b";
            case '\\', '"', '\'' -> String.valueOf(c);
            case 'x' -> codePoint(2);
            case 'u' -> codePoint(4);
            case 'U' -> codePoint(8);
            default -> throw error("unknown escape \\" + c + "; a string in backquotes has none", at - 2);
        };
    }

    private String codePoint(int digits) {
        try {
            int codePoint = Integer.parseUnsignedInt(text.substring(at, Math.min(text.length(), at + digits)), 16);
            at += digits;
            return Character.toString(codePoint);
        } catch (IllegalArgumentException e) {
            throw error("not a character's number", at);
        }
    }

    /** A text as a string of LogQL. */
    static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        value.codePoints().forEach(c -> {
            switch (c) {
                case '"', '\\' -> quoted.append('\\').append((char) c);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (Character.isISOControl(c)) {
                        quoted.append(String.format("\\u%04x", c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }

    /** A failure with its line and column, counted from 1, as Loki's clients show it. */
    ApiFailure error(String message, int position) {
        return error(text, message, position);
    }

    static ApiFailure error(String text, String message, int position) {
        int end = Math.min(position, text.length());
        int lineStart = text.lastIndexOf('\n', end - 1) + 1;
        long line =
                1 + text.substring(0, lineStart).chars().filter(c -> c == '\n').count();
        return ApiFailure.badRequest("parse error at line " + line + ", col " + (end - lineStart + 1) + ": " + message);
    }
}
