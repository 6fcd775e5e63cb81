package dev.loom.query.where;

import dev.loom.api.ValueUnit;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
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
 *             | formula OPERATOR formula
 *             | formula [ "not" ] "in" "(" literal { "," literal } ")"
 *             | NAME [ "not" ] "between" literal "and" literal
 *             | formula [ "not" ] "between" formula "and" formula
 *             | NAME [ "not" ] ( "contains" | "icontains" | "matches" ) TEXT
 *             | NAME ( "=~" | "!~" ) TEXT
 *             | NAME "is" [ "not" ] "null"
 * literal     = NUMBER | TEXT | "true" | "false"
 * formula     = product { ( "+" | "-" ) product }
 * product     = operand { ( "*" | "/" ) operand }
 * operand     = NAME | NUMBER | "-" operand | "(" formula ")"
 * </pre>
 *
 * A parenthesis that is followed by what continues a formula holds a formula, any other one an expression.
 */
final class Parser {
    private static final int FOUND_LENGTH_MAX = 32;
    private static final String VALUE = "a number, a field, a quoted string, true or false";
    private static final Formula MINUS_ONE = number(BigDecimal.ONE.negate());

    private final String expression;
    private final Lexer lexer;
    private Token token;
    private int depth;
    /** Of the formulas of the current condition. */
    private int operands;
    /** What there is to calculate in the expression. */
    private FormulaSize calculated = FormulaSize.NONE;

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
        if (first.kind() == TokenKind.LEFT_PARENTHESIS && !isBeforeFormula()) {
            skip(TokenKind.LEFT_PARENTHESIS);
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
        operands = 0;
        Token first = token;
        if (!beginsOperand()) {
            throw expected("a field name, a number, not, or (");
        }
        Formula left = formula();
        return left instanceof Formula.Field field ? condition(field) : calculation(left, first);
    }

    private Where condition(Formula.Field left) {
        String field = left.name();
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
            return between(left, negated);
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
        return comparison(left);
    }

    /** A formula that is no field allows only comparisons of numbers. */
    private Where calculation(Formula left, Token first) {
        boolean negated = skip(TokenKind.NOT);
        if (skip(TokenKind.BETWEEN)) {
            return between(left, negated);
        }
        if (skip(TokenKind.IN)) {
            return in(left, first, negated);
        }
        if (negated) {
            throw expected("in or between");
        }
        Token operator = take(TokenKind.OPERATOR, "== != < <= > >= + - * / in between or not");
        return relation(left, Operator.of(operator.text()), formula(), first);
    }

    private Where in(Formula left, Token first, boolean negated) {
        Token list = token;
        List<Where> terms = new ArrayList<>();
        for (Literal literal : list()) {
            if (!(literal instanceof Literal.Numeric number)) {
                throw lexer.error("a calculation can only be compared with numbers", list.position());
            }
            Operator operator = negated ? Operator.NOT_EQUAL : Operator.EQUAL;
            terms.add(relation(left, operator, new Formula.Constant(number), first));
        }
        return terms.size() == 1 ? terms.get(0) : negated ? new Where.And(terms) : new Where.Or(terms);
    }

    private static Where not(boolean negated, Where term) {
        return negated ? new Where.Not(term) : term;
    }

    private Where comparison(Formula.Field left) {
        Token operatorToken = take(
                TokenKind.OPERATOR, "== != < <= > >= =~ !~ + - * / in between is contains icontains matches or not");
        Operator operator = Operator.of(operatorToken.text());
        if (token.kind() == TokenKind.NULL) {
            throw lexer.error("test for null with is null or is not null", operatorToken.position());
        }
        if (beginsOperand()) {
            return relation(left, operator, formula(), operatorToken);
        }
        Literal literal = literal(VALUE);
        if (literal instanceof Literal.Bool && !operator.isEquality()) {
            throw lexer.error("true and false can only be compared with == and !=", operatorToken.position());
        }
        return new Where.Comparison(left.name(), operator, literal);
    }

    /** Compares two formulas; a field and a number make a plain comparison. */
    private Where relation(Formula left, Operator operator, Formula right, Token first) {
        if (left instanceof Formula.Field field && right instanceof Formula.Constant number) {
            return new Where.Comparison(field.name(), operator, number.literal());
        }
        if (left instanceof Formula.Constant number && right instanceof Formula.Field field) {
            return new Where.Comparison(field.name(), operator.reversed(), number.literal());
        }
        if (!hasField(left) && !hasField(right)) {
            throw lexer.error("a comparison needs a field", first.position());
        }
        Where.Relation relation = new Where.Relation(left, operator, right);
        limit(FormulaSize.of(relation), first);
        return relation;
    }

    private void limit(FormulaSize size, Token first) {
        calculated = calculated.plus(size);
        if (size.bits() > Formula.BITS_MAX) {
            throw lexer.error(
                    "numbers of a calculation are too large: bits=" + size.bits() + ", max=" + Formula.BITS_MAX,
                    first.position());
        } else if (calculated.operands() > Formula.ALL_OPERANDS_MAX || calculated.bits() > Formula.ALL_BITS_MAX) {
            throw lexer.error(
                    "expression calculates too much: operands=" + calculated.operands() + ", max="
                            + Formula.ALL_OPERANDS_MAX + ", bits of numbers=" + calculated.bits() + ", max="
                            + Formula.ALL_BITS_MAX,
                    first.position());
        }
    }

    private static boolean hasField(Formula formula) {
        return formula instanceof Formula.Operation operation
                ? hasField(operation.left()) || hasField(operation.right())
                : formula instanceof Formula.Field;
    }

