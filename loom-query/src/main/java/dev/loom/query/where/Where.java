package dev.loom.query.where;

import com.google.re2j.Pattern;
import dev.loom.api.ValueUnit;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.match.RegexLiterals;
import dev.loom.query.match.WellFormedText;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.text.TextQuery;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A condition such as {@code latency_ns > 50ms and (op == "GET" or not status in (200, 204))}, as an immutable tree. {@code
 * toString()} gives an expression that parses to an equal tree, unless a term is {@link Derived}.
 */
public sealed interface Where {
    /** The greatest length of an expression, in characters (UTF-16 units). */
    int LENGTH_MAX = 8192;

    /** The greatest nesting depth of {@code not} and parentheses. */
    int DEPTH_MAX = 64;

    /**
     * Parses an expression.
     *
     * @throws QuerySyntaxException if it is malformed, too long, nested too deep or calculates too much; the exception gives the
     *     position
     */
    static Where parse(String expression) {
        if (expression.length() > LENGTH_MAX) {
            throw Lexer.error(
                    "expression is too long: length=" + expression.length() + ", max=" + LENGTH_MAX,
                    expression,
                    LENGTH_MAX);
        }
        return new Parser(expression).parse();
    }

    /**
     * Creates this expression's predicate over payloads of one format. Each thread needs its own.
     *
     * @throws IllegalArgumentException if the format lacks a field (the message lists those it has), or if a field's
     *     declared type can't be compared with its literal
     */
    default Predicate bind(PayloadFormat format) {
        return bind(format, null);
    }

    /**
     * As {@link #bind(PayloadFormat)}.
     *
     * @param lookup finds the records that payloads refer to; the caller must position it before each test
     */
    default Predicate bind(PayloadFormat format, @Nullable RecordLookup lookup) {
        return Binding.bind(resolve(format), format, lookup);
    }

    /**
     * This expression with what people write replaced by what the format's fields hold, such as {@code STATUS_CODE_ERROR}
     * for {@code error}: see {@link PayloadFormat#terms}.
     *
     * @throws IllegalArgumentException if no value of a field can be this text; the message says what it can be
     */
    default Where resolve(PayloadFormat format) {
        return new TermResolution(format).resolve(this);
    }

    /** The fields that the expression names, except those that are {@link Derived}. */
    default Set<String> fields() {
        return NamedFields.of(this);
    }

    /**
     * Tests whether a payload meets an expression. Never throws, whatever the bytes of the payload, and allocates nothing, except to
     * match regular expressions.
     * Caches what it read of a payload until the next one, so it is for one thread.
     */
    @FunctionalInterface
    interface Predicate {
        /** Tests the payload at {@code [offset, offset + length)}, which must not change during the call. */
        boolean test(DirectBuffer buffer, int offset, int length);

        /** The fields read so far, each with whether any payload had a value in it. */
        default Map<String, Boolean> fieldsSeen() {
            return Map.of();
        }

        /** The operands that a test may calculate with, each in some microseconds at most. */
        default int operands() {
            return 0;
        }
    }

