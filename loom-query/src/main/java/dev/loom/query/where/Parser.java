package dev.loom.query.where;

import dev.loom.query.text.TextQuery;
import dev.loom.query.text.TextSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Makes the tree of an expression, by recursive descent:
 *
 * <pre>
 * expression  = conjunction { "or" conjunction }
 * conjunction = negation { "and" negation }
 * negation    = "not" negation | "(" expression ")" | condition
 * condition   = NAME OPERATOR literal
 *             | NAME "in" "(" literal { "," literal } ")"
 *             | NAME "contains" TEXT
 *             | NAME "matches" TEXT
 * literal     = NUMBER | TEXT | "true" | "false"
 * </pre>
 */
final class Parser {
    private static final int FOUND_LENGTH_MAX = 32;

    private final String expression;
    private final Lexer lexer;
    private Token token;
    private int depth;

    Parser(String expression) {
        this.expression = expression;
        lexer = new Lexer(expression);
        token = lexer.next();
    }

    WhereExpression parse() {
        WhereExpression parsed = disjunction();
        if (token.kind() != TokenKind.END) {
            throw expected("and, or, or the end");
        }
        return parsed;
    }

    private WhereExpression disjunction() {
        List<WhereExpression> terms = new ArrayList<>();
        do {
            WhereExpression term = conjunction();
            if (term instanceof WhereExpression.Or or) {
                terms.addAll(or.terms());
            } else {
                terms.add(term);
            }
        } while (skip(TokenKind.OR));
        return terms.size() == 1 ? terms.get(0) : new WhereExpression.Or(terms);
    }

    private WhereExpression conjunction() {
        List<WhereExpression> terms = new ArrayList<>();
        do {
            WhereExpression term = negation();
            if (term instanceof WhereExpression.And and) {
                terms.addAll(and.terms());
            } else {
                terms.add(term);
            }
        } while (skip(TokenKind.AND));
        return terms.size() == 1 ? terms.get(0) : new WhereExpression.And(terms);
    }

    private WhereExpression negation() {
        Token first = token;
        if (skip(TokenKind.NOT)) {
            descend(first);
            WhereExpression negated = new WhereExpression.Not(negation());
            depth--;
            return negated;
        }
        if (skip(TokenKind.LEFT_PARENTHESIS)) {
            descend(first);
            WhereExpression inner = disjunction();
            take(TokenKind.RIGHT_PARENTHESIS, "and, or, or )");
            depth--;
            return inner;
        }
        return condition();
    }

    private void descend(Token opening) {
        if (++depth > Where.DEPTH_MAX) {
            throw lexer.error("expression is nested too deep, max=" + Where.DEPTH_MAX, opening.position());
        }
    }

    private WhereExpression condition() {
        String field = take(TokenKind.NAME, "a field name, not, or (").text();
        if (skip(TokenKind.IN)) {
            return new WhereExpression.In(field, list());
        }
        if (skip(TokenKind.CONTAINS)) {
            return new WhereExpression.Contains(
                    field, take(TokenKind.TEXT, "a text in quotes").text());
        }
        if (skip(TokenKind.MATCHES)) {
            return new WhereExpression.Matches(field, textQuery());
        }
        Token operatorToken = take(TokenKind.OPERATOR, "== != < <= > >= in contains or matches");
        Operator operator = Operator.of(operatorToken.text());
        Literal literal = literal();
        if (literal instanceof Literal.Bool && !operator.isEquality()) {
            throw lexer.error("true and false go with == and != alone", operatorToken.position());
        }
        return new WhereExpression.Comparison(field, operator, literal);
    }

    private TextQuery textQuery() {
        Token text = take(TokenKind.TEXT, "a text query in quotes");
        try {
            return TextQuery.parse(text.text());
        } catch (TextSyntaxException e) {
            throw lexer.error(e.getMessage() + ", in the text query", text.position());
        }
    }

    private List<Literal> list() {
        take(TokenKind.LEFT_PARENTHESIS, "(");
        List<Literal> literals = new ArrayList<>();
        do {
            literals.add(literal());
        } while (skip(TokenKind.COMMA));
        take(TokenKind.RIGHT_PARENTHESIS, ", or )");
        return literals;
    }

    private Literal literal() {
        Token first = token;
        Literal literal = switch (first.kind()) {
            case NUMBER -> Objects.requireNonNull(first.number());
            case TEXT -> new Literal.Text(first.text());
            case TRUE -> new Literal.Bool(true);
            case FALSE -> new Literal.Bool(false);
            default -> throw expected("a number, a text in quotes, true or false");
        };
        token = lexer.next();
        return literal;
    }

    private boolean skip(TokenKind kind) {
        if (token.kind() != kind) {
            return false;
        }
        token = lexer.next();
        return true;
    }

    private Token take(TokenKind kind, String words) {
        Token taken = token;
        if (!skip(kind)) {
            throw expected(words);
        }
        return taken;
    }

    private WhereSyntaxException expected(String words) {
        String found = token.kind() == TokenKind.END
                ? "the end"
                : expression.substring(token.position(), Math.min(token.end(), token.position() + FOUND_LENGTH_MAX));
        return lexer.error("expected " + words + ", found " + found, token.position());
    }
}
