package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.loki.LogQl.Calculation;
import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.RangeAggregation;
import dev.loom.server.loki.LogQl.RangeOperation;
import dev.loom.server.loki.LogQl.Scalar;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LogQl.Stage;
import dev.loom.server.loki.LogQl.Unit;
import dev.loom.server.loki.LogQl.Vector;
import dev.loom.server.loki.LogQl.VectorAggregation;
import dev.loom.server.loki.LogQl.VectorOperation;
import dev.loom.server.loki.LogQlLexer.Kind;
import dev.loom.server.loki.LogQlLexer.Token;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the part of LogQL that is supported; what is not is refused with its place. Each method of a part begins at its first token, and
 * ends behind its last one. For one thread.
 */
final class LogQlParser {
    private static final List<String> OPERATORS = List.of("+ -", "* / %", "^");

    private static final BigDecimal LONGEST_NS = BigDecimal.valueOf(Long.MAX_VALUE / 4);

    private final LogQlTokens tokens;
    private final SelectionParser selections;

    private LogQlParser(String query) {
        tokens = new LogQlTokens(query);
        selections = new SelectionParser(tokens);
    }

    /** @throws ApiFailure if it is malformed, or has what is not supported; the message has line and column */
    static LogQl parse(String query) {
        LogQlParser parser = new LogQlParser(query);
        LogQl parsed = parser.tokens.peek().is("{") ? parser.selections.selection() : parser.calculation(0);
        if (parser.tokens.peek().kind() != Kind.END) {
            throw parser.tokens.unexpected("the end");
        }
        return parsed;
    }

    /** As {@link #parse}, of a query for lines. */
    static Selection parseSelection(String query) {
        if (parse(query) instanceof Selection selection) {
            return selection;
        }
        throw LogQlLexer.error(query, "not a query for lines; it begins with {", 0);
    }

    /** Calculations, by how tightly their operators bind. */
    private LogQl calculation(int level) {
        if (level == OPERATORS.size()) {
            return operand();
        }
        LogQl left = calculation(level + 1);
        while (tokens.peek().kind() == Kind.SYMBOL
                && List.of(OPERATORS.get(level).split(" "))
                        .contains(tokens.peek().text())) {
            Token operator = tokens.take();
            for (String modifier : List.of("bool", "on", "ignoring")) {
                if (tokens.peek().is(modifier)) {
                    throw tokens.unsupported(tokens.peek());
                }
            }
            tokens.oneMore(operator);
            boolean toTheRight = operator.is("^");
            tokens.deeper(operator);
            LogQl right = calculation(toTheRight ? level : level + 1);
            tokens.shallower();
            left = new Calculation(left, operator.text().charAt(0), right, operator.position());
        }
        if (level == 0 && isOtherOperator(tokens.peek())) {
            throw tokens.unsupported(tokens.peek());
        }
        return left;
    }

    private static boolean isOtherOperator(Token token) {
        return token.is("and") || token.is("or") || token.is("unless") || SelectionParser.compares(token);
    }

    private LogQl operand() {
        Token token = tokens.peek();
        tokens.deeper(token);
        LogQl operand;
        if (tokens.skip("(")) {
            operand = tokens.peek().is("{") ? selections.selection() : calculation(0);
            tokens.expect(")");
        } else if (tokens.skip("-")) {
            operand = new Scalar(-number());
        } else if (tokens.skip("+") || token.kind() == Kind.NUMBER) {
            operand = new Scalar(number());
        } else if (token.kind() == Kind.NAME) {
            operand = function(tokens.take());
        } else {
            throw tokens.unexpected("a query");
        }
        tokens.shallower();
        if (operand instanceof Selection) {
            throw tokens.error(
                    "lines can't be calculated with; expected count_over_time or the like", token.position());
        }
        return operand;
    }

    private double number() {
        Token number = tokens.expect(Kind.NUMBER, "a number");
        if (number.unit() != Unit.NONE) {
            throw tokens.error("number has a unit: " + number, number.position());
        }
        return number.number().doubleValue();
    }

    private LogQl function(Token name) {
        String lower = name.text().toLowerCase(Locale.ROOT);
        for (RangeOperation operation : RangeOperation.values()) {
            if (operation.toString().equals(lower)) {
                return rangeAggregation(operation, name);
            }
        }
        for (VectorOperation operation : VectorOperation.values()) {
            if (operation.toString().equals(lower)) {
                return vectorAggregation(operation, name);
            }
        }
        if (lower.equals("vector")) {
            tokens.expect("(");
            boolean negative = tokens.skip("-");
            double value = number();
            tokens.expect(")");
            return new Vector(negative ? -value : value);
        }
        throw tokens.unsupported(name);
    }

