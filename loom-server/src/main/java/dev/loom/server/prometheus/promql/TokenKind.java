package dev.loom.server.prometheus.promql;

/** The kinds of tokens. */
enum TokenKind {
    NAME,
    NUMBER,
    DURATION,
    STRING,
    OPERATOR,
    END
}
