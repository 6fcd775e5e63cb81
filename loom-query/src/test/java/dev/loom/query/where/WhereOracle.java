package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.query.match.TextMatcher;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
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
        if (expression instanceof Where.Relation relation) {
            // what has no field is calculated first
            Literal.Numeric right = relation.left() instanceof Formula.Field ? decimal(relation.right()) : null;
            Literal.Numeric left = relation.right() instanceof Formula.Field ? decimal(relation.left()) : null;
            if (right != null) {
                String field = ((Formula.Field) relation.left()).name();
                return compare(row.get(field), relation.operator().text(), right);
            } else if (left != null) {
                String field = ((Formula.Field) relation.right()).name();
                return compare(row.get(field), relation.operator().reversed().text(), left);
            }
            return compare(value(relation.left(), row), relation.operator().text(), value(relation.right(), row));
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

    /** A BigInteger or a Double; a fraction as its BigInteger numerator and denominator; null if there is no result. */
    private static @Nullable Object value(Formula formula, Map<String, Object> row) {
        if (formula instanceof Formula.Field field) {
            Object value = row.get(field.name());
            return value instanceof Float single ? (Object) (double) single : value instanceof Number ? value : null;
        }
        if (formula instanceof Formula.Constant number) {
            BigDecimal decimal = number.literal().value();
            BigDecimal scaled = decimal.setScale(Math.max(0, decimal.scale()));
            return fraction(scaled.unscaledValue(), BigInteger.TEN.pow(scaled.scale()));
        }
        Formula.Operation operation = (Formula.Operation) formula;
        Object left = value(operation.left(), row);
        Object right = value(operation.right(), row);
        if (left == null || right == null) {
            return null;
        }
        char operator = operation.operator().text().charAt(0);
        if (operator == '/'
                && toDouble(right) == 0
                && (right instanceof Double || numerator(right).signum() == 0)) {
            return null;
        }
        if (left instanceof Double || right instanceof Double) {
            double a = toDouble(left);
            double b = toDouble(right);
            return operator == '+' ? a + b : operator == '-' ? a - b : operator == '*' ? a * b : a / b;
        }
        BigInteger cross = numerator(left).multiply(denominator(right));
        BigInteger other = numerator(right).multiply(denominator(left));
        BigInteger below = denominator(left).multiply(denominator(right));
        return switch (operator) {
            case '+' -> fraction(cross.add(other), below);
            case '-' -> fraction(cross.subtract(other), below);
            case '*' -> fraction(numerator(left).multiply(numerator(right)), below);
            default -> fraction(cross, other);
        };
    }

    private static Object fraction(BigInteger above, BigInteger below) {
        return above.mod(below.abs()).signum() == 0 ? above.divide(below) : new BigInteger[] {above, below};
    }

    private static BigInteger numerator(Object exact) {
        return exact instanceof BigInteger[] parts ? parts[0] : (BigInteger) exact;
    }

    private static BigInteger denominator(Object exact) {
        return exact instanceof BigInteger[] parts ? parts[1] : BigInteger.ONE;
    }

    /** By far more digits than decide which double is nearest to a number that the generator makes. */
    private static double toDouble(Object value) {
        return value instanceof Double floating
                ? floating
                : Double.parseDouble(new BigDecimal(numerator(value))
                        .divide(new BigDecimal(denominator(value)), new MathContext(1_200))
                        .toString());
    }

    private static boolean compare(@Nullable Object left, String operator, @Nullable Object right) {
        if (left == null || right == null) {
            return false;
        }
        boolean floating = left instanceof Double || right instanceof Double;
        if (floating && (Double.isNaN(toDouble(left)) || Double.isNaN(toDouble(right)))) {
            return operator.equals("!=");
        }
        boolean byDouble = floating
                && (left instanceof BigInteger[]
                        || right instanceof BigInteger[]
                        || Double.isInfinite(left instanceof Double d ? d : 0)
                        || Double.isInfinite(right instanceof Double d ? d : 0));
        if (byDouble) {
            // an infinity is beyond every exact number, even one whose nearest double it is
            double a = isExactBeside(left, right) ? numerator(left).signum() : toDouble(left);
            double b = isExactBeside(right, left) ? numerator(right).signum() : toDouble(right);
            return holds(operator, a == b ? 0 : a < b ? -1 : 1);
        }
        if (floating) {
            return holds(operator, exact(left).compareTo(exact(right)));
        }
        BigInteger a = numerator(left).multiply(denominator(right));
        BigInteger b = numerator(right).multiply(denominator(left));
        boolean turned = denominator(left).signum() * denominator(right).signum() < 0;
        return holds(operator, turned ? b.compareTo(a) : a.compareTo(b));
    }

    private static boolean isExactBeside(Object value, Object other) {
        return value instanceof BigInteger
                || (value instanceof BigInteger[] && other instanceof Double floating && floating.isInfinite());
    }

    private static BigDecimal exact(Object value) {
        return value instanceof Double floating ? new BigDecimal(floating) : new BigDecimal((BigInteger) value);
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
        if (expression instanceof Where.Relation relation) {
            return canHold(relation.left(), relation.operator(), relation.right(), fields)
                    && canHold(relation.right(), relation.operator().reversed(), relation.left(), fields);
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

    /** A field compared with a number that has no field in it is a comparison like any other. */
    private static boolean canHold(Formula left, Operator operator, Formula right, Map<String, Field.Type> fields) {
        Literal.Numeric number = left instanceof Formula.Field ? decimal(right) : null;
        if (number == null) {
            return true;
        }
        Where comparison = new Where.Comparison(((Formula.Field) left).name(), operator, number);
        return canHold(comparison, fields);
    }

    /** A formula without fields, if its value has finitely many digits. */
    private static Literal.@Nullable Numeric decimal(Formula formula) {
        Object value = value(formula, Map.of());
        if (value == null) {
            return null;
        }
        try {
            BigDecimal decimal = new BigDecimal(numerator(value))
                    .divide(new BigDecimal(denominator(value)))
                    .stripTrailingZeros();
            return new Literal.Numeric(
                    decimal.scale() <= 0 ? decimal.setScale(0) : decimal, value instanceof BigInteger);
        } catch (ArithmeticException endless) {
            return null;
        }
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
