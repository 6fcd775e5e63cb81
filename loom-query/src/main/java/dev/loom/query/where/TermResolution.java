package dev.loom.query.where;

import dev.loom.api.IndexFunction;
import dev.loom.format.Field;
import dev.loom.format.FieldTerms;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
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

    Where resolve(Where expression) {
        if (expression instanceof Where.And and) {
            return new Where.And(and.terms().stream().map(this::resolve).toList());
        }
        if (expression instanceof Where.Or or) {
            return new Where.Or(or.terms().stream().map(this::resolve).toList());
        }
        if (expression instanceof Where.Not not) {
            return new Where.Not(resolve(not.term()));
        }
        if (expression instanceof Where.Comparison comparison) {
            return comparison(comparison);
        }
        if (expression instanceof Where.Relation relation) {
            Where resolved = new FormulaResolution(format).resolve(relation);
            return resolved instanceof Where.Comparison comparison ? comparison(comparison) : resolved;
        }
        if (expression instanceof Where.Between between) {
            return between(between);
        }
        if (expression instanceof Where.In in) {
            return in(in);
        }
        if (expression instanceof Where.NotIn notIn) {
            return notIn(notIn);
        }
        if (expression instanceof Where.Contains contains) {
            return contains(contains);
        }
        if (expression instanceof Where.Derived derived) {
            return new Where.Derived(derived.of(), derived.term().resolve(derived.of()));
        }
        return expression;
    }

    private Where between(Where.Between between) {
        boolean negated = between.negated();
        Where.Relation low = end(between, negated ? Operator.LESS : Operator.GREATER_OR_EQUAL, between.low());
        Where.Relation high = end(between, negated ? Operator.GREATER : Operator.LESS_OR_EQUAL, between.high());
        List<Where> ends = List.of(resolve(low), resolve(high));
        if (number(low).compareTo(number(high)) > 0) {
            throw new IllegalArgumentException("between takes the lower number first: expression=" + between);
        }
        return negated ? new Where.Or(ends) : new Where.And(ends);
    }

    private static Where.Relation end(Where.Between between, Operator operator, Literal.Numeric number) {
        return new Where.Relation(between.left(), operator, new Formula.Constant(number));
    }

    /** The number that a formula is compared with, in the unit of its fields. */
    private BigDecimal number(Where.Relation relation) {
        Formula number = new FormulaUnits(format).resolve(relation).right();
        return ((Formula.Constant) number).literal().value();
    }

    private Where comparison(Where.Comparison comparison) {
        String field = comparison.field();
        if (comparison.literal() instanceof Literal.Numeric number) {
            Literal.Numeric inUnit = inUnit(field, number);
            requirePossible(field, comparison.operator(), inUnit);
            return new Where.Comparison(field, comparison.operator(), inUnit);
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
            return new Where.Comparison(field, comparison.operator(), new Literal.Text(held));
        } else if (!comparison.operator().isEquality() && isText(field)) {
            return comparison;
        }
        throw never(field, terms, text.value());
    }

    private static Where numbers(String field, Operator operator, FieldTerms.Numbers numbers) {
        return switch (operator) {
            case LESS, GREATER_OR_EQUAL -> number(field, operator, numbers.low());
            case LESS_OR_EQUAL, GREATER -> number(field, operator, numbers.high());
            case EQUAL ->
                numbers.low() == numbers.high()
                        ? number(field, operator, numbers.low())
                        : new Where.And(List.of(
                                number(field, Operator.GREATER_OR_EQUAL, numbers.low()),
                                number(field, Operator.LESS_OR_EQUAL, numbers.high())));
            case NOT_EQUAL ->
                numbers.low() == numbers.high()
                        ? number(field, operator, numbers.low())
                        : new Where.Or(List.of(
                                number(field, Operator.LESS, numbers.low()),
                                number(field, Operator.GREATER, numbers.high())));
        };
    }

    private static Where number(String field, Operator operator, long value) {
        return new Where.Comparison(field, operator, new Literal.Numeric(BigDecimal.valueOf(value), true));
    }

    private Where in(Where.In in) {
        if (format.terms(in.field()) == null) {
            return new Where.In(in.field(), possible(in.field(), in.literals()));
        }
        List<Literal> literals = new ArrayList<>();
        List<Where> others = new ArrayList<>();
        for (Literal literal : in.literals()) {
            Where equal = comparison(new Where.Comparison(in.field(), Operator.EQUAL, literal));
            if (equal instanceof Where.Comparison comparison) {
                literals.add(comparison.literal());
            } else {
                others.add(equal);
            }
        }
        if (!literals.isEmpty()) {
            others.add(new Where.In(in.field(), literals));
        }
        return others.size() == 1 ? others.get(0) : new Where.Or(others);
    }

    private Where notIn(Where.NotIn notIn) {
        if (format.terms(notIn.field()) == null) {
            return new Where.NotIn(notIn.field(), possible(notIn.field(), notIn.literals()));
        }
        List<Where> all = notIn.literals().stream()
                .map(literal -> comparison(new Where.Comparison(notIn.field(), Operator.NOT_EQUAL, literal)))
                .toList();
        return all.size() == 1 ? all.get(0) : new Where.And(all);
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

    private static boolean isPossible(Field.@Nullable Type type, Operator operator, Literal.Numeric number) {
        return type == null || !type.isNumber() || NumberRange.of(type).canHold(operator, number);
    }

    private void requirePossible(String field, Operator operator, Literal.Numeric number) {
        Field.Type type = format.declaredType(field);
        if (type != null && !isPossible(type, operator, number)) {
            throw new IllegalArgumentException("comparison gives the same result for every value: field=" + field
                    + ", type=" + type.text() + ", values=" + NumberRange.of(type) + ", operator=" + operator.text()
                    + ", literal=" + number);
        }
    }

    private Where contains(Where.Contains contains) {
        @Nullable FieldTerms terms = isText(contains.field()) ? format.terms(contains.field()) : null;
        if (terms == null) {
            return contains;
        }
        @Nullable String held = terms.part(contains.text());
        if (held == null) {
            throw never(contains.field(), terms, contains.text());
        }
        return new Where.Contains(contains.field(), held);
    }

    private boolean isText(String field) {
        return format.declaredType(field) == Field.Type.UTF8;
    }

    private static IllegalArgumentException never(String field, FieldTerms terms, String text) {
        return new IllegalArgumentException("no value of the field has this text: field=" + field + ", text="
                + Quoting.text(text) + ", values=" + terms.known());
    }
}
