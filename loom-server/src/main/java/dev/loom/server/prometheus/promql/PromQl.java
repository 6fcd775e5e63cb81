package dev.loom.server.prometheus.promql;

import dev.loom.server.prometheus.promql.Expr.Binary.Matching;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses expressions, by precedence climbing. For one thread. */
public final class PromQl {
    /** The greatest length of an expression, in characters (UTF-16 units). */
    public static final int LENGTH_MAX = 16_384;

    /** The greatest depth of nesting. */
    public static final int DEPTH_MAX = 100;

    /** The most operators between two expressions. */
    public static final int OPERATORS_MAX = 500;

    private static final String LIST_END = ")";
    private static final Set<String> NUMBERS = Set.of("inf", "nan");

    private final String text;
    private final List<PromToken> tokens;
    private int at;
    private int depth;
    private int operators;

    private PromQl(String text) {
        this.text = text;
        tokens = PromLexer.tokens(text);
    }

    /**
     * Parses an expression.
     *
     * @throws PromQlException if it is malformed, too long, nested too deep, or asks for what is not supported
     */
    public static Expr parse(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new PromQlException(
                    text, 0, "expression is too long: length=" + text.length() + ", max=" + LENGTH_MAX);
        }
        PromQl parser = new PromQl(text);
        if (parser.peek().kind() == PromTokenKind.END) {
            throw parser.error(parser.peek(), "no expression found in input");
        }
        Expr expr = parser.binary(0);
        if (parser.peek().kind() != PromTokenKind.END) {
            throw parser.unexpected("an operator or the end");
        }
        return expr;
    }

    /**
     * Parses what selects series, without a time.
     *
     * @throws PromQlException if it is malformed or something else
     */
    public static List<Matcher> parseMatchers(String text) {
        Expr expr = parse(text);
        if (!(expr instanceof Expr.Selector selector) || selector.rangeMs() > 0 || selector.offsetMs() != 0) {
            throw new PromQlException(text, 0, "expected a series selector, and nothing else");
        }
        return selector.matchers();
    }

    private PromToken peek() {
        return tokens.get(at);
    }

    private PromToken next() {
        PromToken token = tokens.get(at);
        at += token.kind() == PromTokenKind.END ? 0 : 1;
        return token;
    }

    private boolean skip(String operator) {
        boolean there = peek().is(operator);
        at += there ? 1 : 0;
        return there;
    }

    private boolean skipWord(String word) {
        boolean there = peek().isWord(word);
        at += there ? 1 : 0;
        return there;
    }

    private void take(String operator) {
        if (!skip(operator)) {
            throw unexpected(Quoted.of(operator));
        }
    }

    private PromQlException error(PromToken place, String message) {
        return new PromQlException(text, place.position(), message);
    }

    private PromQlException unexpected(String expected) {
        return error(peek(), "unexpected " + peek() + ", expected " + expected);
    }

    private void require(boolean met, PromToken place, String message) {
        if (!met) {
            throw error(place, message);
        }
    }

    private void enter() {
        require(++depth <= DEPTH_MAX, peek(), "expression is nested too deep: max=" + DEPTH_MAX);
    }

    private Expr binary(int least) {
        enter();
        PromToken begin = peek();
        Expr left = unary();
        while (true) {
            PromToken place = peek();
            Operator operator = Operator.of(place);
            if (operator == null || operator.precedence() < least) {
                depth--;
                return left;
            }
            // the tree grows by one with each operator
            require(++operators <= OPERATORS_MAX, place, "too many operators: max=" + OPERATORS_MAX);
            next();
            PromToken boolPlace = peek();
            boolean bool = skipWord("bool");
            require(
                    !bool || operator.isComparison(),
                    boolPlace,
                    "bool modifier can only be used on comparison operators");
            PromToken matchingPlace = peek();
            Matching matching = matching();
            PromToken rightPlace = peek();
            Expr right = binary(operator == Operator.POWER ? operator.precedence() : operator.precedence() + 1);
            requireOperands(operator, left, begin, right, rightPlace);
            boolean scalars = left.type() == ExprType.SCALAR || right.type() == ExprType.SCALAR;
            require(
                    !scalars || matching.equals(Matching.ALL),
                    matchingPlace,
                    "vector matching only allowed between instant vectors");
            require(
                    bool
                            || !operator.isComparison()
                            || left.type() != ExprType.SCALAR
                            || right.type() != ExprType.SCALAR,
                    place,
                    "comparisons between scalars must use BOOL modifier");
            left = new Expr.Binary(operator, left, right, matching, bool);
        }
    }

    private void requireOperands(Operator operator, Expr left, PromToken leftPlace, Expr right, PromToken rightPlace) {
        String needed = "binary expression must contain only scalar and instant vector types, not ";
        require(isNumeric(left), leftPlace, needed + left.type());
        require(isNumeric(right), rightPlace, needed + right.type());
        if (operator.isSet()) {
            String vectors = "set operator " + Quoted.of(operator.text()) + " not allowed in binary scalar expression";
            require(left.type() == ExprType.VECTOR, leftPlace, vectors);
            require(right.type() == ExprType.VECTOR, rightPlace, vectors);
        }
    }

    private static boolean isNumeric(Expr expr) {
        return expr.type() == ExprType.SCALAR || expr.type() == ExprType.VECTOR;
    }

    private Matching matching() {
        PromToken place = peek();
        boolean on = skipWord("on");
        Matching matching = Matching.ALL;
        if (on || skipWord("ignoring")) {
            matching = new Matching(on, labels());
        }
        PromToken side = peek();
        if (side.isWord("group_left") || side.isWord("group_right")) {
            throw error(side, "many-to-one matching is not supported: " + side.text());
        }
        require(
                !side.isWord("fill") && !side.isWord("fill_left") && !side.isWord("fill_right"),
                place,
                "fill is not supported");
        return matching;
    }

    /** A list of names in parentheses. */
    private List<String> labels() {
        take("(");
        List<String> names = new ArrayList<>();
        while (!skip(LIST_END)) {
            PromToken name = next();
            require(
                    (name.kind() == PromTokenKind.NAME && name.text().indexOf(':') < 0)
                            || name.kind() == PromTokenKind.STRING,
                    name,
                    "unexpected " + name + " in grouping opts, expected label");
            names.add(name.text());
            if (!peek().is(LIST_END)) {
                take(",");
            }
        }
        return List.copyOf(names);
    }

    private Expr unary() {
        PromToken sign = peek();
        if (skip("+") || skip("-")) {
            enter();
            PromToken place = peek();
            Expr of = binary(Operator.SIGN + 1);
            depth--;
            require(
                    isNumeric(of),
                    place,
                    "unary expression only allowed on expressions of type scalar or instant vector, got " + of.type());
            return sign.is("+")
                    ? of
                    : of instanceof Expr.Literal number ? new Expr.Literal(-number.value()) : new Expr.Negative(of);
        }
        return postfix(primary());
    }

    private Expr postfix(Expr primary) {
        Expr expr = primary;
        while (true) {
            PromToken place = peek();
            if (skip("[")) {
                expr = range(expr, place);
            } else if (skipWord("offset")) {
                expr = offset(expr, place);
            } else if (place.is("@")) {
                throw error(place, "the @ modifier is not supported");
            } else if (place.isWord("anchored") || place.isWord("smoothed")) {
                throw error(place, "not supported: " + place.text());
            } else {
                return expr;
            }
        }
    }

    private Expr range(Expr of, PromToken place) {
        PromToken length = peek();
        long rangeMs = duration();
        require(rangeMs > 0, length, "duration must be greater than 0");
        require(!peek().is(":"), peek(), "subqueries are not supported");
        take("]");
        require(
                of instanceof Expr.Selector selector && selector.rangeMs() == 0,
                place,
                "ranges only allowed for vector selectors; subqueries are not supported");
        Expr.Selector selector = (Expr.Selector) of;
        require(selector.offsetMs() == 0, place, "no offset modifiers allowed before range");
        return new Expr.Selector(selector.matchers(), rangeMs, 0);
    }

    private Expr offset(Expr of, PromToken place) {
        boolean back = !skip("-");
        if (back) {
            skip("+");
        }
        long ms = duration();
        require(
                of instanceof Expr.Selector,
                place,
                "offset modifier must be preceded by an instant or range selector, but follows a " + of.type()
                        + " instead");
        Expr.Selector selector = (Expr.Selector) of;
        require(selector.offsetMs() == 0, place, "offset may not be set multiple times");
        return new Expr.Selector(selector.matchers(), selector.rangeMs(), back ? ms : -ms);
    }

    /** A duration, or a number of seconds. */
    private long duration() {
        PromToken token = next();
        if (token.kind() == PromTokenKind.DURATION) {
            return milliseconds(token);
        }
        require(token.kind() == PromTokenKind.NUMBER, token, "unexpected " + token + ", expected number or duration");
        double ms = number(token) * 1_000;
        require(ms <= Durations.MS_MAX, token, "duration out of range");
        return Math.round(ms);
    }

    private long milliseconds(PromToken token) {
        try {
            return Durations.parse(token.text());
        } catch (IllegalArgumentException e) {
            throw error(token, String.valueOf(e.getMessage()));
        }
    }

    private double number(PromToken token) {
        try {
            return PromNumber.literal(token.text());
        } catch (NumberFormatException e) {
            throw error(token, "error parsing number: " + token);
        }
    }

    private Expr primary() {
        PromToken token = peek();
        switch (token.kind()) {
            case NUMBER -> {
                return new Expr.Literal(number(next()));
            }
            case DURATION -> {
                return new Expr.Literal(milliseconds(next()) / 1_000.0);
            }
            case STRING -> {
                return new Expr.Text(next().text());
            }
            case NAME -> {
                return named(next());
            }
            default -> {
                if (token.is("{")) {
                    return new Expr.Selector(matchers(null), 0, 0);
                } else if (skip("(")) {
                    Expr of = binary(0);
                    take(")");
                    return new Expr.Parentheses(of);
                }
                throw unexpected("an expression");
            }
        }
    }

    private Expr named(PromToken name) {
        if (NUMBERS.contains(name.text().toLowerCase(Locale.ROOT)) && !peek().is("{")) {
            return new Expr.Literal(PromNumber.parse(name.text()));
        }
        Aggregation aggregation = Aggregation.of(name.text());
        if (aggregation != null && (peek().is("(") || peek().isWord("by") || peek().isWord("without"))) {
            return aggregate(aggregation, name);
        }
        if (peek().is("(")) {
            Function function = Function.of(name.text());
            require(function != null, name, "function is unknown or not supported: " + Quoted.of(name.text()));
            return call(Objects.requireNonNull(function), name);
        }
        require(!isKeyword(name), name, "unexpected " + Quoted.of(name.text()) + ", expected an expression");
        return new Expr.Selector(peek().is("{") ? matchers(name) : List.of(ofName(name.text())), 0, 0);
    }

    private static boolean isKeyword(PromToken name) {
        return Operator.of(name) != null
                || name.isWord("offset")
                || name.isWord("bool")
                || name.isWord("by")
                || name.isWord("without")
                || name.isWord("on")
                || name.isWord("ignoring");
    }

    private static Matcher ofName(String name) {
        return new Matcher(Labels.NAME, Matcher.Operator.EQUAL, name);
    }

    private Expr aggregate(Aggregation operator, PromToken place) {
        PromToken groupingPlace = peek();
        boolean before = groupingPlace.kind() == PromTokenKind.NAME;
        boolean without = skipWord("without");
        List<String> labels = without || skipWord("by") ? labels() : List.of();
        List<PromToken> places = new ArrayList<>();
        List<Expr> arguments = arguments(places);
        if (!before && (peek().isWord("by") || peek().isWord("without"))) {
            without = next().isWord("without");
            labels = labels();
        }
        int wanted = operator.takesParameter() ? 2 : 1;
        require(
                arguments.size() == wanted,
                place,
                "wrong number of arguments for aggregate expression provided, expected " + wanted + ", got "
                        + arguments.size());
        if (wanted == 2) {
            requireType(ExprType.SCALAR, arguments.get(0), places.get(0), place.text());
        }
        Expr of = arguments.get(wanted - 1);
        requireType(ExprType.VECTOR, of, places.get(wanted - 1), place.text());
        return new Expr.Aggregate(operator, of, wanted == 2 ? arguments.get(0) : null, labels, without);
    }

    private List<Expr> arguments(List<PromToken> places) {
        take("(");
        List<Expr> arguments = new ArrayList<>();
        while (!skip(LIST_END)) {
            places.add(peek());
            arguments.add(binary(0));
            if (!peek().is(LIST_END)) {
                take(",");
            }
        }
        return arguments;
    }

    private void requireType(ExprType wanted, Expr expr, PromToken place, String in) {
        require(expr.type() == wanted, place, "expected type " + wanted + " in call to " + in + ", got " + expr.type());
    }

    private Expr call(Function function, PromToken place) {
        List<PromToken> places = new ArrayList<>();
        List<Expr> arguments = arguments(places);
        List<ExprType> types = function.parameters();
        require(
                arguments.size() >= function.least() && arguments.size() <= types.size(),
                place,
                "wrong number of arguments in call to " + function.text() + ": expected="
                        + (function.least() < types.size() ? function.least() + " to " : "") + types.size() + ", got="
                        + arguments.size());
        for (int i = 0; i < arguments.size(); i++) {
            requireType(types.get(i), arguments.get(i), places.get(i), function.text());
        }
        return new Expr.Call(function, List.copyOf(arguments));
    }

    private List<Matcher> matchers(@Nullable PromToken name) {
        PromToken place = peek();
        take("{");
        List<Matcher> matchers = new ArrayList<>();
        if (name != null) {
            matchers.add(ofName(name.text()));
        }
        while (!skip("}")) {
            matchers.add(matcher(name != null));
            if (!peek().is("}")) {
                take(",");
            }
        }
        require(
                matchers.stream().anyMatch(each -> !each.matches("")),
                name == null ? place : name,
                "vector selector must contain at least one non-empty matcher");
        return List.copyOf(matchers);
    }

    private Matcher matcher(boolean hasName) {
        PromToken label = next();
        boolean quoted = label.kind() == PromTokenKind.STRING;
        require(
                quoted || (label.kind() == PromTokenKind.NAME && label.text().indexOf(':') < 0),
                label,
                "unexpected " + label + " in label matching, expected a label name");
        if (quoted && (peek().is(",") || peek().is("}"))) {
            require(!hasName, label, "metric name must not be set twice: " + label.text());
            return ofName(label.text());
        }
        require(
                !hasName || !label.text().equals(Labels.NAME),
                label,
                "metric name must not be set twice: " + label.text());
        PromToken place = next();
        Matcher.Operator operator = null;
        for (Matcher.Operator each : Matcher.Operator.values()) {
            operator = place.is(each.text()) ? each : operator;
        }
        require(
                operator != null,
                place,
                "unexpected " + place + " in label matching, expected one of \"=\", \"!=\", \"=~\" or \"!~\"");
        PromToken value = next();
        require(
                value.kind() == PromTokenKind.STRING,
                value,
                "unexpected " + value + " in label matching, expected string");
        try {
            return new Matcher(label.text(), Objects.requireNonNull(operator), value.text());
        } catch (IllegalArgumentException e) {
            throw error(value, String.valueOf(e.getMessage()));
        }
    }
}
