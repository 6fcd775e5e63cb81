package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Random expressions and records whose values meet each other, mostly at the edges of types. */
final class WhereGenerator {
    /** A field of each type, each also the name of its type; in JSON any of them holds anything. */
    static final Map<String, Field.Type> FIELDS = new TreeMap<>();

    static {
        for (Field.Type type : EnumSet.complementOf(EnumSet.of(Field.Type.ANY, Field.Type.JSON))) {
            FIELDS.put(type.text(), type);
            FIELDS.put("other." + type.text(), type);
        }
    }

    private static final String[] INTEGERS = {
        "0",
        "1",
        "-1",
        "127",
        "128",
        "-128",
        "255",
        "256",
        "32767",
        "65535",
        "2147483647",
        "4294967295",
        "16777216",
        "16777217",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "100000000000000000000000"
    };
    private static final String[] DECIMALS = {
        "0.0",
        "-0.0",
        "0.1",
        "0.5",
        "-0.5",
        "1.0",
        "1e23",
        "9007199254740992.0",
        "9007199254740993.0",
        "16777217.0",
        "9223372036854775807.5",
        "9223372036854775808e0",
        "1e308",
        "1e309",
        "-1e309",
        "3.5e38",
        "1e-400",
        "4.9e-324"
    };
    private static final String[] TEXTS = {
        "", "aB", "E\u0301", "a", "ab", "b", "aab", "é", "\uFFFD", "\uD83D\uDE00", "a\nb", "\"'\\"
    };

    private static final List<TextQuery> TEXT_QUERIES = Stream.of("a", "b*", "NOT a", "\"a b\"", "é OR ab")
            .map(TextQuery::parse)
            .toList();

    private static final List<Operator> OPERATORS = List.of(Operator.values());
    private static final List<Formula.Operator> CALCULATIONS = List.of(Formula.Operator.values());

    private final Random random;

    WhereGenerator(Random random) {
        this.random = random;
    }

    /** A tree as the parser gives it: no term of a junction is of its own kind. */
    Where expression(int depth, boolean anyLiteral) {
        switch (depth == 0 ? 9 : random.nextInt(10)) {
            case 0, 1 -> {
                return new Where.And(terms(depth, anyLiteral, Where.And.class));
            }
            case 2, 3 -> {
                return new Where.Or(terms(depth, anyLiteral, Where.Or.class));
            }
            case 4 -> {
                return new Where.Not(expression(depth - 1, anyLiteral));
            }
            default -> {
                return condition(anyLiteral);
            }
        }
    }

    private List<Where> terms(int depth, boolean anyLiteral, Class<?> kind) {
        List<Where> terms = new ArrayList<>();
        while (terms.size() < 2 || random.nextBoolean()) {
            Where term = expression(depth - 1, anyLiteral);
            if (!kind.isInstance(term)) {
                terms.add(term);
            }
        }
        return terms;
    }

    private Where condition(boolean anyLiteral) {
        List<String> names = List.copyOf(FIELDS.keySet());
        String field = names.get(random.nextInt(names.size()));
        Field.Type type = FIELDS.get(field);
        if (random.nextInt(5) == 0) {
            List<Literal> literals = new ArrayList<>();
            do {
                literals.add(literal(type, anyLiteral));
            } while (random.nextInt(3) > 0);
            return random.nextInt(3) > 0 ? new Where.In(field, literals) : new Where.NotIn(field, literals);
        }
        if (random.nextInt(12) == 0) {
            return new Where.IsNull(field);
        }
        if (random.nextInt(5) == 0) {
            return relation(names, anyLiteral);
        }
        if ((anyLiteral || type.isVariableLength()) && random.nextInt(3) == 0) {
            String text = TEXTS[random.nextInt(TEXTS.length)];
            int kind = random.nextInt(3);
            return kind == 0
                    ? new Where.Contains(field, text)
                    : kind == 1
                            ? new Where.ContainsIgnoringCase(
                                    field, random.nextBoolean() ? text.toUpperCase(Locale.ROOT) : text)
                            : new Where.Matches(field, TEXT_QUERIES.get(random.nextInt(TEXT_QUERIES.size())));
        }
        Literal literal = literal(type, anyLiteral);
        Operator[] operators = Operator.values();
        int count = literal instanceof Literal.Bool ? 2 : operators.length;
        return new Where.Comparison(field, operators[random.nextInt(count)], literal);
    }

