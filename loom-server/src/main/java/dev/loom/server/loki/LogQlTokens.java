package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.loki.LogQlLexer.Kind;
import dev.loom.server.loki.LogQlLexer.Token;
import java.util.ArrayList;
import java.util.List;

/** The tokens of a query, with those ahead; bounds how deep and how much is parsed. For one thread. */
final class LogQlTokens {
    /** The deepest nesting of parentheses and aggregations. */
    static final int DEPTH_MAX = 64;

    /** The most conditions and calculations. */
    static final int TERMS_MAX = 512;

    private final LogQlLexer lexer;
    private final List<Token> ahead = new ArrayList<>();
    private int depth;
    private int terms;

    LogQlTokens(String query) {
        lexer = new LogQlLexer(query);
    }

    Token peek() {
        return peek(0);
    }

    Token peek(int count) {
        while (ahead.size() <= count) {
            ahead.add(lexer.next());
        }
        return ahead.get(count);
    }

    Token take() {
        Token token = peek();
        ahead.remove(0);
        return token;
    }

    boolean skip(String text) {
        boolean found = peek().is(text);
        if (found) {
            take();
        }
        return found;
    }

    Token expect(String symbol) {
        if (!peek().is(symbol)) {
            throw unexpected(symbol);
        }
        return take();
    }

    Token expect(Kind kind, String what) {
        if (peek().kind() != kind) {
            throw unexpected(what);
        }
        return take();
    }

    ApiFailure unexpected(String expected) {
        return lexer.error("unexpected " + peek() + ", expected " + expected, peek().position());
    }

    ApiFailure unsupported(Token token) {
        return lexer.error("not supported: " + token.text(), token.position());
    }

    void oneMore(Token at) {
        if (++terms > TERMS_MAX) {
            throw lexer.error("too many conditions or calculations: max=" + TERMS_MAX, at.position());
        }
    }

    void deeper(Token at) {
        if (++depth > DEPTH_MAX) {
            throw lexer.error("nested too deep: max=" + DEPTH_MAX, at.position());
        }
    }

    void shallower() {
        depth--;
    }

    ApiFailure error(String message, int position) {
        return lexer.error(message, position);
    }
}
