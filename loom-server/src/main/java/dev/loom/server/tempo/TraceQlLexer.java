package dev.loom.server.tempo;

import java.util.List;

/** Cuts a TraceQL query into tokens. For one thread. */
final class TraceQlLexer {
    /** Longer ones first. */
    private static final List<String> SIGNS = List.of(
            "&&", "||", "!=", "!~", "=~", ">=", "<=", ">>", "<<", "=", ">", "<", "!", "(", ")", "{", "}", "|", "~", "^",
            "*", "/", "%", ",");

    private static final String ENDS_OF_NAMES = "{}()=~!<>&|^,\"`";

    private final String query;
    private int at;

    TraceQlLexer(String query) {
        this.query = query;
    }

    /** What a token is. */
    enum Kind {
        /** A name, a number or a duration: what has no spaces and no signs in it. */
        WORD,
        /** A text that was in quotes. */
        TEXT,
        SIGN,
        END
    }

    /** @param position of its first character */
    record Token(Kind kind, String text, int position) {
        boolean is(String sign) {
            return kind == Kind.SIGN && text.equals(sign);
        }

        @Override
        public String toString() {
            return kind == Kind.END ? "the end" : kind == Kind.TEXT ? '"' + text + '"' : text;
        }
    }

    Token next() {
        while (at < query.length() && Character.isWhitespace(query.charAt(at))) {
            at++;
        }
        int from = at;
        if (at == query.length()) {
            return new Token(Kind.END, "", from);
        }
        char first = query.charAt(at);
        if (first == '"' || first == '`') {
            return new Token(Kind.TEXT, quoted(), from);
        }
        for (String sign : SIGNS) {
            if (query.startsWith(sign, at)) {
                at += sign.length();
                return new Token(Kind.SIGN, sign, from);
            }
        }
        StringBuilder word = new StringBuilder();
        while (at < query.length() && !endsName(query.charAt(at))) {
            word.append(query.charAt(at++));
            if (at < query.length() && word.charAt(word.length() - 1) == '.' && query.charAt(at) == '"') {
                word.append(quoted()); // a name of any characters, as in span."a b"
            }
        }
        if (word.isEmpty()) {
            throw new TraceQlException("unexpected " + first, from, query);
        }
        return new Token(Kind.WORD, word.toString(), from);
    }

    private static boolean endsName(char c) {
        return Character.isWhitespace(c) || ENDS_OF_NAMES.indexOf(c) >= 0;
    }

    /** The text in quotes; in backquotes nothing is escaped. */
    private String quoted() {
        int from = at;
        char quote = query.charAt(at++);
        StringBuilder text = new StringBuilder();
        while (at < query.length() && query.charAt(at) != quote) {
            char c = query.charAt(at++);
            if (c == '\\' && quote == '"') {
                text.append(escaped(from));
            } else {
                text.append(c);
            }
        }
        if (at == query.length()) {
            throw new TraceQlException("text does not end", from, query);
        }
        at++;
        return text.toString();
    }

    private char escaped(int from) {
        if (at == query.length()) {
            throw new TraceQlException("text does not end", from, query);
        }
        char c = query.charAt(at++);
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '"', '\\' -> c;
            default -> throw new TraceQlException("unknown escape \\" + c, at - 2, query);
        };
    }
}
