package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.loki.LogQl.Calculation;
import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.LabelFilter;
import dev.loom.server.loki.LogQl.LabelFilter.Comparison;
import dev.loom.server.loki.LogQl.LabelFilter.Junction;
import dev.loom.server.loki.LogQl.Match;
import dev.loom.server.loki.LogQl.Matcher;
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
    /** The deepest nesting of parentheses and aggregations. */
    static final int DEPTH_MAX = 64;

    /** The most conditions and calculations. */
    static final int TERMS_MAX = 512;

    private static final List<String> OPERATORS = List.of("+ -", "* / %", "^");

    private static final Set<String> COMPARISONS = Set.of("=", "==", "!=", ">", ">=", "<", "<=");

    private static final BigDecimal LONGEST_NS = BigDecimal.valueOf(Long.MAX_VALUE / 4);

    private final LogQlLexer lexer;
    private final List<Token> ahead = new ArrayList<>();
    private int depth;
    private int terms;

    private LogQlParser(String query) {
        lexer = new LogQlLexer(query);
    }

    /** @throws ApiFailure if it is malformed, or has what is not supported; the message has line and column */
    static LogQl parse(String query) {
        LogQlParser parser = new LogQlParser(query);
        LogQl parsed = parser.peek().is("{") ? parser.selection() : parser.calculation(0);
        if (parser.peek().kind() != Kind.END) {
            throw parser.unexpected("the end");
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

    private Token peek() {
        return peek(0);
    }

    private Token peek(int count) {
        while (ahead.size() <= count) {
            ahead.add(lexer.next());
        }
        return ahead.get(count);
    }

    private Token take() {
        Token token = peek();
        ahead.remove(0);
        return token;
    }

    private boolean skip(String text) {
        boolean found = peek().is(text);
        if (found) {
            take();
        }
        return found;
    }

    private Token expect(String symbol) {
        if (!peek().is(symbol)) {
            throw unexpected(symbol);
        }
        return take();
    }

    private Token expect(Kind kind, String what) {
        if (peek().kind() != kind) {
            throw unexpected(what);
        }
        return take();
    }

    private ApiFailure unexpected(String expected) {
        return lexer.error("unexpected " + peek() + ", expected " + expected, peek().position());
    }

    private ApiFailure unsupported(Token token) {
        return lexer.error("not supported: " + token.text(), token.position());
    }

    private Selection selection() {
        Token brace = expect("{");
        List<Matcher> matchers = new ArrayList<>();
        if (!skip("}")) {
            do {
                matchers.add(matcher());
            } while (skip(","));
            expect("}");
        }
        boolean selects = matchers.stream()
                .anyMatch(each -> !each.match().isNegative()
                        && !(each.match() == Match.EQUAL && each.value().isEmpty())
                        && !(each.match() == Match.REGEX && Regexes.matches(each.value(), "")));
        if (!selects) {
            throw lexer.error(
                    "queries require at least one regexp or equality matcher that does not have an empty-compatible"
                            + " value, such as {source=~\".+\"}",
                    brace.position());
        }
        return new Selection(matchers, stages());
    }

    private Matcher matcher() {
        Token label = expect(Kind.NAME, "a label");
        Token operator = take();
        Match match = match(operator);
        if (match == null) {
            throw lexer.error("unexpected " + operator + ", expected =, !=, =~ or !~", operator.position());
        }
        return matcher(label, match);
    }

    private static @Nullable Match match(Token operator) {
        return switch (operator.kind() == Kind.SYMBOL ? operator.text() : "") {
            case "=" -> Match.EQUAL;
            case "!=" -> Match.NOT_EQUAL;
            case "=~" -> Match.REGEX;
            case "!~" -> Match.NOT_REGEX;
            default -> null;
        };
    }

    private Matcher matcher(Token label, Match match) {
        Token value = expect(Kind.STRING, "a string");
        if (match.isRegex()) {
            checkRegex(value);
        }
        return new Matcher(label.text(), match, value.text(), label.position());
    }

    private void checkRegex(Token value) {
        try {
            Regexes.check(value.text());
        } catch (IllegalArgumentException e) {
            throw lexer.error(String.valueOf(e.getMessage()), value.position());
        }
    }

    /** The stages of a pipeline, up to {@code unwrap} or what is no stage. */
    private List<Stage> stages() {
        List<Stage> stages = new ArrayList<>();
        while (true) {
            Token token = peek();
            if (token.is("|=") || token.is("!=") || token.is("|~") || token.is("!~")) {
                stages.add(lineFilter());
            } else if (token.is("|>") || token.is("!>")) {
                throw unsupported(token);
            } else if (token.is("|") && !peek(1).is("unwrap")) {
                take();
                stages.add(stage());
            } else {
                return stages;
            }
        }
    }

    private Stage lineFilter() {
        Token operator = take();
        Match match = switch (operator.text()) {
            case "|=" -> Match.EQUAL;
            case "!=" -> Match.NOT_EQUAL;
            case "|~" -> Match.REGEX;
            default -> Match.NOT_REGEX;
        };
        List<String> texts = new ArrayList<>();
        do {
            Token text = expect(Kind.STRING, "a string");
            if (match.isRegex()) {
                checkRegex(text);
            }
            texts.add(text.text());
        } while (skip("or"));
        return new Stage.LineFilter(match, texts, operator.position());
    }

    private Stage stage() {
        Token name = peek();
        if (name.kind() == Kind.NAME && !isLabelFilter()) {
            take();
            return switch (name.text()) {
                case "json" -> json(name);
                case "drop" -> drop();
                default -> throw unsupported(name);
            };
        }
        return new Stage.Labels(labelFilter());
    }

    /** Whether a name is followed by a comparison: it is a label then, whatever its name. */
    private boolean isLabelFilter() {
        Token next = peek(1);
        return next.kind() == Kind.SYMBOL && (match(next) != null || COMPARISONS.contains(next.text()));
    }

    private Stage json(Token name) {
        List<Stage.Json.Extraction> extractions = new ArrayList<>();
        if (peek().kind() == Kind.NAME) {
            do {
                Token label = expect(Kind.NAME, "a label");
                if (!skip("=")) {
                    extractions.add(new Stage.Json.Extraction(label.text(), label.text()));
                } else {
                    Token path = expect(Kind.STRING, "a string");
                    extractions.add(new Stage.Json.Extraction(label.text(), path(path)));
                }
            } while (skip(","));
        }
        return new Stage.Json(extractions, name.position());
    }

    /** A path such as {@code servers[0].name} or {@code ["a b"]}, as the name of a field. */
    private String path(Token string) {
        String text = string.text();
        StringBuilder path = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            int end;
            String part;
            if (text.startsWith("[\"", at)) {
                end = text.indexOf("\"]", at);
                part = end < 0 ? "" : text.substring(at + 2, end);
                end += 2;
            } else if (text.charAt(at) == '[') {
                end = text.indexOf(']', at);
                String element = end < 0 ? "" : text.substring(at + 1, end);
                part = element.chars().allMatch(Character::isDigit) ? element : "";
                end++;
            } else {
                at += text.charAt(at) == '.' ? 1 : 0;
                end = at;
                while (end < text.length() && text.charAt(end) != '.' && text.charAt(end) != '[') {
                    end++;
                }
                part = text.substring(at, end);
            }
            if (part.isEmpty()) {
                throw lexer.error("not a path: " + text, string.position());
            }
            path.append(path.isEmpty() ? "" : ".").append(part);
            at = end;
        }
        if (path.isEmpty()) {
            throw lexer.error("path is empty", string.position());
        }
        return path.toString();
    }

    /** Lines never have the labels of errors, as what does not parse has no fields. */
    private Stage drop() {
        List<String> names = new ArrayList<>();
        do {
            Token label = expect(Kind.NAME, "a label");
            if (!label.text().equals("__error__") && !label.text().equals("__error_details__")) {
                throw lexer.error("only __error__ can be dropped: " + label, label.position());
            }
            names.add(label.text());
        } while (skip(","));
        return new Stage.Drop(names);
    }

    /** Conditions, of which {@code or} binds least; those beside each other must all hold. */
    private LabelFilter labelFilter() {
        LabelFilter left = conjunction();
        while (skip("or")) {
            left = new Junction(left, false, conjunction());
        }
        return left;
    }

    private LabelFilter conjunction() {
        LabelFilter left = condition();
        while (peek().is("and")
                || peek().is(",")
                || peek().is("(")
                || (peek().kind() == Kind.NAME && !peek().is("or"))) {
            if (!skip("and")) {
                skip(",");
            }
            left = new Junction(left, true, condition());
        }
        return left;
    }

    private LabelFilter condition() {
        oneMore(peek());
        if (peek().is("(")) {
            Token open = take();
            deeper(open);
            LabelFilter inner = labelFilter();
            depth--;
            expect(")");
            return inner;
        }
        Token label = expect(Kind.NAME, "a label");
        Token operator = take();
        Match match = match(operator);
        if (match != null && peek().kind() == Kind.STRING) {
            return matcher(label, match);
        } else if (operator.kind() != Kind.SYMBOL || !COMPARISONS.contains(operator.text())) {
            throw lexer.error("unexpected " + operator + ", expected a comparison", operator.position());
        } else if (peek().is("ip")) {
            throw unsupported(peek());
        }
        boolean negative = skip("-");
        if (!negative) {
            skip("+");
        }
        Token number = expect(Kind.NUMBER, "a string, a number, a duration or a size");
        return new Comparison(
                label.text(),
                operator.text().equals("=") ? "==" : operator.text(),
                negative ? number.number().negate() : number.number(),
                number.unit(),
                label.position());
    }

    private void oneMore(Token at) {
        if (++terms > TERMS_MAX) {
            throw lexer.error("too many conditions or calculations: max=" + TERMS_MAX, at.position());
        }
    }

    private void deeper(Token at) {
        if (++depth > DEPTH_MAX) {
            throw lexer.error("nested too deep: max=" + DEPTH_MAX, at.position());
        }
    }

    /** Calculations, by how tightly their operators bind. */
    private LogQl calculation(int level) {
        if (level == OPERATORS.size()) {
            return operand();
        }
        LogQl left = calculation(level + 1);
        while (peek().kind() == Kind.SYMBOL
                && List.of(OPERATORS.get(level).split(" ")).contains(peek().text())) {
            Token operator = take();
            for (String modifier : List.of("bool", "on", "ignoring")) {
                if (peek().is(modifier)) {
                    throw unsupported(peek());
                }
            }
            oneMore(operator);
            boolean toTheRight = operator.is("^");
            deeper(operator);
            LogQl right = calculation(toTheRight ? level : level + 1);
            depth--;
            left = calculated(left, operator, right);
        }
        if (level == 0 && isOtherOperator(peek())) {
            throw unsupported(peek());
        }
        return left;
    }

    private LogQl calculated(LogQl left, Token operator, LogQl right) {
        return new Calculation(left, operator.text().charAt(0), right, operator.position());
    }

    private static boolean isOtherOperator(Token token) {
        return token.is("and")
                || token.is("or")
                || token.is("unless")
                || (token.kind() == Kind.SYMBOL && COMPARISONS.contains(token.text()));
    }

    private LogQl operand() {
        Token token = peek();
        deeper(token);
        LogQl operand;
        if (skip("(")) {
            operand = peek().is("{") ? selection() : calculation(0);
            expect(")");
        } else if (skip("-")) {
            operand = new Scalar(-expect(Kind.NUMBER, "a number").number().doubleValue());
        } else if (skip("+") || token.kind() == Kind.NUMBER) {
            operand = new Scalar(number());
        } else if (token.kind() == Kind.NAME) {
            operand = function(take());
        } else {
            throw unexpected("a query");
        }
        depth--;
        if (operand instanceof Selection) {
            throw lexer.error("lines can't be calculated with; expected count_over_time or the like", token.position());
        }
        return operand;
    }

    private double number() {
        Token number = expect(Kind.NUMBER, "a number");
        if (number.unit() != Unit.NONE) {
            throw lexer.error("number has a unit: " + number, number.position());
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
            expect("(");
            boolean negative = skip("-");
            double value = number();
            expect(")");
            return new Vector(negative ? -value : value);
        }
        throw unsupported(name);
    }

    private LogQl rangeAggregation(RangeOperation operation, Token name) {
        expect("(");
        BigDecimal quantile = null;
        if (operation == RangeOperation.QUANTILE_OVER_TIME) {
            Token number = peek();
            double value = number();
            quantile = number.number();
            if (value > 1) {
                throw lexer.error("quantile is not from 0 to 1: " + number, number.position());
            }
            expect(",");
        }
        boolean inParentheses = skip("(");
        Selection selection = selection();
        long rangeNs = peek().is("[") ? range() : 0;
        List<Stage> stages = new ArrayList<>(selection.stages());
        stages.addAll(stages()); // Loki takes a range before or behind the pipeline
        String unwrap = unwrap();
        if (rangeNs == 0) {
            rangeNs = range();
        }
        long offsetNs = offset();
        if (inParentheses) {
            expect(")");
        }
        expect(")");
        checkUnwrap(operation, unwrap, name);
        Token next = peek();
        Grouping grouping = grouping();
        if (grouping != null && !operation.groups()) {
            throw lexer.error("grouping not allowed for " + operation + " aggregation", next.position());
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
        if (!peek().is("|")) {
            return null;
        }
        take();
        expect("unwrap");
        Token label = expect(Kind.NAME, "a label");
        if (peek().is("(")) {
            throw unsupported(label);
        } else if (peek().is("|")) {
            throw lexer.error("not supported: stages behind unwrap", peek().position());
        }
        return label.text();
    }

    private void checkUnwrap(RangeOperation operation, @Nullable String unwrap, Token name) {
        switch (operation) {
            case COUNT_OVER_TIME -> {
                if (unwrap != null) {
                    throw lexer.error("invalid aggregation " + operation + " with unwrap", name.position());
                }
            }
            case RATE -> {}
            default -> {
                if (unwrap == null) {
                    throw lexer.error("invalid aggregation " + operation + " without unwrap", name.position());
                }
            }
        }
    }

    private long range() {
        expect("[");
        long ns = duration(true);
        expect("]");
        return ns;
    }

    private long duration(boolean positive) {
        Token number = expect(Kind.NUMBER, "a duration");
        if (number.unit() != Unit.NANOSECONDS
                || number.number().compareTo(LONGEST_NS) > 0
                || (positive && number.number().longValue() == 0)) {
            throw lexer.error("not a duration, or out of range: " + number, number.position());
        }
        return number.number().longValue();
    }

    private long offset() {
        if (!skip("offset")) {
            return 0;
        }
        boolean negative = skip("-");
        long ns = duration(false);
        return negative ? -ns : ns;
    }

    private @Nullable Grouping grouping() {
        boolean without = peek().is("without");
        if (!without && !peek().is("by")) {
            return null;
        }
        take();
        expect("(");
        Set<String> labels = new LinkedHashSet<>();
        if (!skip(")")) {
            do {
                labels.add(expect(Kind.NAME, "a label").text());
            } while (skip(","));
            expect(")");
        }
        return new Grouping(without, List.copyOf(labels));
    }

    private LogQl vectorAggregation(VectorOperation operation, Token name) {
        Grouping grouping = grouping();
        expect("(");
        int count = operation.selects() ? count() : 0;
        LogQl of = calculation(0);
        expect(")");
        if (of instanceof Scalar) {
            throw lexer.error("a number is no series", name.position());
        }
        return new VectorAggregation(operation, count, of, grouping == null ? grouping() : grouping, name.position());
    }

    private int count() {
        Token number = peek();
        double value = number();
        if (value < 1 || value > LokiLimits.SERIES_MAX || value != Math.rint(value)) {
            throw lexer.error("not from 1 to " + LokiLimits.SERIES_MAX + ": " + number, number.position());
        }
        expect(",");
        return (int) value;
    }
}
