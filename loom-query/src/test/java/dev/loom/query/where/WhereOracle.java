package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.query.match.TextMatcher;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates expressions over records that are maps, by the rules of the package's description and nothing else. Values
 * are BigInteger, Float, Double, String, byte[] or Boolean; an absent field has no entry.
 */
final class WhereOracle {
    private WhereOracle() {}

    static boolean holds(Where expression, Map<String, Object> row) {
        if (expression instanceof Where.And and) {
            return and.terms().stream().allMatch(term -> holds(term, row));
        }
        if (expression instanceof Where.Or or) {
            return or.terms().stream().anyMatch(term -> holds(term, row));
        }
        if (expression instanceof Where.Not not) {
            return !holds(not.term(), row);
        }
        if (expression instanceof Where.Comparison c) {
            return compare(row.get(c.field()), c.operator().text(), c.literal());
        }
        if (expression instanceof Where.In in) {
            return in.literals().stream().anyMatch(literal -> compare(row.get(in.field()), "==", literal));
        }
        if (expression instanceof Where.NotIn in) {
            Object value = row.get(in.field());
            return in.literals().stream().noneMatch(literal -> compare(value, "==", literal))
                    && in.literals().stream().anyMatch(literal -> compare(value, "!=", literal));
        }
        if (expression instanceof Where.IsNull isNull) {
            return !row.containsKey(isNull.field());
        }
        if (expression instanceof Where.ContainsIgnoringCase contains) {
            Object value = row.get(contains.field());
            return isText(value) && folded(utf8(value)).contains(folded(utf8(contains.text())));
        }
        if (expression instanceof Where.Matches matches) {
            Object value = row.get(matches.field());
            return isText(value)
                    && new TextMatcher(matches.query()).matches(new UnsafeBuffer(utf8(value)), 0, utf8(value).length);
        }
        Where.Contains contains = (Where.Contains) expression;
        Object value = row.get(contains.field());
        return isText(value) && latin(utf8(value)).contains(latin(utf8(contains.text())));
    }

    /** Whether each comparison with a number holds for one of the values that its field can have at the type's ends and near. */
    static boolean canHold(Where expression, Map<String, Field.Type> fields) {
        if (expression instanceof Where.And and) {
            return and.terms().stream().allMatch(term -> canHold(term, fields));
        }
        if (expression instanceof Where.Or or) {
            return or.terms().stream().allMatch(term -> canHold(term, fields));
        }
        if (expression instanceof Where.Not not) {
            return canHold(not.term(), fields);
        }
        if (expression instanceof Where.Comparison c) {
            Field.Type type = fields.get(c.field());
            boolean unequal = type.isInteger() && c.operator() == Operator.NOT_EQUAL;
            return canHold(type, unequal ? "==" : c.operator().text(), c.literal());
        }
        List<Literal> literals = expression instanceof Where.In in
                ? in.literals()
                : expression instanceof Where.NotIn notIn ? notIn.literals() : List.of();
        return literals.isEmpty()
                || literals.stream()
                        .anyMatch(literal -> canHold(
                                fields.get(
                                        expression instanceof Where.In in
                                                ? in.field()
                                                : ((Where.NotIn) expression).field()),
                                "==",
                                literal));
    }

    private static boolean canHold(Field.Type type, String operator, Literal literal) {
        if (!type.isNumber() || !(literal instanceof Literal.Numeric number)) {
            return true;
        }
        if (!type.isInteger()) {
            double nearest = number.value().doubleValue();
            Stream<Number> values = type == Field.Type.F32
                    ? Stream.of(
                            number.value().floatValue(),
                            (float) nearest,
                            Float.POSITIVE_INFINITY,
                            Float.NEGATIVE_INFINITY)
                    : Stream.of(nearest, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
            return operator.equals("!=") || values.anyMatch(value -> compare(value, operator, number));
        }
        int bits = Integer.parseInt(type.text().substring(1));
        BigInteger min = type.isUnsigned()
                ? BigInteger.ZERO
                : BigInteger.TWO.pow(bits - 1).negate();
        BigInteger max = min.add(BigInteger.TWO.pow(bits)).subtract(BigInteger.ONE);
        BigInteger near = number.value().toBigInteger().max(min).min(max);
        return Stream.of(min, max, near).anyMatch(value -> compare(value, operator, number));
    }

    private static boolean compare(@Nullable Object value, String operator, Literal literal) {
        if (literal instanceof Literal.Bool bool) {
            return value instanceof Boolean && value.equals(bool.value()) == operator.equals("==");
        }
        if (literal instanceof Literal.Text text) {
            return isText(value) && holds(operator, Arrays.compareUnsigned(utf8(value), utf8(text.value())));
        }
        if (!(value instanceof Number number)) {
            return false;
        }
        if (Double.isNaN(number.doubleValue())) {
            return operator.equals("!=");
        }
        return holds(operator, compare(number, (Literal.Numeric) literal));
    }

    private static int compare(Number value, Literal.Numeric literal) {
        BigDecimal exact = literal.value();
        if (value instanceof BigInteger integer) {
            return new BigDecimal(integer).compareTo(exact);
        }
        if (Double.isInfinite(value.doubleValue())) {
            return value.doubleValue() > 0 ? 1 : -1;
        }
        double nearest =
                value instanceof Float ? Float.parseFloat(exact.toString()) : Double.parseDouble(exact.toString());
        if (!literal.integral() && !Double.isInfinite(nearest)) {
            exact = new BigDecimal(nearest);
        }
        return new BigDecimal(value.doubleValue()).compareTo(exact);
    }

    private static boolean holds(String operator, int comparison) {
        return switch (operator) {
            case "==" -> comparison == 0;
            case "!=" -> comparison != 0;
            case "<" -> comparison < 0;
            case "<=" -> comparison <= 0;
            case ">" -> comparison > 0;
            case ">=" -> comparison >= 0;
            default -> throw new IllegalStateException(operator);
        };
    }

    private static boolean isText(@Nullable Object value) {
        return value instanceof String || value instanceof byte[];
    }

    private static byte[] utf8(@Nullable Object text) {
        return text instanceof byte[] bytes ? bytes : String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }

    /** A byte that is no UTF-8 is an unassigned character, which is in no text. */
    private static String folded(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .replaceWith("\u0378")
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Normalizer.normalize(text, Normalizer.Form.NFC).toLowerCase(Locale.ROOT);
        } catch (CharacterCodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
