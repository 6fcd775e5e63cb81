package dev.loom.query.where;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueUnit;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where.Literal;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The units of a comparison between formulas: turns durations into the unit of the fields, and refuses to add or compare
 * what has different units. A product or a quotient of two units has none that is known here.
 */
final class FormulaUnits {
    private final PayloadFormat format;
    private final Map<String, ValueUnit> times = new TreeMap<>();

    FormulaUnits(PayloadFormat format) {
        this.format = format;
    }

    /**
     * The comparison with plain numbers.
     *
     * @throws IllegalArgumentException if units don't fit
     */
    Where.Relation resolve(Where.Relation relation) {
        collect(relation.left());
        collect(relation.right());
        requireSame(measure(relation.left()), measure(relation.right()), relation);
        return new Where.Relation(plain(relation.left()), relation.operator(), plain(relation.right()));
    }

    private void collect(Formula formula) {
        if (formula instanceof Formula.Operation operation) {
            collect(operation.left());
            collect(operation.right());
        } else if (formula instanceof Formula.Field field) {
            ValueUnit unit = unit(field);
            if (isTime(unit)) {
                times.put(field.name(), unit);
            }
        }
    }

    /** A field that the format lacks is left for the binding to report. */
    private ValueUnit unit(Formula.Field field) {
        return format.field(field.name()) == null ? ValueUnit.NONE : IndexFunction.unit(format, field.name());
    }

    private Formula plain(Formula formula) {
        if (formula instanceof Formula.Operation operation) {
            return new Formula.Operation(plain(operation.left()), operation.operator(), plain(operation.right()));
        }
        return formula instanceof Formula.Constant number ? new Formula.Constant(plain(number.literal())) : formula;
    }

    private Literal.Numeric plain(Literal.Numeric literal) {
        if (literal.unit() == ValueUnit.NONE) {
            return literal;
        } else if (!isTime(literal.unit())) {
            return literal.in("", literal.unit());
        }
        if (times.values().stream().distinct().count() > 1) {
            throw new IllegalArgumentException("fields have different units, so a number can't have one: literal="
                    + literal + ", units="
                    + times.entrySet().stream()
                            .map(entry ->
                                    entry.getKey() + " " + entry.getValue().text())
                            .collect(Collectors.joining(", ", "[", "]")));
        }
        ValueUnit unit = times.values().stream().findFirst().orElse(ValueUnit.NANOSECONDS);
        return literal.in("", unit);
    }

    /** What a formula measures; null if that is not known. */
    private @Nullable Measure measure(Formula formula) {
        if (formula instanceof Formula.Field field) {
            ValueUnit unit = unit(field);
            return unit == ValueUnit.NONE ? null : new Measure(isTime(unit), unit);
        }
        if (formula instanceof Formula.Constant number) {
            ValueUnit unit = number.literal().unit();
            return unit == ValueUnit.NONE ? null : new Measure(isTime(unit), isTime(unit) ? null : unit);
        }
        Formula.Operation operation = (Formula.Operation) formula;
        @Nullable Measure left = measure(operation.left());
        @Nullable Measure right = measure(operation.right());
        return switch (operation.operator()) {
            case PLUS, MINUS -> {
                requireSame(left, right, operation);
                yield left == null ? right : right == null || left.unit != null ? left : right;
            }
            case TIMES -> isPlain(operation.left()) ? scaled(right) : isPlain(operation.right()) ? scaled(left) : null;
            case DIVIDED_BY -> isPlain(operation.right()) ? scaled(left) : null;
        };
    }

    private static @Nullable Measure scaled(@Nullable Measure measure) {
        return measure == null ? null : new Measure(measure.time, null);
    }

    /** Whether a formula is a number without a unit. */
    private static boolean isPlain(Formula formula) {
        return formula instanceof Formula.Constant number
                ? number.literal().unit() == ValueUnit.NONE
                : formula instanceof Formula.Operation operation
                        && isPlain(operation.left())
                        && isPlain(operation.right());
    }

    private static void requireSame(@Nullable Measure left, @Nullable Measure right, Object written) {
        if (left == null || right == null) {
            return;
        }
        boolean same = left.time == right.time && (left.unit == null || right.unit == null || left.unit == right.unit);
        if (!same) {
            throw new IllegalArgumentException(
                    "units differ: left=" + left.text() + ", right=" + right.text() + ", in=" + written);
        }
    }

    private static boolean isTime(ValueUnit unit) {
        return unit != ValueUnit.NONE && unit != ValueUnit.BYTES;
    }

    /**
     * What a formula measures.
     *
     * @param time a time, or else bytes
     * @param unit null if it was multiplied by a number, or is that of the fields
     */
    private record Measure(boolean time, @Nullable ValueUnit unit) {
        String text() {
            return unit != null ? unit.text() : time ? "a time" : ValueUnit.BYTES.text();
        }
    }
}
