package dev.loom.query.where;

import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.text.TextQuery;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An expression as a tree, immutable. Its string is an expression that parses to an equal tree. */
public sealed interface WhereExpression {
    /**
     * Makes the predicate of this expression over payloads of one format. Each thread needs one of its own.
     *
     * @throws IllegalArgumentException for a field that the format doesn't have, naming those it has, and for one that
     *     is declared with a type that its literal can't be compared with
     */
    default PayloadPredicate bind(PayloadFormat format) {
        return bind(format, null);
    }

    /**
     * As {@link #bind(PayloadFormat)}.
     *
     * @param lookup where the records are found that payloads refer to; who calls the predicate tells it from where
     */
    default PayloadPredicate bind(PayloadFormat format, @Nullable RecordLookup lookup) {
        return Binding.bind(resolve(format), format, lookup);
    }

    /**
     * This expression with what the format's fields hold in the place of what people write for it, such as {@code error} for
     * {@code STATUS_CODE_ERROR}: {@link PayloadFormat#terms}.
     *
     * @throws IllegalArgumentException for a text that no value of its field can be, with what can
     */
    default WhereExpression resolve(PayloadFormat format) {
        return new TermResolution(format).resolve(this);
    }

    /** True where every term is. */
    record And(List<WhereExpression> terms) implements WhereExpression {
        public And {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " and ");
        }
    }

    /** True where any term is. */
    record Or(List<WhereExpression> terms) implements WhereExpression {
        public Or {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " or ");
        }
    }

    /** True where the term is false, so also where a comparison lacks its field. */
    record Not(WhereExpression term) implements WhereExpression {
        @Override
        public String toString() {
            return "not " + operand(term);
        }
    }

    /** A field against a literal. A boolean literal goes with {@code ==} and {@code !=} alone. */
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

    /** A field equal to one of some literals, which may be of different kinds. */
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
     * A field that has a value of the kind of one of some literals, and equals none of them: what {@code !=} is to {@code ==}.
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

    /** A field without a value: absent, or null in JSON. */
    record IsNull(String field) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " is null";
        }
    }

    /** A text or bytes field that has these characters somewhere within, in UTF-8; the empty text is within each. */
    record Contains(String field, String text) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " contains " + Quoting.text(text);
        }
    }

    /** As {@link Contains}, where upper and lower case of a letter, and the forms of a text in Unicode, are the same. */
    record ContainsIgnoringCase(String field, String text) implements WhereExpression {
        @Override
        public String toString() {
            return Quoting.name(field) + " icontains " + Quoting.text(text);
        }
    }

    /** A text field that has what a text query asks for; a field without a text never has. */
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
