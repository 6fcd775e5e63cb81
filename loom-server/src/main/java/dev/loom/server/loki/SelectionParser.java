package dev.loom.server.loki;

import dev.loom.server.loki.LogQl.LabelFilter;
import dev.loom.server.loki.LogQl.LabelFilter.Comparison;
import dev.loom.server.loki.LogQl.LabelFilter.Junction;
import dev.loom.server.loki.LogQl.Match;
import dev.loom.server.loki.LogQl.Matcher;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LogQl.Stage;
import dev.loom.server.loki.LogQlLexer.Kind;
import dev.loom.server.loki.LogQlLexer.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses selectors and pipelines. Each method of a part begins at its first token, and ends behind its last one. For one thread. */
final class SelectionParser {
    private static final Set<String> COMPARISONS = Set.of("=", "==", "!=", ">", ">=", "<", "<=");

    private final LogQlTokens tokens;

    SelectionParser(LogQlTokens tokens) {
        this.tokens = tokens;
    }

    /** Whether a token compares numbers. */
    static boolean compares(Token token) {
        return token.kind() == Kind.SYMBOL && COMPARISONS.contains(token.text());
    }

    Selection selection() {
        Token brace = tokens.expect("{");
        List<Matcher> matchers = new ArrayList<>();
        if (!tokens.skip("}")) {
            do {
                matchers.add(matcher());
            } while (tokens.skip(","));
            tokens.expect("}");
        }
        boolean selects = matchers.stream()
                .anyMatch(each -> !each.match().isNegative()
                        && !(each.match() == Match.EQUAL && each.value().isEmpty())
                        && !(each.match() == Match.REGEX && Regexes.matches(each.value(), "")));
        if (!selects) {
            throw tokens.error(
                    "queries require at least one regexp or equality matcher that does not have an empty-compatible"
                            + " value, such as {source=~\".+\"}",
                    brace.position());
        }
        return new Selection(matchers, stages());
    }

    private Matcher matcher() {
        Token label = tokens.expect(Kind.NAME, "a label");
        Token operator = tokens.take();
        Match match = match(operator);
        if (match == null) {
            throw tokens.error("unexpected " + operator + ", expected =, !=, =~ or !~", operator.position());
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
        Token value = tokens.expect(Kind.STRING, "a string");
        if (match.isRegex()) {
            checkRegex(value, value.text());
            checkRegex(value, Regexes.whole(value.text())); // what an unclosed \Q swallows, or is too large by then
        }
        return new Matcher(label.text(), match, value.text(), label.position());
    }

    private void checkRegex(Token value, String regex) {
        try {
            Regexes.check(regex);
        } catch (IllegalArgumentException e) {
            throw tokens.error(String.valueOf(e.getMessage()), value.position());
        }
    }

    /** The stages of a pipeline, up to {@code unwrap} or what is no stage. */
    List<Stage> stages() {
        List<Stage> stages = new ArrayList<>();
        while (true) {
            Token token = tokens.peek();
            if (token.is("|=") || token.is("!=") || token.is("|~") || token.is("!~")) {
                stages.add(lineFilter());
            } else if (token.is("|>") || token.is("!>")) {
                throw tokens.unsupported(token);
            } else if (token.is("|") && !tokens.peek(1).is("unwrap")) {
                tokens.take();
                stages.add(stage());
            } else {
                return stages;
            }
        }
    }

    private Stage lineFilter() {
        Token operator = tokens.take();
        Match match = switch (operator.text()) {
            case "|=" -> Match.EQUAL;
            case "!=" -> Match.NOT_EQUAL;
            case "|~" -> Match.REGEX;
            default -> Match.NOT_REGEX;
        };
        List<String> texts = new ArrayList<>();
        do {
            Token text = tokens.expect(Kind.STRING, "a string");
            if (match.isRegex()) {
                checkRegex(text, text.text());
            }
            texts.add(text.text());
        } while (tokens.skip("or"));
        return new Stage.LineFilter(match, texts, operator.position());
    }

    private Stage stage() {
        Token name = tokens.peek();
        if (name.kind() == Kind.NAME && !isLabelFilter()) {
            tokens.take();
            return switch (name.text().toLowerCase(Locale.ROOT)) {
                case "json" -> json(name);
                case "drop" -> drop();
                default -> throw tokens.unsupported(name);
            };
        }
        return new Stage.Labels(labelFilter());
    }

    /** Whether a name is followed by a comparison: it is a label then, whatever its name. */
    private boolean isLabelFilter() {
        Token next = tokens.peek(1);
        return next.kind() == Kind.SYMBOL && (match(next) != null || COMPARISONS.contains(next.text()));
    }

    private Stage json(Token name) {
        List<Stage.Json.Extraction> extractions = new ArrayList<>();
        if (tokens.peek().kind() == Kind.NAME) {
            do {
                Token label = tokens.expect(Kind.NAME, "a label");
                if (!tokens.skip("=")) {
                    extractions.add(new Stage.Json.Extraction(label.text(), label.text()));
                } else {
                    Token path = tokens.expect(Kind.STRING, "a string");
                    extractions.add(new Stage.Json.Extraction(label.text(), path(path)));
                }
            } while (tokens.skip(","));
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
                end = text.indexOf("\"]", at + 2);
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
                throw tokens.error("not a path: " + text, string.position());
            }
            path.append(path.isEmpty() ? "" : ".").append(part);
            at = end;
        }
        if (path.isEmpty()) {
            throw tokens.error("path is empty", string.position());
        }
        return path.toString();
    }

