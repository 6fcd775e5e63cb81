package dev.loom.query.where;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldTerms;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.match.TextMatcher;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Turns an expression into a predicate over one format, with a reader per field and a comparand per literal. */
final class Binding {
    private final PayloadFormat format;
    private final @Nullable RecordLookup lookup;
    private final FieldSlot.CurrentPayload payload;
    private final Map<String, FieldSlot> slots = new HashMap<>();
    /** By the formats of derived fields, so that these are made once for all terms. */
    private final Map<PayloadFormat, Binding> derived = new HashMap<>();
    /** Of calculations. */
    private int operands;

    private Binding(PayloadFormat format, @Nullable RecordLookup lookup, FieldSlot.CurrentPayload payload) {
        this.format = format;
        this.lookup = lookup;
        this.payload = payload;
    }

    static Where.Predicate bind(Where expression, PayloadFormat format, @Nullable RecordLookup lookup) {
        FieldSlot.CurrentPayload payload = new FieldSlot.CurrentPayload(new UnsafeBuffer(new byte[0]));
        Binding binding = new Binding(format, lookup, payload);
        Condition condition = binding.condition(expression);
        return new Bound(binding.payload, condition, binding.slots, binding.operands());
    }

    private int operands() {
        return operands + derived.values().stream().mapToInt(Binding::operands).sum();
    }

    private record Bound(
            FieldSlot.CurrentPayload payload, Condition condition, Map<String, FieldSlot> slots, int operands)
            implements Where.Predicate {
        @Override
        public boolean test(DirectBuffer buffer, int offset, int length) {
            payload.wrap(buffer, offset, length);
            return condition.test();
        }

        @Override
        public Map<String, Boolean> fieldsSeen() {
            Map<String, Boolean> seen = new TreeMap<>();
            slots.forEach((field, slot) -> {
                if (slot.isRead()) {
                    seen.put(field, slot.isSeen());
                }
            });
            return seen;
        }
    }

    private Condition condition(Where expression) {
        if (expression instanceof Where.And and) {
            return Junction.all(conditions(merged(and.terms(), TextQuery.And::new)));
        }
        if (expression instanceof Where.Or or) {
            return Junction.any(conditions(merged(or.terms(), TextQuery.Or::new)));
        }
        if (expression instanceof Where.Not not) {
            return new Condition.Negation(condition(not.term()));
        }
        if (expression instanceof Where.Comparison comparison) {
            return comparison(comparison.field(), comparison.operator(), comparison.literal());
        }
        if (expression instanceof Where.Relation relation) {
            operands += FormulaSize.of(relation).operands();
            return Calculation.of(relation, this::numberSlot);
        }
        if (expression instanceof Where.In in) {
            return in(in.field(), in.literals());
        }
        if (expression instanceof Where.NotIn in) {
            return notIn(in);
        }
        if (expression instanceof Where.IsNull isNull) {
            return new Condition.AbsenceTest(slot(isNull.field()));
        }
        if (expression instanceof Where.Contains contains) {
            FieldSlot slot = slot(contains.field());
            requireType(contains.field(), hasText(contains.field()), new Literal.Text(contains.text()));
            return new Condition.SubstringTest(slot, new Substring(contains.text()));
        }
        if (expression instanceof Where.ContainsIgnoringCase contains) {
            FieldSlot slot = slot(contains.field());
            requireType(contains.field(), hasText(contains.field()), new Literal.Text(contains.text()));
            return new Condition.SubstringTest(slot, new FoldedText(contains.text()));
        }
        if (expression instanceof Where.MatchesRegex regex) {
            FieldSlot slot = slot(regex.field());
            requireType(regex.field(), hasText(regex.field()), new Literal.Text(regex.pattern()));
            return new Condition.SubstringTest(slot, new RegexFinder(regex.pattern()));
        }
        if (expression instanceof Where.Matches matches) {
            FieldSlot slot = slot(matches.field());
            requireType(
                    matches.field(),
                    hasText(matches.field()),
                    new Literal.Text(matches.query().toString()));
            return new Condition.TextQueryTest(slot, new TextMatcher(matches.query()));
        }
        if (expression instanceof Where.Derived of) {
            return derived.computeIfAbsent(of.of(), made -> new Binding(made, lookup, payload))
                    .condition(of.term());
        }
        throw new IllegalStateException("unknown expression: class=" + expression.getClass());
    }

