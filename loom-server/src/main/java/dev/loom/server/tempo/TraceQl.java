package dev.loom.server.tempo;

import dev.loom.api.ValueUnit;
import dev.loom.format.PayloadFormat;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.where.Quantity;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.server.request.SpanChoice;
import dev.loom.server.tempo.SpanField.Scope;
import dev.loom.server.tempo.TraceQlLexer.Kind;
import dev.loom.server.tempo.TraceQlLexer.Token;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Spans as a TraceQL query of one set describes them: {@code { resource.service.name = "cart" && duration > 1s }}. Conditions compare a
 * field with a value, and are joined by {@code &&}, {@code ||} and parentheses.
 *
 * @param condition null for any span
 */
record TraceQl(@Nullable SpanCondition condition) implements SpanChoice {
    private static final int LENGTH_MAX = 8192;
    private static final int DEPTH_MAX = 32;

    /**
     * Parses a query; an empty one is that of any span.
     *
     * @throws TraceQlException if it is malformed, or has a part that is not supported
     */
    static TraceQl parse(String query) {
        if (query.length() > LENGTH_MAX) {
            throw new TraceQlException(
                    "query is too long: length=" + query.length() + ", max=" + LENGTH_MAX, LENGTH_MAX, query);
        }
        return query.isBlank() ? new TraceQl(null) : new Parser(query).query();
    }

    @Override
    public void check() {}

    @Override
    public TracesRequest.Took took() {
        return TracesRequest.Took.ANY;
    }

    @Override
    public List<Where> conditions(PayloadFormat format) {
        return condition == null ? List.of() : List.of(condition.where(format));
    }

    private static final class Parser {
        private static final Pattern NUMBER = Pattern.compile("-?\\d{1,19}(\\.\\d{1,18})?([eE][+-]?\\d{1,3})?");
        private static final Pattern DURATION = Pattern.compile("(\\d{1,19}(\\.\\d{1,9})?(ns|us|µs|ms|s|m|h))+");

        private final String query;
        private final TraceQlLexer lexer;
        private Token token;
        private int depth;

        Parser(String query) {
            this.query = query;
            this.lexer = new TraceQlLexer(query);
            this.token = lexer.next();
        }

        TraceQl query() {
            expect("{");
            SpanCondition condition = token.is("}") ? null : any();
            expect("}");
            if (token.kind() != Kind.END) {
                throw error("only one set of spans is supported, found " + token, token);
            }
            return new TraceQl(condition);
        }

        private SpanCondition any() {
            List<SpanCondition> terms = new ArrayList<>(List.of(all()));
            while (token.is("||")) {
                advance();
                terms.add(all());
            }
            return terms.size() == 1 ? terms.get(0) : new SpanCondition.Any(terms);
        }

        private SpanCondition all() {
            List<SpanCondition> terms = new ArrayList<>(List.of(term()));
            while (token.is("&&")) {
                advance();
                terms.add(term());
            }
            return terms.size() == 1 ? terms.get(0) : new SpanCondition.All(terms);
        }

        private SpanCondition term() {
            if (!token.is("(")) {
                return comparison();
            }
            if (++depth > DEPTH_MAX) {
                throw error("parentheses are nested too deep: max=" + DEPTH_MAX, token);
            }
            advance();
            SpanCondition condition = any();
            expect(")");
            depth--;
            return condition;
        }

        private SpanCondition comparison() {
            SpanField field = field();
            Token sign = advance();
            boolean equal = sign.is("=") || sign.is("=~");
            if (sign.is("=~") || sign.is("!~")) {
                return matched(field, equal, sign);
            }
            Operator operator = operator(sign);
            Token value = advance();
            boolean text = value.kind() == Kind.TEXT;
            if (!text && value.kind() != Kind.WORD) {
                throw error("expected a value, found " + value, value);
            } else if (!text && value.text().equals("nil")) {
                requireEquality(operator, sign);
                return new SpanCondition.Exists(field, !equal);
            } else if (field.isIntrinsic("status") || field.isIntrinsic("kind")) {
                requireEquality(operator, sign);
                return keyword(field, value, equal);
            }
            Literal literal = text ? new Literal.Text(value.text()) : literal(value);
            requireType(field, literal, value);
            if (literal instanceof Literal.Bool) {
                requireEquality(operator, sign);
            }
            return new SpanCondition.Compared(field, operator, literal);
        }

