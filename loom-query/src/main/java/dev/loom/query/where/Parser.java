package dev.loom.query.where;

import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Parses an expression into a tree by recursive descent:
 *
 * <pre>
 * expression  = conjunction { "or" conjunction }
 * conjunction = negation { "and" negation }
 * negation    = "not" negation | "(" expression ")" | condition
 * condition   = NAME OPERATOR literal
 *             | NAME [ "not" ] "in" "(" literal { "," literal } ")"
 *             | NAME [ "not" ] "between" literal "and" literal
 *             | NAME [ "not" ] ( "contains" | "icontains" | "matches" ) TEXT
 *             | NAME ( "=~" | "!~" ) TEXT
 *             | NAME "is" [ "not" ] "null"
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

    Where parse() {
        Where parsed = disjunction();
        if (token.kind() != TokenKind.END) {
            throw expected("and, or, or the end");
        }
        return parsed;
    }

    private Where disjunction() {
        List<Where> terms = new ArrayList<>();
        do {
            Where term = conjunction();
            if (term instanceof Where.Or or) {
                terms.addAll(or.terms());
            } else {
                terms.add(term);
            }
        } while (skip(TokenKind.OR));
        return terms.size() == 1 ? terms.get(0) : new Where.Or(terms);
    }

    private Where conjunction() {
        List<Where> terms = new ArrayList<>();
        do {
            Where term = negation();
            if (term instanceof Where.And and) {
                terms.addAll(and.terms());
            } else {
                terms.add(term);
            }
        } while (skip(TokenKind.AND));
        return terms.size() == 1 ? terms.get(0) : new Where.And(terms);
    }

    private Where negation() {
        Token first = token;
        if (skip(TokenKind.NOT)) {
            descend(first);
            Where negated = new Where.Not(negation());
            depth--;
            return negated;
        }
        if (skip(TokenKind.LEFT_PARENTHESIS)) {
            descend(first);
            Where inner = disjunction();
            take(TokenKind.RIGHT_PARENTHESIS, "and, or, or )");
            depth--;
            return inner;
        }
        return condition();
    }

    private void descend(Token opening) {
        if (++depth > Where.DEPTH_MAX) {
            throw lexer.error("expression is nested too deeply, max=" + Where.DEPTH_MAX, opening.position());
        }
    }

    private Where condition() {
        String field = take(TokenKind.NAME, "a field name, not, or (").text();
        if (skip(TokenKind.IS)) {
            boolean negated = skip(TokenKind.NOT);
            take(TokenKind.NULL, negated ? "null" : "null or not null");
            return not(negated, new Where.IsNull(field));
        }
        boolean negated = skip(TokenKind.NOT);
        if (skip(TokenKind.IN)) {
            List<Literal> literals = list();
            return negated ? new Where.NotIn(field, literals) : new Where.In(field, literals);
        }
        if (skip(TokenKind.BETWEEN)) {
            return between(field, negated);
        }
        if (skip(TokenKind.CONTAINS)) {
            return not(negated, new Where.Contains(field, text()));
        }
        if (skip(TokenKind.ICONTAINS)) {
            return not(negated, new Where.ContainsIgnoringCase(field, text()));
        }
        if (skip(TokenKind.MATCHES)) {
            return not(negated, new Where.Matches(field, textQuery()));
        }
        if (!negated && (token.kind() == TokenKind.REGEX || token.kind() == TokenKind.NOT_REGEX)) {
            boolean without = token.kind() == TokenKind.NOT_REGEX;
            token = lexer.next();
            return not(without, regex(field));
        }
        if (negated) {
            throw expected("in between contains icontains or matches");
        }
        return comparison(field);
    }

    private static Where not(boolean negated, Where term) {
        return negated ? new Where.Not(term) : term;
    }

    private Where comparison(String field) {
        Token operatorToken =
                take(TokenKind.OPERATOR, "== != < <= > >= =~ !~ in between is contains icontains matches or not");
        Operator operator = Operator.of(operatorToken.text());
        if (token.kind() == TokenKind.NULL) {
            throw lexer.error("test for null with is null or is not null", operatorToken.position());
        }
        Literal literal = literal();
        if (literal instanceof Literal.Bool && !operator.isEquality()) {
            throw lexer.error("true and false can only be compared with == and !=", operatorToken.position());
        }
        return new Where.Comparison(field, operator, literal);
    }

    /** Both ends are included, so "not between" means below the low end or above the high one. */
    private Where between(String field, boolean negated) {
        Token first = token;
        Literal low = literal();
        take(TokenKind.AND, "and");
        Literal high = literal();
        if (low instanceof Literal.Bool
                || high instanceof Literal.Bool
                || !low.getClass().equals(high.getClass())) {
            throw lexer.error("between takes two numbers or two strings", first.position());
        }
        if (low instanceof Literal.Numeric from
                && high instanceof Literal.Numeric to
                && from.value().compareTo(to.value()) > 0) {
            throw lexer.error("between takes the lower number first", first.position());
        }
        Where atLow = new Where.Comparison(field, negated ? Operator.LESS : Operator.GREATER_OR_EQUAL, low);
        Where atHigh = new Where.Comparison(field, negated ? Operator.GREATER : Operator.LESS_OR_EQUAL, high);
        return negated ? new Where.Or(List.of(atLow, atHigh)) : new Where.And(List.of(atLow, atHigh));
    }

    private String text() {
        return take(TokenKind.TEXT, "a quoted string").text();
    }

    private Where regex(String field) {
        Token text = take(TokenKind.TEXT, "a quoted regular expression");
        try {
            return new Where.MatchesRegex(field, text.text());
        } catch (IllegalArgumentException e) {
            throw lexer.error(String.valueOf(e.getMessage()), text.position());
        }
    }

    private TextQuery textQuery() {
        Token text = take(TokenKind.TEXT, "a quoted text query");
        try {
            return TextQuery.parse(text.text());
        } catch (QuerySyntaxException e) {
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
            default -> throw expected("a number, a quoted string, true or false");
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

    private QuerySyntaxException expected(String words) {
        String found = token.kind() == TokenKind.END
                ? "the end"
                : expression.substring(token.position(), Math.min(token.end(), token.position() + FOUND_LENGTH_MAX));
        return lexer.error("expected " + words + ", found " + found, token.position());
    }
}
