package dev.loom.query.where;

import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.text.TextQuery;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An expression as an immutable tree. {@code toString()} gives an expression that parses to an equal tree. */
public sealed interface WhereExpression {
    /**
     * Creates this expression's predicate over payloads of one format. Each thread needs its own.
     *
     * @throws IllegalArgumentException if the format lacks a field (the message lists those it has), or if a field's
     *     declared type can't be compared with its literal
     */
    default PayloadPredicate bind(PayloadFormat format) {
        return bind(format, null);
    }

    /**
     * As {@link #bind(PayloadFormat)}.
     *
     * @param lookup finds the records that payloads refer to; the caller must position it before each test
     */
    default PayloadPredicate bind(PayloadFormat format, @Nullable RecordLookup lookup) {
        return Binding.bind(resolve(format), format, lookup);
    }

    /**
     * This expression with what people write replaced by what the format's fields hold, such as {@code STATUS_CODE_ERROR}
     * for {@code error}: see {@link PayloadFormat#terms}.
     *
     * @throws IllegalArgumentException if no value of a field can be this text; the message says what it can be
     */
    default WhereExpression resolve(PayloadFormat format) {
        return new TermResolution(format).resolve(this);
    }

    /** True if every term is. */
    record And(List<WhereExpression> terms) implements WhereExpression {
        public And {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " and ");
        }
    }

    /** True if any term is. */
    record Or(List<WhereExpression> terms) implements WhereExpression {
        public Or {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " or ");
        }
    }

    /** True if the term is false, and so also if a comparison lacks its field. */
    record Not(WhereExpression term) implements WhereExpression {
        @Override
        public String toString() {
            return "not " + operand(term);
        }
    }

    /** Compares a field with a literal. A boolean literal allows only {@code ==} and {@code !=}. */
    record Comparison(String field, Operator operator, Literal literal) implements WhereExpression {
        public Comparison {
            if (literal instanceof Literal.Bool && !operator.isEquality()) {
                throw new IllegalArgumentException("booleans have no order: field=" + field + ", operator="
                        + operator.text() + ", literal=" + literal);
            }
        }

        @Override
        public String toString() {
            return Quoting.name(field) + ' ' + operator.text() + ' ' + literal;
        }
    }

    /** A field equals one of the literals, which may be of different kinds. */
    record In(String field, List<Literal> literals) implements WhereExpression {
        public In {
            literals = List.copyOf(literals);
            if (literals.isEmpty()) {
                throw new IllegalArgumentException("list of literals is empty: field=" + field);
            }
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " in " + list(literals);
        }
    }

    /**
     * A field has a value of the same kind as one of the literals, and equals none of them: it is to {@code in} what {@code
     * !=} is to {@code ==}.
     */
    record NotIn(String field, List<Literal> literals) implements WhereExpression {
        public NotIn {
            literals = new In(field, literals).literals();
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " not in " + list(literals);
        }
    }

    /** A field has no value: it is absent, or null in JSON. */
    record IsNull(String field) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " is null";
        }
    }

    /** A text or bytes field contains these characters in UTF-8; every text contains the empty text. */
    record Contains(String field, String text) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " contains " + Quoting.text(text);
        }
    }

    /** As {@link Contains}, but ignores case and the Unicode form. */
    record ContainsIgnoringCase(String field, String text) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " icontains " + Quoting.text(text);
        }
    }

    /** A text field matches a text query; a field without a text never does. */
    record Matches(String field, TextQuery query) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " matches " + Quoting.text(query.toString());
        }
    }

    private static String list(List<Literal> literals) {
        return literals.stream().map(Literal::toString).collect(Collectors.joining(", ", "(", ")"));
    }

    private static List<WhereExpression> atLeastTwo(List<WhereExpression> terms) {
        if (terms.size() < 2) {
            throw new IllegalArgumentException("too few terms: count=" + terms.size() + ", min=2");
        }
        return List.copyOf(terms);
    }

    private static String join(List<WhereExpression> terms, String separator) {
        return terms.stream().map(WhereExpression::operand).collect(Collectors.joining(separator));
    }

    private static String operand(WhereExpression term) {
        return term instanceof And || term instanceof Or ? "(" + term + ")" : term.toString();
    }
}