    /** Lines never have the labels of errors, as what does not parse has no fields. */
    private Stage drop() {
        List<String> names = new ArrayList<>();
        do {
            Token label = tokens.expect(Kind.NAME, "a label");
            if (!label.text().equals("__error__") && !label.text().equals("__error_details__")) {
                throw tokens.error("only __error__ can be dropped: " + label, label.position());
            }
            names.add(label.text());
        } while (tokens.skip(","));
        return new Stage.Drop(names);
    }

    /** Conditions, of which {@code or} binds least; those beside each other must all hold. */
    private LabelFilter labelFilter() {
        LabelFilter left = conjunction();
        while (tokens.skip("or")) {
            left = new Junction(left, false, conjunction());
        }
        return left;
    }

    private LabelFilter conjunction() {
        LabelFilter left = condition();
        while (tokens.peek().is("and")
                || tokens.peek().is(",")
                || tokens.peek().is("(")
                || (tokens.peek().kind() == Kind.NAME && !tokens.peek().is("or"))) {
            if (!tokens.skip("and")) {
                tokens.skip(",");
            }
            left = new Junction(left, true, condition());
        }
        return left;
    }

    private LabelFilter condition() {
        tokens.oneMore(tokens.peek());
        if (tokens.peek().is("(")) {
            Token open = tokens.take();
            tokens.deeper(open);
            LabelFilter inner = labelFilter();
            tokens.shallower();
            tokens.expect(")");
            return inner;
        }
        Token label = tokens.expect(Kind.NAME, "a label");
        Token operator = tokens.take();
        Match match = match(operator);
        if (match != null && tokens.peek().kind() == Kind.STRING) {
            return matcher(label, match);
        } else if (operator.kind() != Kind.SYMBOL || !COMPARISONS.contains(operator.text())) {
            throw tokens.error("unexpected " + operator + ", expected a comparison", operator.position());
        } else if (tokens.peek().is("ip")) {
            throw tokens.unsupported(tokens.peek());
        }
        boolean negative = tokens.skip("-");
        if (!negative) {
            tokens.skip("+");
        }
        Token number = tokens.expect(Kind.NUMBER, "a string, a number, a duration or a size");
        return new Comparison(
                label.text(),
                operator.text().equals("=") ? "==" : operator.text(),
                negative ? number.number().negate() : number.number(),
                number.unit(),
                label.position());
    }
}