    /** A comparison of formulas that the parser gives: one has an operation, and one has a field. */
    private Where relation(List<String> names, boolean anyField) {
        List<String> numbers = anyField
                ? names
                : names.stream().filter(name -> FIELDS.get(name).isNumber()).toList();
        while (true) {
            Formula left = formula(random.nextInt(4), numbers);
            Formula right = formula(random.nextInt(3), numbers);
            Where.Relation relation = new Where.Relation(left, OPERATORS.get(random.nextInt(OPERATORS.size())), right);
            if ((hasField(left) || hasField(right))
                    && !(left instanceof Formula.Constant || right instanceof Formula.Constant)
                    && FormulaSize.of(relation).bits() <= Formula.BITS_MAX) {
                return relation;
            }
        }
    }

    private Formula formula(int depth, List<String> names) {
        if (depth > 0 && random.nextInt(4) > 0) {
            Formula.Operator operator = CALCULATIONS.get(random.nextInt(CALCULATIONS.size()));
            Formula left = formula(depth - 1, names);
            Formula right = formula(depth - 1, names);
            boolean byZero = operator == Formula.Operator.DIVIDED_BY
                    && right instanceof Formula.Constant number
                    && number.literal().value().signum() == 0;
            return byZero ? left : new Formula.Operation(left, operator, right);
        }
        if (random.nextInt(3) == 0) {
            boolean integral = random.nextInt(3) > 0;
            String[] numbers = integral ? INTEGERS : DECIMALS;
            return new Formula.Constant(
                    new Literal.Numeric(new BigDecimal(numbers[random.nextInt(numbers.length)]), integral));
        }
        return new Formula.Field(names.get(random.nextInt(names.size())));
    }

    private static boolean hasField(Formula formula) {
        return formula instanceof Formula.Operation operation
                ? hasField(operation.left()) || hasField(operation.right())
                : formula instanceof Formula.Field;
    }

    private Literal literal(Field.Type type, boolean any) {
        if (any ? random.nextInt(6) == 0 : type == Field.Type.BOOL) {
            return new Literal.Bool(random.nextBoolean());
        }
        if (any ? random.nextInt(3) == 0 : type.isVariableLength()) {
            return new Literal.Text(TEXTS[random.nextInt(TEXTS.length)]);
        }
        boolean integral = random.nextBoolean();
        String[] numbers = integral ? INTEGERS : DECIMALS;
        return new Literal.Numeric(new BigDecimal(numbers[random.nextInt(numbers.length)]), integral);
    }