    private Condition in(String field, List<Literal> literals) {
        return Junction.any(literals.stream()
                .map(literal -> comparison(field, Operator.EQUAL, literal))
                .toList());
    }

    /**
     * Equal to none of the literals, but comparable with one of them; a single literal of each kind is enough to test
     * comparability.
     */
    private Condition notIn(Where.NotIn in) {
        Map<Class<?>, Literal> kinds = new LinkedHashMap<>();
        in.literals().forEach(literal -> kinds.putIfAbsent(literal.getClass(), literal));
        List<Condition> comparable = new ArrayList<>();
        for (Literal literal : kinds.values()) {
            comparable.add(comparison(in.field(), Operator.EQUAL, literal));
            comparable.add(comparison(in.field(), Operator.NOT_EQUAL, literal));
        }
        return Junction.all(List.of(new Condition.Negation(in(in.field(), in.literals())), Junction.any(comparable)));
    }

    /** The terms, with text queries on the same field merged, so that each text is read once. */
    private static List<Where> merged(List<Where> terms, Function<List<TextQuery>, TextQuery> joined) {
        Map<String, List<TextQuery>> queries = new LinkedHashMap<>();
        List<Where> merged = new ArrayList<>();
        for (Where term : terms) {
            if (term instanceof Where.Matches matches) {
                queries.computeIfAbsent(matches.field(), field -> new ArrayList<>())
                        .add(matches.query());
            } else {
                merged.add(term);
            }
        }
        queries.forEach(
                (field, all) -> merged.add(new Where.Matches(field, all.size() == 1 ? all.get(0) : joined.apply(all))));
        return merged;
    }

    private List<Condition> conditions(List<Where> terms) {
        return terms.stream().map(this::condition).toList();
    }

    private Condition comparison(String field, Operator operator, Literal literal) {
        FieldSlot slot = slot(field);
        Field.@Nullable Type type = format.declaredType(field);
        if (literal instanceof Literal.Numeric number) {
            requireType(field, type == null || type.isNumber(), literal);
            return new Condition.NumberTest(slot, operator, new NumberComparand(number, type == Field.Type.F32));
        }
        if (literal instanceof Literal.Text text) {
            requireType(field, isText(field), literal);
            return new Condition.TextTest(slot, operator, new TextComparand(text.value()));
        }
        boolean value = ((Literal.Bool) literal).value();
        requireType(field, type == null || type == Field.Type.BOOL, literal);
        return new Condition.BooleanTest(slot, value == (operator == Operator.EQUAL));
    }

    private FieldSlot slot(String field) {
        return slots.computeIfAbsent(field, name -> {
            FieldReader reader = format.field(name);
            if (reader == null) {
                throw new UnknownFieldException(name, format);
            }
            return new FieldSlot(reader, payload, lookup);
        });
    }

    private FieldSlot numberSlot(String field) {
        FieldSlot slot = slot(field);
        Field.@Nullable Type type = format.declaredType(field);
        if (type != null && !type.isNumber()) {
            throw new IllegalArgumentException(
                    "only numbers can be calculated with: field=" + field + ", type=" + type.text());
        }
        return slot;
    }

    private boolean hasText(String field) {
        return isText(field) || format.declaredType(field) == Field.Type.JSON;
    }

    private boolean isText(String field) {
        Field.Type type = format.declaredType(field);
        return type == null || type == Field.Type.UTF8 || type == Field.Type.BYTES;
    }

    private void requireType(String field, boolean comparable, Literal literal) {
        if (!comparable) {
            Field.Type type = format.declaredType(field);
            FieldTerms terms = format.terms(field);
            throw new IllegalArgumentException("field can't be compared with the literal: field=" + field + ", type="
                    + (type == null ? "any" : type.text()) + ", literal=" + literal
                    + (terms == null ? "" : ", values=" + terms.known())
                    + (type == Field.Type.JSON
                            ? "; use contains or matches on the whole field, or compare a member by its path: " + field
                                    + ".NAME"
                            : ""));
        }
    }
}
