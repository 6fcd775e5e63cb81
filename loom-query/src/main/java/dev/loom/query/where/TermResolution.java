package dev.loom.query.where;

import dev.loom.api.IndexFunction;
import dev.loom.format.FieldTerms;
import dev.loom.format.FieldType;
import dev.loom.format.PayloadFormat;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replaces what people write with what a format's fields hold: names of enumerations, ids in another case, numbers in
 * another unit. Rejects what no value of a field can be, as the comparison could then never hold.
 */
final class TermResolution {
    private final PayloadFormat format;

    TermResolution(PayloadFormat format) {
        this.format = format;
    }

    WhereExpression resolve(WhereExpression expression) {
        if (expression instanceof WhereExpression.And and) {
            return new WhereExpression.And(
                    and.terms().stream().map(this::resolve).toList());
        }
        if (expression instanceof WhereExpression.Or or) {
            return new WhereExpression.Or(or.terms().stream().map(this::resolve).toList());
        }
        if (expression instanceof WhereExpression.Not not) {
            return new WhereExpression.Not(resolve(not.term()));
        }
        if (expression instanceof WhereExpression.Comparison comparison) {
            return comparison(comparison);
        }
        if (expression instanceof WhereExpression.In in) {
            return in(in);
        }
        if (expression instanceof WhereExpression.NotIn notIn) {
            return notIn(notIn);
        }
        if (expression instanceof WhereExpression.Contains contains) {
            return contains(contains);
        }
        return expression;
    }

    private WhereExpression comparison(WhereExpression.Comparison comparison) {
        String field = comparison.field();
        if (comparison.literal() instanceof Literal.Numeric number) {
            Literal.Numeric inUnit = inUnit(field, number);
            requirePossible(field, comparison.operator(), inUnit);
            return new WhereExpression.Comparison(field, comparison.operator(), inUnit);
        }
        @Nullable FieldTerms terms = format.terms(field);
        if (terms == null || !(comparison.literal() instanceof Literal.Text text)) {
            return comparison;
        }
        FieldTerms.@Nullable Numbers numbers = terms.numbers(text.value());
        if (numbers != null) {
            return numbers(field, comparison.operator(), numbers);
        }
        @Nullable String held = terms.text(text.value());
        if (held != null) {
            return new WhereExpression.Comparison(field, comparison.operator(), new Literal.Text(held));
        } else if (!comparison.operator().isEquality() && isText(field)) {
            return comparison;
        }
        throw never(field, terms, text.value());
    }

    private static WhereExpression numbers(String field, Operator operator, FieldTerms.Numbers numbers) {
        return switch (operator) {
            case LESS, GREATER_OR_EQUAL -> number(field, operator, numbers.low());
            case LESS_OR_EQUAL, GREATER -> number(field, operator, numbers.high());
            case EQUAL ->
                numbers.low() == numbers.high()
                        ? number(field, operator, numbers.low())
                        : new WhereExpression.And(List.of(
                                number(field, Operator.GREATER_OR_EQUAL, numbers.low()),
                                number(field, Operator.LESS_OR_EQUAL, numbers.high())));
            case NOT_EQUAL ->
                numbers.low() == numbers.high()
                        ? number(field, operator, numbers.low())
                        : new WhereExpression.Or(List.of(
                                number(field, Operator.LESS, numbers.low()),
                                number(field, Operator.GREATER, numbers.high())));
        };
    }

    private static WhereExpression number(String field, Operator operator, long value) {
        return new WhereExpression.Comparison(field, operator, new Literal.Numeric(BigDecimal.valueOf(value), true));
    }

    private WhereExpression in(WhereExpression.In in) {
        if (format.terms(in.field()) == null) {
            return new WhereExpression.In(in.field(), possible(in.field(), in.literals()));
        }
        List<Literal> literals = new ArrayList<>();
        List<WhereExpression> others = new ArrayList<>();
        for (Literal literal : in.literals()) {
            WhereExpression equal = comparison(new WhereExpression.Comparison(in.field(), Operator.EQUAL, literal));
            if (equal instanceof WhereExpression.Comparison comparison) {
                literals.add(comparison.literal());
            } else {
                others.add(equal);
            }
        }
        if (!literals.isEmpty()) {
            others.add(new WhereExpression.In(in.field(), literals));
        }
        return others.size() == 1 ? others.get(0) : new WhereExpression.Or(others);
    }

    private WhereExpression notIn(WhereExpression.NotIn notIn) {
        if (format.terms(notIn.field()) == null) {
            return new WhereExpression.NotIn(notIn.field(), possible(notIn.field(), notIn.literals()));
        }
        List<WhereExpression> all = notIn.literals().stream()
                .map(literal -> comparison(new WhereExpression.Comparison(notIn.field(), Operator.NOT_EQUAL, literal)))
                .toList();
        return all.size() == 1 ? all.get(0) : new WhereExpression.And(all);
    }

    /** Rejects a list if none of its literals can be equal; a single impossible literal among others is harmless. */
    private List<Literal> possible(String field, List<Literal> literals) {
        List<Literal> inUnit = literals.stream()
                .map(literal -> literal instanceof Literal.Numeric number ? inUnit(field, number) : literal)
                .toList();
        boolean any = inUnit.stream()
                .anyMatch(literal -> !(literal instanceof Literal.Numeric number)
                        || isPossible(format.declaredType(field), Operator.EQUAL, number));
        if (!any && inUnit.get(0) instanceof Literal.Numeric first) {
            requirePossible(field, Operator.EQUAL, first);
        }
        return inUnit;
    }

    /** An unknown field is left for the binding to report. */
    private Literal.Numeric inUnit(String field, Literal.Numeric number) {
        return format.field(field) == null ? number : number.in(field, IndexFunction.unit(format, field));
    }

    private static boolean isPossible(@Nullable FieldType type, Operator operator, Literal.Numeric number) {
        return type == null || !type.isNumber() || NumberRange.of(type).canHold(operator, number);
    }

    private void requirePossible(String field, Operator operator, Literal.Numeric number) {
        FieldType type = format.declaredType(field);
        if (type != null && !isPossible(type, operator, number)) {
            throw new IllegalArgumentException("comparison gives the same result for every value: field=" + field
                    + ", type=" + type.text() + ", values=" + NumberRange.of(type) + ", operator=" + operator.text()
                    + ", literal=" + number);
        }
    }

    private WhereExpression contains(WhereExpression.Contains contains) {
        @Nullable FieldTerms terms = isText(contains.field()) ? format.terms(contains.field()) : null;
        if (terms == null) {
            return contains;
        }
        @Nullable String held = terms.part(contains.text());
        if (held == null) {
            throw never(contains.field(), terms, contains.text());
        }
        return new WhereExpression.Contains(contains.field(), held);
    }

    private boolean isText(String field) {
        return format.declaredType(field) == FieldType.UTF8;
    }

    private static IllegalArgumentException never(String field, FieldTerms terms, String text) {
        return new IllegalArgumentException("no value of the field has this text: field=" + field + ", text="
                + Quoting.text(text) + ", values=" + terms.known());
    }
}
