package dev.loom.query.trace;

import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields that make a record a part of a trace, by the names that spans and log records of OpenTelemetry have here. Records of other
 * formats count if they have fields of these names: {@code trace_id} and {@code span_id} as 32 and 16 hexadecimal digits; of a span also
 * two of {@code start}, {@code end} (epoch nanoseconds) and {@code duration} (nanoseconds).
 */
public final class TraceFields {
    /** The field of a record that names its trace. */
    public static final String TRACE_ID = "trace_id";

    static final String SPAN_ID = "span_id";
    static final String PARENT_ID = "parent_span_id";
    static final String NAME = "name";
    static final String START = "start";
    static final String END = "end";
    static final String DURATION = "duration";
    static final String STATUS = "status";
    static final List<String> SERVICES = List.of("service.name", "service");
    static final List<String> ERRORS = List.of("error", "ERROR", "Error");

    private static final Set<String> OWN = Set.of(
            TRACE_ID, SPAN_ID, PARENT_ID, NAME, START, END, DURATION, STATUS, "kind", "status_message", "events");

    private static final List<String> ATTRIBUTE_PREFIXES = List.of("attr.", "resource.");

    private TraceFields() {}

    /** Whether a field is one of those that make a span, not one that says more about it. */
    public static boolean isOfSpans(String field) {
        return OWN.contains(field) || SERVICES.contains(field);
    }

    /** Whether records of a format may name a trace. */
    public static boolean mayName(PayloadFormat format) {
        return format.field(TRACE_ID) != null;
    }

    /** Whether records of a format may be spans. */
    public static boolean maySpan(PayloadFormat format) {
        return mayName(format)
                && format.field(SPAN_ID) != null
                && Stream.of(START, END, DURATION)
                                .filter(name -> format.field(name) != null)
                                .count()
                        >= 2;
    }

    /** Whether a format declares the fields of spans; one whose records name their own fields does not. */
    public static boolean declareSpans(PayloadFormat format) {
        List<String> declared = format.fields().stream().map(Field::name).toList();
        return maySpan(format)
                && declared.contains(TRACE_ID)
                && declared.contains(SPAN_ID)
                && Stream.of(START, END, DURATION).filter(declared::contains).count() >= 2;
    }

    /** The records of some traces. */
    public static Where ofTraces(PayloadFormat format, List<TraceId> ids) {
        List<Literal> literals = new ArrayList<>();
        for (TraceId id : ids) {
            literals.add(new Literal.Text(id.toString()));
            if (format.terms(TRACE_ID) == null && !id.toUpperCase().equals(id.toString())) {
                literals.add(new Literal.Text(id.toUpperCase())); // whoever wrote it had a choice
            }
        }
        return literals.size() == 1
                ? new Where.Comparison(TRACE_ID, Operator.EQUAL, literals.get(0))
                : new Where.In(TRACE_ID, literals);
    }

    /** The field of a format that names the service of a span; null if there is none. */
    public static @Nullable String serviceField(PayloadFormat format) {
        return SERVICES.stream()
                .filter(name -> format.field(name) != null)
                .findFirst()
                .orElse(null);
    }

    /**
     * The spans of a service.
     *
     * @throws IllegalArgumentException if the format has no field for it
     */
    public static Where service(PayloadFormat format, String service) {
        return any(format, SERVICES, equal(List.of(new Literal.Text(service))));
    }

    /** The spans of this name. */
    public static Where name(String name) {
        return new Where.Comparison(NAME, Operator.EQUAL, new Literal.Text(name));
    }

    /** Whether a format declares how long spans took. */
    public static boolean declareDuration(PayloadFormat format) {
        return format.fields().stream().map(Field::name).anyMatch(DURATION::equals);
    }

    /** The spans that took at least, or at most, this long, in formats that declare it. */
    public static Where duration(boolean atLeast, Literal.Numeric duration) {
        return new Where.Comparison(DURATION, atLeast ? Operator.GREATER_OR_EQUAL : Operator.LESS_OR_EQUAL, duration);
    }

    /** The spans whose status is an error. */
    public static Where error() {
        return new Where.In(
                STATUS, ERRORS.stream().<Literal>map(Literal.Text::new).toList());
    }

    /**
     * The spans with an attribute, of their own or of their resource; in formats that have none, with a field of this name.
     *
     * @param value a number or a boolean is also compared as one, JSON of an array or object with how these are printed
     * @throws IllegalArgumentException if the format has no field for it
     */
    public static Where attribute(PayloadFormat format, String key, String value) {
        List<Literal> literals = new ArrayList<>(List.of(new Literal.Text(value)));
        if (value.equals("true") || value.equals("false")) {
            literals.add(new Literal.Bool(value.equals("true")));
        } else {
            try {
                Literal.Numeric number = Literal.Numeric.parse(value);
                if (number.unit() == ValueUnit.NONE) { // else a text such as 5ms, not how a number is printed
                    literals.add(number);
                }
            } catch (IllegalArgumentException e) {
                // a text alone
            }
        }
        boolean prefixed = format.fieldPrefixes().contains(ATTRIBUTE_PREFIXES.get(0));
        List<String> names = prefixed
                ? ATTRIBUTE_PREFIXES.stream().map(prefix -> prefix + key).toList()
                : List.of(key, ATTRIBUTE_PREFIXES.get(0) + key, ATTRIBUTE_PREFIXES.get(1) + key);
        List<Function<String, Where>> tests = new ArrayList<>(equal(literals));
        if (value.startsWith("[") || value.startsWith("{")) {
            tests.add(name -> Where.MatchesRegex.whole(name, value));
        }
        return any(format, names, tests);
    }

    private static List<Function<String, Where>> equal(List<Literal> literals) {
        List<Function<String, Where>> tests = new ArrayList<>();
        literals.forEach(literal -> tests.add(name -> new Where.Comparison(name, Operator.EQUAL, literal)));
        return tests;
    }

    /** One of some fields, of those that the format has, meets one of the tests that it can meet. */
    private static Where any(PayloadFormat format, List<String> names, List<Function<String, Where>> tests) {
        List<Where> terms = new ArrayList<>();
        IllegalArgumentException refused = null;
        for (String name : names) {
            for (Function<String, Where> test : tests) {
                try {
                    Where term = test.apply(name);
                    term.bind(format);
                    terms.add(term);
                } catch (IllegalArgumentException e) {
                    refused = refused == null ? e : refused;
                }
            }
        }
        if (terms.isEmpty() && refused != null) {
            throw refused;
        }
        return terms.size() == 1 ? terms.get(0) : new Where.Or(terms);
    }
}
