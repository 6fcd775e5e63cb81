package dev.loom.server.tempo;

import dev.loom.format.PayloadFormat;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.where.Formula;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Comparison;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A condition over a span, as TraceQL has it. */
sealed interface SpanCondition {
    /**
     * The condition over the fields of a format.
     *
     * @throws IllegalArgumentException if the format has no such field
     */
    Where where(PayloadFormat format);

    /** True if all are. */
    record All(List<SpanCondition> terms) implements SpanCondition {
        @Override
        public Where where(PayloadFormat format) {
            return new Where.And(terms.stream().map(term -> term.where(format)).toList());
        }
    }

    /** True if any is. */
    record Any(List<SpanCondition> terms) implements SpanCondition {
        @Override
        public Where where(PayloadFormat format) {
            return new Where.Or(terms.stream().map(term -> term.where(format)).toList());
        }
    }

    /** The span has the field, or has it not. */
    record Exists(SpanField field, boolean exists) implements SpanCondition {
        @Override
        public Where where(PayloadFormat format) {
            List<Where> missing =
                    fields(field, format).stream().<Where>map(Where.IsNull::new).toList();
            Where none = missing.size() == 1 ? missing.get(0) : new Where.And(missing);
            return exists ? new Where.Not(none) : none;
        }
    }

    /**
     * A field compared with a value; false if the span has not the field.
     *
     * @param operator how
     */
    record Compared(SpanField field, Operator operator, Literal literal) implements SpanCondition {
        @Override
        public Where where(PayloadFormat format) {
            if (field.isIntrinsic("duration") && !TraceFields.declareDuration(format)) {
                return new Where.Relation(
                        new Formula.Operation(
                                new Formula.Field("end"), Formula.Operator.MINUS, new Formula.Field("start")),
                        operator,
                        new Formula.Constant((Literal.Numeric) literal));
            }
            return first(field, format, name -> new Comparison(name, operator, literal));
        }
    }

    /** A field that matches a regular expression as a whole, or is a text that does not. */
    record Matched(SpanField field, String pattern, boolean matches) implements SpanCondition {
        /** An expression that finds only whole texts. */
        static String whole(String pattern) {
            return "^(?s:" + pattern + ")$";
        }

        @Override
        public Where where(PayloadFormat format) {
            return first(field, format, name -> {
                Where match = new Where.MatchesRegex(name, whole(pattern));
                return matches ? match : new Where.And(List.of(new Where.Contains(name, ""), new Where.Not(match)));
            });
        }
    }

    /**
     * The status, which is unset where a span has none.
     *
     * @param status {@code error}, {@code ok} or {@code unset}
     */
    record OfStatus(String status, boolean equal) implements SpanCondition {
        private static final List<Literal> OK =
                Stream.of("ok", "OK", "Ok").<Literal>map(Literal.Text::new).toList();

        @Override
        public Where where(PayloadFormat format) {
            String field = fields(new SpanField(SpanField.Scope.INTRINSIC, "status"), format)
                    .get(0);
            Where ok = new Where.In(field, OK);
            Where is = switch (status) {
                case "error" -> TraceFields.error();
                case "ok" -> ok;
                default -> new Where.Not(new Where.Or(List.of(TraceFields.error(), ok)));
            };
            return equal ? is : new Where.Not(is);
        }
    }

    /**
     * The kind, which is unspecified where a span has none.
     *
     * @param kind as TraceQL names it
     */
    record OfKind(String kind, boolean equal) implements SpanCondition {
        static final String NONE = "unspecified";
        static final List<String> KINDS = List.of(NONE, "internal", "server", "client", "producer", "consumer");

        @Override
        public Where where(PayloadFormat format) {
            String field = fields(new SpanField(SpanField.Scope.INTRINSIC, "kind"), format)
                    .get(0);
            Where is = kind.equals(NONE)
                    ? new Where.Not(new Where.In(
                            field,
                            KINDS.stream()
                                    .filter(each -> !each.equals(NONE))
                                    .<Literal>map(Literal.Text::new)
                                    .toList()))
                    : new Comparison(field, Operator.EQUAL, new Literal.Text(kind));
            return equal ? is : new Where.Not(is);
        }
    }

    /** The fields of a format that hold a field, at least one. */
    private static List<String> fields(SpanField field, PayloadFormat format) {
        List<String> names = field.names(format);
        if (names.isEmpty()) {
            throw new IllegalArgumentException(
                    "spans have no field " + field.scope().text() + " " + field.name() + ", format=" + format.text());
        }
        return names;
    }

    /** What a condition means of a field: of the first of those that hold it that has a value. */
    interface OfField {
        Where where(String name);
    }

    private static Where first(SpanField field, PayloadFormat format, OfField condition) {
        List<String> names = fields(field, format);
        List<Where> cases = new ArrayList<>();
        Where before = null;
        for (String name : names) {
            Where here = condition.where(name);
            cases.add(before == null ? here : new Where.And(List.of(before, here)));
            Where missing = new Where.IsNull(name);
            before = before == null ? missing : new Where.And(List.of(before, missing));
        }
        return cases.size() == 1 ? cases.get(0) : new Where.Or(cases);
    }

    /** All of some conditions; null if there are none. */
    static @Nullable SpanCondition all(List<SpanCondition> terms) {
        return terms.isEmpty() ? null : terms.size() == 1 ? terms.get(0) : new All(terms);
    }
}