    private LogQl rangeAggregation(RangeOperation operation, Token name) {
        tokens.expect("(");
        BigDecimal quantile = null;
        if (operation == RangeOperation.QUANTILE_OVER_TIME) {
            Token number = tokens.peek();
            double value = number();
            quantile = number.number();
            if (value > 1) {
                throw tokens.error("quantile is not from 0 to 1: " + number, number.position());
            }
            tokens.expect(",");
        }
        boolean inParentheses = tokens.skip("(");
        Selection selection = selections.selection();
        long rangeNs = tokens.peek().is("[") ? range() : 0;
        List<Stage> stages = new ArrayList<>(selection.stages());
        stages.addAll(selections.stages()); // Loki takes a range before or behind the pipeline
        String unwrap = unwrap();
        if (rangeNs == 0) {
            rangeNs = range();
        }
        long offsetNs = offset();
        if (inParentheses) {
            tokens.expect(")");
        }
        tokens.expect(")");
        checkUnwrap(operation, unwrap, name);
        Token next = tokens.peek();
        Grouping grouping = grouping();
        if (grouping != null && !operation.groups()) {
            throw tokens.error("grouping not allowed for " + operation + " aggregation", next.position());
        }
        return new RangeAggregation(
                operation,
                quantile,
                new Selection(selection.matchers(), stages),
                unwrap,
                rangeNs,
                offsetNs,
                grouping,
                name.position());
    }

    private @Nullable String unwrap() {
        if (!tokens.peek().is("|")) {
            return null;
        }
        tokens.take();
        tokens.expect("unwrap");
        Token label = tokens.expect(Kind.NAME, "a label");
        if (tokens.peek().is("(")) {
            throw tokens.unsupported(label);
        } else if (tokens.peek().is("|")) {
            throw tokens.error(
                    "not supported: stages behind unwrap", tokens.peek().position());
        }
        return label.text();
    }

    private void checkUnwrap(RangeOperation operation, @Nullable String unwrap, Token name) {
        switch (operation) {
            case COUNT_OVER_TIME -> {
                if (unwrap != null) {
                    throw tokens.error("invalid aggregation " + operation + " with unwrap", name.position());
                }
            }
            case RATE -> {}
            default -> {
                if (unwrap == null) {
                    throw tokens.error("invalid aggregation " + operation + " without unwrap", name.position());
                }
            }
        }
    }

    private long range() {
        tokens.expect("[");
        long ns = duration(true);
        tokens.expect("]");
        return ns;
    }

    private long duration(boolean positive) {
        Token number = tokens.expect(Kind.NUMBER, "a duration");
        if (number.unit() != Unit.NANOSECONDS
                || number.number().compareTo(LONGEST_NS) > 0
                || (positive && number.number().longValue() == 0)) {
            throw tokens.error("not a duration, or out of range: " + number, number.position());
        }
        return number.number().longValue();
    }

    private long offset() {
        if (!tokens.skip("offset")) {
            return 0;
        }
        boolean negative = tokens.skip("-");
        long ns = duration(false);
        return negative ? -ns : ns;
    }

    private @Nullable Grouping grouping() {
        boolean without = tokens.peek().is("without");
        if (!without && !tokens.peek().is("by")) {
            return null;
        }
        tokens.take();
        tokens.expect("(");
        Set<String> labels = new LinkedHashSet<>();
        if (!tokens.skip(")")) {
            do {
                labels.add(tokens.expect(Kind.NAME, "a label").text());
            } while (tokens.skip(","));
            tokens.expect(")");
        }
        return new Grouping(without, List.copyOf(labels));
    }

    private LogQl vectorAggregation(VectorOperation operation, Token name) {
        Grouping grouping = grouping();
        tokens.expect("(");
        int count = operation.selects() ? count() : 0;
        LogQl of = calculation(0);
        tokens.expect(")");
        if (of instanceof Scalar) {
            throw tokens.error("a number is no series", name.position());
        }
        return new VectorAggregation(operation, count, of, grouping == null ? grouping() : grouping, name.position());
    }

    private int count() {
        Token number = tokens.peek();
        double value = number();
        if (value < 1 || value > LokiLimits.SERIES_MAX || value != Math.rint(value)) {
            throw tokens.error("not from 1 to " + LokiLimits.SERIES_MAX + ": " + number, number.position());
        }
        tokens.expect(",");
        return (int) value;
    }
}
