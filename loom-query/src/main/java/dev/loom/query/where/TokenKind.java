package dev.loom.query.where;

import java.util.List;

/** The kinds of token of an expression. */
enum TokenKind {
    NAME,
    NUMBER,
    TEXT,
    OPERATOR,
    REGEX,
    NOT_REGEX,
    AND,
    OR,
    NOT,
    IN,
    BETWEEN,
    IS,
    NULL,
    CONTAINS,
    ICONTAINS,
    MATCHES,
    TRUE,
    FALSE,
    LEFT_PARENTHESIS,
    RIGHT_PARENTHESIS,
    COMMA,
    END;

    private static final List<TokenKind> KEYWORDS =
            List.of(AND, OR, NOT, IN, BETWEEN, IS, NULL, CONTAINS, ICONTAINS, MATCHES, TRUE, FALSE);

    /** The kind of an unquoted word: a keyword, in any case, or a name. */
    static TokenKind ofWord(String word) {
        for (TokenKind keyword : KEYWORDS) {
            if (keyword.name().equalsIgnoreCase(word)) {
                return keyword;
            }
        }
        return NAME;
    }
}