    /** True if every term is. */
    record And(List<Where> terms) implements Where {
        public And {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " and ");
        }
    }

    /** True if any term is. */
    record Or(List<Where> terms) implements Where {
        public Or {
            terms = atLeastTwo(terms);
        }

        @Override
        public String toString() {
            return join(terms, " or ");
        }
    }

    /** True if the term is false, and so also if a comparison lacks its field. */
    record Not(Where term) implements Where {
        @Override
        public String toString() {
            return "not " + operand(term);
        }
    }

    /** Compares a field with a literal. A boolean literal allows only {@code ==} and {@code !=}. */
    record Comparison(String field, Operator operator, Literal literal) implements Where {
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

    /** Compares two numbers, of which at least one is calculated from fields; false if one has no result. */
    record Relation(Formula left, Operator operator, Formula right) implements Where {
        @Override
        public String toString() {
            return left.toString() + ' ' + operator.text() + ' ' + right;
        }
    }

    /**
     * A number lies between two others, both included, of which only one has a unit: in the unit of the fields, the first must be the
     * lower one. Without a unit, or with two, it is two comparisons.
     */
    record Between(Formula left, Literal.Numeric low, Literal.Numeric high, boolean negated) implements Where {
        @Override
        public String toString() {
            return left + (negated ? " not between " : " between ") + low + " and " + high;
        }
    }

    /** A field equals one of the literals, which may be of different kinds. */
    record In(String field, List<Literal> literals) implements Where {
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
    record NotIn(String field, List<Literal> literals) implements Where {
        public NotIn {
            literals = new In(field, literals).literals();
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " not in " + list(literals);
        }
    }

    /** A field has no value: it is absent, or null in JSON. */
    record IsNull(String field) implements Where {
        @Override
        public String toString() {
            return Quoting.name(field) + " is null";
        }
    }

    /** A text or bytes field contains these characters in UTF-8; every text contains the empty text. */
    record Contains(String field, String text) implements Where {
        /** Half a surrogate pair is U+FFFD, as in what is stored. */
        public Contains {
            text = WellFormedText.of(text);
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " contains " + Quoting.text(text);
        }
    }

    /** As {@link Contains}, but ignores case and the Unicode form. */
    record ContainsIgnoringCase(String field, String text) implements Where {
        /** Half a surrogate pair is U+FFFD, as in what is stored. */
        public ContainsIgnoringCase {
            text = WellFormedText.of(text);
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " icontains " + Quoting.text(text);
        }
    }

    /** A text field matches a text query; a field without a text never does. */
    record Matches(String field, TextQuery query) implements Where {
        @Override
        public String toString() {
            return Quoting.name(field) + " matches " + Quoting.text(query.toString());
        }
    }

    /**
     * A text or bytes field has a match of a regular expression in RE2's syntax, anywhere in it unless that says otherwise.
     *
     * @param pattern valid, with an automaton of at most {@link RegexLiterals#SIZE_MAX} states
     */
    record MatchesRegex(String field, String pattern) implements Where {
        /** @throws IllegalArgumentException if the pattern is no regular expression, or too large */
        public MatchesRegex {
            pattern = WellFormedText.of(pattern);
            RegexFinder.check(pattern);
        }

        /**
         * A field is this text, or an array or object that is printed so.
         *
         * @throws IllegalArgumentException if the text is too long for a pattern
         */
        public static MatchesRegex whole(String field, String text) {
            return new MatchesRegex(field, '^' + Pattern.quote(text) + '$');
        }

        @Override
        public String toString() {
            return Quoting.name(field) + " =~ " + Quoting.text(pattern);
        }
    }

    /**
     * A term over fields that a program makes of the same payloads, such as the line that it shows of them. No text parses to it, and no
     * index has anything about it.
     *
     * @param of has these fields, of the payloads of one format
     */
    record Derived(PayloadFormat of, Where term) implements Where {
        @Override
        public String toString() {
            return operand(term);
        }
    }

    private static String list(List<Literal> literals) {
        return literals.stream().map(Literal::toString).collect(Collectors.joining(", ", "(", ")"));
    }

    private static List<Where> atLeastTwo(List<Where> terms) {
        if (terms.size() < 2) {
            throw new IllegalArgumentException("too few terms: count=" + terms.size() + ", min=2");
        }
        return List.copyOf(terms);
    }

    private static String join(List<Where> terms, String separator) {
        return terms.stream().map(Where::operand).collect(Collectors.joining(separator));
    }

    private static String operand(Where term) {
        return term instanceof And || term instanceof Or ? "(" + term + ")" : term.toString();
    }

    /** A comparison of a field with a literal. */
    enum Operator {
        EQUAL("==", Outcome.EQUAL),
        NOT_EQUAL("!=", Outcome.LESS | Outcome.GREATER | Outcome.UNORDERED),
        LESS("<", Outcome.LESS),
        LESS_OR_EQUAL("<=", Outcome.LESS | Outcome.EQUAL),
        GREATER(">", Outcome.GREATER),
        GREATER_OR_EQUAL(">=", Outcome.GREATER | Outcome.EQUAL);

        private final String text;
        private final int outcomes;

        Operator(String text, int outcomes) {
            this.text = text;
            this.outcomes = outcomes;
        }

        /** The operator as written in an expression. */
        public String text() {
            return text;
        }

        /** Whether the operator holds for an {@link Outcome}. */
        boolean holds(int outcome) {
            return (outcomes & outcome) != 0;
        }

        boolean isEquality() {
            return this == EQUAL || this == NOT_EQUAL;
        }

        /** The operator that holds if the sides are exchanged. */
        Operator reversed() {
            return switch (this) {
                case LESS -> GREATER;
                case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
                case GREATER -> LESS;
                case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
                case EQUAL, NOT_EQUAL -> this;
            };
        }

        static Operator of(String text) {
            for (Operator operator : values()) {
                if (operator.text.equals(text)) {
                    return operator;
                }
            }
            throw new IllegalArgumentException("unknown operator: text=" + text);
        }
    }

    /** A value in an expression. {@code toString()} gives it as written in an expression. */
    sealed interface Literal {
        /**
         * A number with its unit multiplied in: {@code 50ms} is 50,000,000.
         *
         * @param integral whether it was written without fraction and exponent, so that floating-point values also compare with
         *     it exactly
         * @param unit {@link ValueUnit#NANOSECONDS} or {@link ValueUnit#BYTES} if it was written with a unit, otherwise {@link
         *     ValueUnit#NONE}
         */
        record Numeric(BigDecimal value, boolean integral, ValueUnit unit) implements Literal {
            /** A number without a unit. */
            public Numeric(BigDecimal value, boolean integral) {
                this(value, integral, ValueUnit.NONE);
            }

            public Numeric {
                if (integral && value.scale() != 0) {
                    throw new IllegalArgumentException("integral literal has a scale: value=" + value);
                }
            }

            /**
             * Parses a number as expressions write it: {@code 50ms}, {@code 1.5e3}, {@code -2}.
             *
             * @throws IllegalArgumentException if the text is no number
             */
            public static Numeric parse(String text) {
                Lexer lexer = new Lexer(text);
                Numeric number = lexer.next().number();
                if (number == null || lexer.next().kind() != TokenKind.END) {
                    throw new IllegalArgumentException("not a number: " + text + "; for example 5000 or 50ms");
                }
                return number;
            }

            @Override
            public String toString() {
                String text = value.toString();
                boolean written = integral || text.indexOf('.') >= 0 || text.indexOf('E') >= 0;
                return (written ? text : text + "e0") + unitText();
            }

            /**
             * The same number in a field's unit. A number without a unit stays as it is; a field without a unit counts in
             * nanoseconds or bytes.
             *
             * @throws IllegalArgumentException if one is a time and the other a size
             */
            public Numeric in(String field, ValueUnit ofField) {
                if (unit == ValueUnit.NONE) {
                    return this;
                }
                boolean bytes = ofField == ValueUnit.BYTES;
                if (ofField != ValueUnit.NONE && bytes != (unit == ValueUnit.BYTES)) {
                    throw new IllegalArgumentException("units can't be compared: field=" + field + ", unit="
                            + ofField.text() + ", literal=" + this);
                }
                int digits = switch (ofField) {
                    case MICROSECONDS -> 3;
                    case MILLISECONDS -> 6;
                    case SECONDS -> 9;
                    case NONE, NANOSECONDS, BYTES -> 0;
                };
                if (digits == 0) {
                    return new Numeric(value, integral);
                }
                BigDecimal scaled = value.movePointLeft(digits).stripTrailingZeros();
                return integral && scaled.scale() <= 0
                        ? new Numeric(scaled.setScale(0), true)
                        : new Numeric(scaled, false);
            }

            private String unitText() {
                return switch (unit) {
                    case NANOSECONDS -> "ns";
                    case BYTES -> "B";
                    default -> "";
                };
            }
        }

        /** A text, written in quotes. */
        record Text(String value) implements Literal {
            /** Half a surrogate pair is U+FFFD, as in what is stored. */
            public Text {
                value = WellFormedText.of(value);
            }

            @Override
            public String toString() {
                return Quoting.text(value);
            }
        }

        /** {@code true} or {@code false}. */
        record Bool(boolean value) implements Literal {
            @Override
            public String toString() {
                return Boolean.toString(value);
            }
        }
    }
}
