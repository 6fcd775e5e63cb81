package dev.loom.server.prometheus.promql;

/** The kinds of tokens. */
enum PromTokenKind {
    NAME,
    NUMBER,
    DURATION,
    STRING,
    OPERATOR,
    END
}
