package dev.loom.server.loki;

import dev.loom.api.Snapshot;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.loki.LogQl.LabelFilter;
import dev.loom.server.loki.LogQl.LabelFilter.Comparison;
import dev.loom.server.loki.LogQl.LabelFilter.Junction;
import dev.loom.server.loki.LogQl.Match;
import dev.loom.server.loki.LogQl.Matcher;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LogQl.Stage;
import dev.loom.server.request.SeenFields;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes conditions on the records of one source from a selection. For one thread. */
final class SourceConditions {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,30})(\\.\\d{1,30})?([eE][+-]?\\d{1,3})?");

    private final String query;
    private final StreamSource of;
    private final Snapshot snapshot;
    /** The fields of the labels that {@code json} gave. */
    private final Map<String, String> extracted = new HashMap<>();
    /** The fields of the source's newest records; null until they are asked for. */
    private final Map<String, Boolean> leadingBack = new HashMap<>();
    /** By label. */
    private @Nullable Map<String, List<String>> seen;

    /**
     * @param query the text that positions are in
     * @param snapshot that has the source
     */
    SourceConditions(String query, Snapshot snapshot, StreamSource of) {
        this.query = query;
        this.snapshot = snapshot;
        this.of = of;
    }

    /**
     * What the records of a selection have to meet. Afterwards {@link #fields} knows the labels of its stages.
     *
     * @throws ApiFailure if something is not supported of this source
     */
    RecordCondition of(Selection selection) {
        RecordCondition all = matchers(selection.matchers());
        if (all.isNever()) {
            return all;
        }
        for (Stage stage : selection.stages()) {
            all = all.and(stage(stage));
        }
        return all;
    }

    RecordCondition matchers(List<Matcher> matchers) {
        RecordCondition all = RecordCondition.ALWAYS;
        for (Matcher matcher : matchers) {
            // streams have no other labels, so there a field is absent
            all = all.and(
                    of.labels().contains(matcher.label()) ? matched(matcher) : RecordCondition.of(holds(matcher, "")));
        }
        return all;
    }

    private RecordCondition stage(Stage stage) {
        if (stage instanceof Stage.LineFilter filter) {
            RecordCondition any = RecordCondition.NEVER;
            for (String text : filter.texts()) {
                any = any.or(line(filter, text));
            }
            return filter.match().isNegative() ? any.not() : any;
        } else if (stage instanceof Stage.Labels labels) {
            return filter(labels.filter());
        } else if (stage instanceof Stage.Json json) {
            if (!of.json()) {
                throw error(
                        "lines of source " + of.source().name() + " are texts, not JSON; fields need no json",
                        json.position());
            }
            json.extractions().forEach(each -> extracted.put(each.label(), each.path()));
        }
        return RecordCondition.ALWAYS;
    }

    private RecordCondition line(Stage.LineFilter filter, String text) {
        boolean made = !of.searchable();
        String field = made ? RecordLines.LINE : String.valueOf(of.lineField());
        boolean regex = filter.match().isRegex();
        if (text.isEmpty() && !regex) {
            return RecordCondition.ALWAYS;
        }
        Where where = regex ? new Where.MatchesRegex(field, text) : new Where.Contains(field, text);
        if (made) {
            return RecordCondition.of(new Where.Derived(new RecordLines(of), where));
        }
        RecordCondition found = RecordCondition.of(where);
        boolean emptyLine = regex && Regexes.isIn(text, "");
        return emptyLine ? found.or(RecordCondition.of(new Where.IsNull(field))) : found;
    }

    private RecordCondition filter(LabelFilter filter) {
        if (filter instanceof Junction junction) {
            RecordCondition left = filter(junction.left());
            RecordCondition right = filter(junction.right());
            return junction.and() ? left.and(right) : left.or(right);
        } else if (filter instanceof Comparison comparison) {
            return compared(comparison);
        }
        return matched((Matcher) filter);
    }

    private RecordCondition matched(Matcher matcher) {
        if (matcher.label().equals(Streams.SOURCE)) {
            return RecordCondition.of(holds(matcher, of.source().name()));
        } else if (of.logs() && matcher.label().equals(Streams.LEVEL)) {
            return Levels.where(level -> holds(matcher, level));
        }
        List<String> fields = fields(matcher.label(), matcher.position());
        RecordCondition any = RecordCondition.NEVER;
        RecordCondition none = RecordCondition.ALWAYS;
        for (String field : fields) {
            any = any.or(isText(matcher, field));
            none = none.and(RecordCondition.of(new Where.IsNull(field)));
        }
        Matcher positive = matcher.match().isNegative()
                ? new Matcher(
                        matcher.label(),
                        matcher.match().isRegex() ? Match.REGEX : Match.EQUAL,
                        matcher.value(),
                        matcher.position())
                : matcher;
        RecordCondition matched = holds(positive, "") ? any.or(none) : any;
        return matcher.match().isNegative() ? matched.not() : matched;
    }

    /** Whether a text meets a matcher. */
    static boolean holds(Matcher matcher, String text) {
        return switch (matcher.match()) {
            case EQUAL -> text.equals(matcher.value());
            case NOT_EQUAL -> !text.equals(matcher.value());
            case REGEX -> Regexes.matches(matcher.value(), text);
            case NOT_REGEX -> !Regexes.matches(matcher.value(), text);
        };
    }

    /** Whether a field's text is that of a matcher, or matches it. */
    private RecordCondition isText(Matcher matcher, String field) {
        if (matcher.match().isRegex()) {
            return checked(new Where.MatchesRegex(field, Regexes.whole(matcher.value())), matcher.position());
        }
        PayloadFormat format = of.format();
        String text = matcher.value();
        Field.Type type = format.declaredType(field);
        boolean number = NUMBER.matcher(text).matches();
        Literal.Numeric numeric = number ? numeric(new BigDecimal(text), ValueUnit.NONE) : null;
        if (type == null) {
            List<Literal> literals = new ArrayList<>(List.of(new Literal.Text(text)));
            if (numeric != null) {
                literals.add(numeric);
            }
            if (text.equals("true") || text.equals("false")) {
                literals.add(new Literal.Bool(Boolean.parseBoolean(text)));
            }
            return checked(new Where.In(field, literals), matcher.position());
        } else if (type.isNumber() && format.terms(field) == null) {
            Where equal = numeric == null ? null : new Where.Comparison(field, Where.Operator.EQUAL, numeric);
            // no number of the type may be this one
            return equal == null || !binds(equal) ? RecordCondition.NEVER : RecordCondition.of(equal);
        } else if (type == Field.Type.BOOL) {
            boolean known = text.equals("true") || text.equals("false");
            return known
                    ? RecordCondition.of(new Where.Comparison(
                            field, Where.Operator.EQUAL, new Literal.Bool(Boolean.parseBoolean(text))))
                    : RecordCondition.NEVER;
        }
        return text.isEmpty() && type != Field.Type.UTF8
                ? RecordCondition.NEVER
                : checked(
                        new Where.Comparison(field, Where.Operator.EQUAL, new Literal.Text(text)), matcher.position());
    }

    private boolean binds(Where where) {
        try {
            where.bind(of.format());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private RecordCondition checked(Where where, int position) {
        try {
            where.bind(of.format());
            return RecordCondition.of(where);
        } catch (IllegalArgumentException e) {
            throw error("source " + of.source().name() + ": " + e.getMessage(), position);
        }
    }

    private static Literal.Numeric numeric(BigDecimal number, ValueUnit unit) {
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() <= 0
                ? new Literal.Numeric(stripped.setScale(0), true, unit)
                : new Literal.Numeric(number, false, unit);
    }

    private RecordCondition compared(Comparison comparison) {
        String label = comparison.label();
        if (label.equals(Streams.SOURCE) || (of.logs() && label.equals(Streams.LEVEL))) {
            return RecordCondition.NEVER; // these are no numbers
        }
        ValueUnit unit = switch (comparison.unit()) {
            case NONE -> ValueUnit.NONE;
            case NANOSECONDS -> ValueUnit.NANOSECONDS;
            case BYTES -> ValueUnit.BYTES;
        };
        Where.Operator operator = operator(comparison.operator());
        Function<String, RecordCondition> compared = field -> checked(
                new Where.Comparison(field, operator, numeric(comparison.number(), unit)), comparison.position());
        RecordCondition any = RecordCondition.NEVER;
        for (String field : fields(label, comparison.position())) {
            any = any.or(compared.apply(field));
        }
        return any;
    }

    private static Where.Operator operator(String text) {
        for (Where.Operator operator : Where.Operator.values()) {
            if (operator.text().equals(text)) {
                return operator;
            }
        }
        throw new IllegalStateException("unknown operator: " + text);
    }

    /**
     * The fields that a label may name.
     *
     * @throws ApiFailure if there are too many
     */
    List<String> fields(String label, int position) {
        String path = extracted.get(label);
        if (path != null) {
            return of.format().field(path) == null ? List.of() : List.of(path);
        }
        if (label.equals(Streams.DETECTED_LEVEL)) {
            return List.of();
        }
        boolean service = of.logs() && label.equals(Streams.SERVICE_NAME);
        List<String> fields = service ? List.of("service.name") : of.fields(label, this::seen);
        if (fields == null) {
            throw error(
                    "label may name too many fields, as underscores stand for dots, and the newest records have none of them: "
                            + label + ", underscores=" + StreamSource.UNDERSCORES_MAX + " at most"
                            + (of.json() ? "; name it with | json x=\"a.b\"" : ""),
                    position);
        }
        return fields;
    }

    /** Whether a query by a label is about a field; not if the newest records lack it, and its name has many underscores or other signs. */
    boolean leadsBack(String label, String field) {
        return leadingBack.computeIfAbsent(field, any -> {
            List<String> named = of.fields(label, this::seen);
            return named != null && named.contains(of.format().canonicalName(field));
        });
    }

    private Map<String, List<String>> seen() {
        if (seen == null) {
            seen = SeenFields.of(snapshot, of.source()).names().stream()
                    .collect(Collectors.groupingBy(StreamSource::label));
        }
        return seen;
    }

    ApiFailure error(String message, int position) {
        return LogQlLexer.error(query, message, position);
    }
}
