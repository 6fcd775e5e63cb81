package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.text.TextMatcher;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Makes the predicate of an expression over one format: a reader for each field, a comparand for each literal. */
final class Binding {
    private static final int FIELDS_NAMED_MAX = 32;

    private final PayloadFormat format;
    private final @Nullable RecordLookup lookup;
    private final FieldSlot.CurrentPayload payload = new FieldSlot.CurrentPayload(new UnsafeBuffer(new byte[0]));
    private final Map<String, FieldSlot> slots = new HashMap<>();

    private Binding(PayloadFormat format, @Nullable RecordLookup lookup) {
        this.format = format;
        this.lookup = lookup;
    }

    static PayloadPredicate bind(WhereExpression expression, PayloadFormat format, @Nullable RecordLookup lookup) {
        Binding binding = new Binding(format, lookup);
        return new Bound(binding.payload, binding.condition(expression));
    }

    private record Bound(FieldSlot.CurrentPayload payload, Condition condition) implements PayloadPredicate {
        @Override
        public boolean test(DirectBuffer buffer, int offset, int length) {
            payload.wrap(buffer, offset, length);
            return condition.test();
        }
    }

    private Condition condition(WhereExpression expression) {
        if (expression instanceof WhereExpression.And and) {
            return Junction.all(conditions(and.terms()));
        }
        if (expression instanceof WhereExpression.Or or) {
            return Junction.any(conditions(or.terms()));
        }
        if (expression instanceof WhereExpression.Not not) {
            return new Condition.Negation(condition(not.term()));
        }
        if (expression instanceof WhereExpression.Comparison comparison) {
            return comparison(comparison.field(), comparison.operator(), comparison.literal());
        }
        if (expression instanceof WhereExpression.In in) {
            return Junction.any(in.literals().stream()
                    .map(literal -> comparison(in.field(), Operator.EQUAL, literal))
                    .toList());
        }
        if (expression instanceof WhereExpression.Contains contains) {
            FieldSlot slot = slot(contains.field());
            requireType(contains.field(), isText(contains.field()), new Literal.Text(contains.text()));
            return new Condition.SubstringTest(slot, new TextComparand(contains.text()));
        }
        if (expression instanceof WhereExpression.Matches matches) {
            FieldSlot slot = slot(matches.field());
            requireType(
                    matches.field(),
                    isText(matches.field()),
                    new Literal.Text(matches.query().toString()));
            return new Condition.TextQueryTest(slot, new TextMatcher(matches.query()));
        }
        throw new IllegalStateException("unknown expression: class=" + expression.getClass());
    }

    private List<Condition> conditions(List<WhereExpression> terms) {
        return terms.stream().map(this::condition).toList();
    }

    private Condition comparison(String field, Operator operator, Literal literal) {
        FieldSlot slot = slot(field);
        @Nullable FieldType type = format.declaredType(field);
        if (literal instanceof Literal.Numeric number) {
            requireType(field, type == null || type.isNumber(), literal);
            return new Condition.NumberTest(slot, operator, new NumberComparand(number, type == FieldType.F32));
        }
        if (literal instanceof Literal.Text text) {
            requireType(field, isText(field), literal);
            return new Condition.TextTest(slot, operator, new TextComparand(text.value()));
        }
        boolean value = ((Literal.Bool) literal).value();
        requireType(field, type == null || type == FieldType.BOOL, literal);
        return new Condition.BooleanTest(slot, value == (operator == Operator.EQUAL));
    }

    private FieldSlot slot(String field) {
        return slots.computeIfAbsent(field, name -> {
            FieldReader reader = format.field(name);
            if (reader == null) {
                throw new IllegalArgumentException(
                        "unknown field: field=" + name + ", format=" + format.name() + ", fields=" + fieldNames());
            }
            return new FieldSlot(reader, payload, lookup);
        });
    }

    private boolean isText(String field) {
        FieldType type = format.declaredType(field);
        return type == null || type == FieldType.UTF8 || type == FieldType.BYTES;
    }

    private void requireType(String field, boolean comparable, Literal literal) {
        if (!comparable) {
            FieldType type = format.declaredType(field);
            throw new IllegalArgumentException("field can't be compared with this: field=" + field + ", type="
                    + (type == null ? "any" : type.text()) + ", literal=" + literal);
        }
    }

    private String fieldNames() {
        List<Field> fields = format.fields();
        String names =
                fields.stream().limit(FIELDS_NAMED_MAX).map(Field::name).collect(Collectors.joining(", ", "[", "]"));
        int more = fields.size() - FIELDS_NAMED_MAX;
        return more > 0 ? names + " and " + more + " more" : names;
    }
}