    /** A value that a field of the type can hold. */
    Object value(Field.Type type) {
        return switch (type) {
            case BOOL -> random.nextBoolean();
            case UTF8 -> TEXTS[random.nextInt(TEXTS.length)];
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(4)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) "ab\u00c3\u00a9".charAt(random.nextInt(4));
                }
                yield bytes;
            }
            case F32 -> (float) floating();
            case F64 -> floating();
            default -> {
                BigInteger integer = new BigInteger(INTEGERS[random.nextInt(INTEGERS.length)]);
                int bits = Integer.parseInt(type.text().substring(1));
                BigInteger wrapped = integer.mod(BigInteger.TWO.pow(bits));
                boolean negative = !type.isUnsigned() && wrapped.testBit(bits - 1);
                yield negative ? wrapped.subtract(BigInteger.TWO.pow(bits)) : wrapped;
            }
        };
    }

    private double floating() {
        return switch (random.nextInt(8)) {
            case 0 -> Double.NaN;
            case 1 -> random.nextBoolean() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
            case 2, 3 -> Double.parseDouble(INTEGERS[random.nextInt(INTEGERS.length)]);
            default -> Double.parseDouble(DECIMALS[random.nextInt(DECIMALS.length)]);
        };
    }

    /** Writes an expression in one of its many ways. */
    String write(Where expression) {
        if (random.nextInt(8) == 0) {
            return "(" + space() + write(expression) + space() + ")";
        }
        if (expression instanceof Where.And and) {
            return join(and.terms(), "and", Where.Or.class);
        }
        if (expression instanceof Where.Or or) {
            return join(or.terms(), "or", Where.Or.class);
        }
        if (expression instanceof Where.Not not) {
            boolean junction = not.term() instanceof Where.And || not.term() instanceof Where.Or;
            return keyword("not") + (junction ? "(" + write(not.term()) + ")" : " " + write(not.term()));
        }
        if (expression instanceof Where.Comparison c) {
            return name(c.field()) + space() + c.operator().text() + space() + write(c.literal());
        }
        if (expression instanceof Where.Relation relation) {
            return write(relation.left(), false)
                    + space()
                    + relation.operator().text()
                    + space()
                    + write(relation.right(), false);
        }
        if (expression instanceof Where.In in) {
            String literals = String.join(
                    space() + "," + space(),
                    in.literals().stream().map(this::write).toList());
            return name(in.field()) + " " + keyword("in") + space() + "(" + literals + ")";
        }
        if (expression instanceof Where.NotIn in) {
            String literals = String.join(
                    space() + "," + space(),
                    in.literals().stream().map(this::write).toList());
            return name(in.field()) + " " + keyword("not in") + space() + "(" + literals + ")";
        }
        if (expression instanceof Where.IsNull isNull) {
            return name(isNull.field()) + " " + keyword("is") + " " + keyword("null");
        }
        if (expression instanceof Where.ContainsIgnoringCase contains) {
            return name(contains.field()) + " " + keyword("icontains") + space()
                    + write(new Literal.Text(contains.text()));
        }
        if (expression instanceof Where.Matches matches) {
            return name(matches.field()) + " " + keyword("matches") + space()
                    + write(new Literal.Text(matches.query().toString()));
        }
        Where.Contains contains = (Where.Contains) expression;
        return name(contains.field()) + " " + keyword("contains") + space() + write(new Literal.Text(contains.text()));
    }

    private String write(Formula formula, boolean inOperation) {
        if (formula instanceof Formula.Field field) {
            return name(field.name());
        }
        if (formula instanceof Formula.Constant number) {
            return number.literal().toString();
        }
        Formula.Operation operation = (Formula.Operation) formula;
        boolean negative =
                operation.left().equals(new Formula.Constant(new Literal.Numeric(BigDecimal.ONE.negate(), true)))
                        && operation.operator() == Formula.Operator.TIMES;
        if (negative && !(operation.right() instanceof Formula.Constant)) {
            return "-" + space() + "(" + space() + write(operation.right(), false) + space() + ")";
        }
        String text = write(operation.left(), true) + space() + " "
                + operation.operator().text() + space() + write(operation.right(), true);
        return inOperation || random.nextInt(4) == 0 ? "(" + space() + text + ")" : text;
    }

    private String join(List<Where> terms, String keyword, Class<?> bindsLess) {
        StringBuilder text = new StringBuilder();
        for (Where term : terms) {
            text.append(text.isEmpty() ? "" : " " + keyword(keyword) + " ");
            text.append(bindsLess.isInstance(term) ? "(" + write(term) + ")" : write(term));
        }
        return text.toString();
    }

    private String write(Literal literal) {
        if (literal instanceof Literal.Text text) {
            String quote = random.nextBoolean() ? "'" : "\"";
            return quote + text.value().replace("\\", "\\\\").replace(quote, "\\" + quote) + quote;
        }
        return literal.toString();
    }

    private String name(String name) {
        return random.nextBoolean() ? name : "`" + name + "`";
    }

    private String keyword(String word) {
        return random.nextBoolean() ? word : word.toUpperCase(Locale.ROOT);
    }

    private String space() {
        return " \t\n".substring(0, random.nextInt(4));
    }
}
