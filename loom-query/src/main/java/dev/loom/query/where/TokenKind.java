package dev.loom.query.where;

import java.util.List;

/** The kinds of token of an expression. */
enum TokenKind {
    NAME,
    NUMBER,
    TEXT,
    OPERATOR,
    PLUS,
    MINUS,
    TIMES,
    DIVIDED_BY,
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

    /** Whether an operand of a calculation may end with this, so that a sign after it is an operator. */
    boolean endsOperand() {
        return this == NAME || this == NUMBER || this == RIGHT_PARENTHESIS;
    }

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