        private SpanField field() {
            Token name = advance();
            if (name.kind() != Kind.WORD) {
                throw error("expected a field, found " + name, name);
            }
            SpanField field = SpanField.parse(name.text());
            if (field == null) {
                throw error(
                        "not a field of one span that is supported: " + name.text()
                                + "; attributes have a scope, as in span.NAME, resource.NAME or .NAME; known: "
                                + String.join(", ", SpanField.INTRINSICS),
                        name);
            }
            return field;
        }

        private SpanCondition matched(SpanField field, boolean matches, Token sign) {
            Token pattern = advance();
            if (pattern.kind() != Kind.TEXT) {
                throw error("expected a regular expression in quotes, found " + pattern, pattern);
            } else if (field.scope() == Scope.INTRINSIC && !isText(field)) {
                throw error("field has no text: " + field.name(), sign);
            }
            SpanCondition condition = new SpanCondition.Matched(field, pattern.text(), matches);
            try {
                new Where.MatchesRegex("x", pattern.text());
                new Where.MatchesRegex("x", SpanCondition.Matched.whole(pattern.text()));
            } catch (IllegalArgumentException e) {
                throw error("" + e.getMessage(), pattern);
            }
            return condition;
        }

        private Operator operator(Token sign) {
            return switch (sign.kind() == Kind.SIGN ? sign.text() : "") {
                case "=" -> Operator.EQUAL;
                case "!=" -> Operator.NOT_EQUAL;
                case ">" -> Operator.GREATER;
                case ">=" -> Operator.GREATER_OR_EQUAL;
                case "<" -> Operator.LESS;
                case "<=" -> Operator.LESS_OR_EQUAL;
                default -> throw error("expected one of = != > >= < <= =~ !~, found " + sign, sign);
            };
        }

        private void requireEquality(Operator operator, Token sign) {
            if (operator != Operator.EQUAL && operator != Operator.NOT_EQUAL) {
                throw error("such values have no order, expected = or !=", sign);
            }
        }

        private SpanCondition keyword(SpanField field, Token value, boolean equal) {
            boolean status = field.name().equals("status");
            List<String> known = status ? List.of("error", "ok", "unset") : SpanCondition.OfKind.KINDS;
            if (value.kind() != Kind.WORD || !known.contains(value.text())) {
                throw error("expected one of " + String.join(", ", known) + ", found " + value, value);
            }
            return status
                    ? new SpanCondition.OfStatus(value.text(), equal)
                    : new SpanCondition.OfKind(value.text(), equal);
        }

        private Literal literal(Token value) {
            String text = value.text();
            if (text.equals("true") || text.equals("false")) {
                return new Literal.Bool(text.equals("true"));
            } else if (NUMBER.matcher(text).matches()) {
                return new Literal.Numeric(new BigDecimal(text), text.chars().noneMatch(c -> ".eE".indexOf(c) >= 0));
            } else if (DURATION.matcher(text).matches()) {
                try {
                    long ns = Quantity.duration(text.replace("µs", "us")).toNanos();
                    return new Literal.Numeric(BigDecimal.valueOf(ns), true, ValueUnit.NANOSECONDS);
                } catch (IllegalArgumentException e) {
                    throw error("" + e.getMessage(), value);
                }
            }
            throw error("expected a value, found " + value, value);
        }

        private static boolean isText(SpanField field) {
            return !field.name().equals("duration")
                    && !field.name().equals("status")
                    && !field.name().equals("kind");
        }

        private void requireType(SpanField field, Literal literal, Token value) {
            boolean duration = literal instanceof Literal.Numeric number && number.unit() != ValueUnit.NONE;
            if (field.isIntrinsic("duration") && !duration) {
                throw error("expected a duration with its unit, as 100ms, found " + value, value);
            } else if (duration && !field.isIntrinsic("duration")) {
                throw error("only duration is compared with a duration", value);
            } else if (field.scope() == Scope.INTRINSIC && isText(field) && !(literal instanceof Literal.Text)) {
                throw error("expected a text in quotes, found " + value, value);
            }
        }

        private void expect(String sign) {
            Token found = advance();
            if (!found.is(sign)) {
                throw error("expected " + sign + ", found " + found, found);
            }
        }

        /** Returns the token, and goes to the next one. */
        private Token advance() {
            Token found = token;
            token = found.kind() == Kind.END ? found : lexer.next();
            return found;
        }

        private TraceQlException error(String what, Token at) {
            return new TraceQlException(what, at.position(), query);
        }
    }
}