    private Formula formula() {
        Formula sum = product();
        while (token.kind() == TokenKind.PLUS || token.kind() == TokenKind.MINUS) {
            Formula.Operator operator = skip(TokenKind.PLUS) ? Formula.Operator.PLUS : minus();
            sum = new Formula.Operation(sum, operator, product());
        }
        return sum;
    }

    private Formula.Operator minus() {
        take(TokenKind.MINUS, "-");
        return Formula.Operator.MINUS;
    }

    private Formula product() {
        Formula product = operand();
        while (true) {
            if (skip(TokenKind.TIMES)) {
                product = new Formula.Operation(product, Formula.Operator.TIMES, operand());
            } else if (skip(TokenKind.DIVIDED_BY)) {
                Token divisor = token;
                Formula right = operand();
                if (right instanceof Formula.Constant number
                        && number.literal().value().signum() == 0) {
                    throw lexer.error("division by zero", divisor.position());
                }
                product = new Formula.Operation(product, Formula.Operator.DIVIDED_BY, right);
            } else {
                return product;
            }
        }
    }

    private boolean beginsOperand() {
        return switch (token.kind()) {
            case NAME, NUMBER, MINUS, LEFT_PARENTHESIS -> true;
            default -> false;
        };
    }

    private Formula operand() {
        Token first = token;
        if (first.kind() == TokenKind.NAME || first.kind() == TokenKind.NUMBER) {
            operands++;
        }
        if (operands > Formula.OPERANDS_MAX) {
            throw lexer.error("comparison has too many operands, max=" + Formula.OPERANDS_MAX, first.position());
        }
        if (skip(TokenKind.NAME)) {
            return new Formula.Field(first.text());
        }
        if (skip(TokenKind.NUMBER)) {
            return new Formula.Constant(Objects.requireNonNull(first.number()));
        }
        if (skip(TokenKind.MINUS)) {
            descend(first);
            Formula negated = operand();
            depth--;
            return new Formula.Operation(MINUS_ONE, Formula.Operator.TIMES, negated);
        }
        if (skip(TokenKind.LEFT_PARENTHESIS)) {
            descend(first);
            Formula inner = formula();
            take(TokenKind.RIGHT_PARENTHESIS, "+ - * / or )");
            depth--;
            return inner;
        }
        throw expected("a number, a field or (");
    }

    private static Formula number(BigDecimal value) {
        return new Formula.Constant(new Literal.Numeric(value, true));
    }

    /** Whether what follows the parenthesis that closes the current one makes it a formula. */
    private boolean isBeforeFormula() {
        Lexer ahead = new Lexer(expression, token.position());
        int open = 0;
        try {
            while (true) {
                TokenKind kind = ahead.next().kind();
                open += kind == TokenKind.LEFT_PARENTHESIS ? 1 : kind == TokenKind.RIGHT_PARENTHESIS ? -1 : 0;
                if (kind == TokenKind.END) {
                    return false;
                } else if (open == 0) {
                    return continuesFormula(ahead.next().kind(), ahead);
                }
            }
        } catch (QuerySyntaxException e) {
            return false; // it is found again, and reported, where it is read
        }
    }

    private static boolean continuesFormula(TokenKind kind, Lexer ahead) {
        return switch (kind) {
            case OPERATOR, PLUS, MINUS, TIMES, DIVIDED_BY, IN, BETWEEN -> true;
            case NOT -> continuesFormula(ahead.next().kind(), ahead);
            default -> false;
        };
    }

    /** Both ends are included, so "not between" means below the low end or above the high one. */
    private Where between(Formula left, boolean negated) {
        Token first = token;
        Operator atLow = negated ? Operator.LESS : Operator.GREATER_OR_EQUAL;
        Operator atHigh = negated ? Operator.GREATER : Operator.LESS_OR_EQUAL;
        List<Where> ends;
        if (beginsOperand() || !(left instanceof Formula.Field field)) {
            Formula low = formula();
            take(TokenKind.AND, "and");
            if (!beginsOperand()) {
                throw lexer.error("between takes two numbers or two strings", first.position());
            }
            Formula high = formula();
            ends = List.of(relation(left, atLow, low, first), relation(left, atHigh, high, first));
            if (low instanceof Formula.Constant from && high instanceof Formula.Constant to) {
                Literal.Numeric lowest = from.literal();
                Literal.Numeric highest = to.literal();
                if ((lowest.unit() == ValueUnit.NONE) != (highest.unit() == ValueUnit.NONE)) {
                    return new Where.Between(left, lowest, highest, negated);
                } else if (lowest.value().compareTo(highest.value()) > 0) {
                    throw lexer.error("between takes the lower number first", first.position());
                }
            }
        } else {
            Literal low = literal("a number, a field or a quoted string");
            take(TokenKind.AND, "and");
            if (!(low instanceof Literal.Text) || token.kind() != TokenKind.TEXT) {
                throw lexer.error("between takes two numbers or two strings", first.position());
            }
            ends = List.of(
                    new Where.Comparison(field.name(), atLow, low),
                    new Where.Comparison(field.name(), atHigh, new Literal.Text(text())));
        }
        return negated ? new Where.Or(ends) : new Where.And(ends);
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
            literals.add(literal("a number, a quoted string, true or false"));
        } while (skip(TokenKind.COMMA));
        take(TokenKind.RIGHT_PARENTHESIS, ", or )");
        return literals;
    }

    private Literal literal(String words) {
        Token first = token;
        Literal literal = switch (first.kind()) {
            case NUMBER -> Objects.requireNonNull(first.number());
            case TEXT -> new Literal.Text(first.text());
            case TRUE -> new Literal.Bool(true);
            case FALSE -> new Literal.Bool(false);
            default -> throw expected(words);
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
