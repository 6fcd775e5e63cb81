package dev.loom.query.where;

import java.util.Set;
import java.util.TreeSet;

/** Finds the fields that an expression names. */
final class NamedFields {
    private NamedFields() {}

    static Set<String> of(Where expression) {
        Set<String> fields = new TreeSet<>();
        collect(expression, fields);
        return fields;
    }

    private static void collect(Where expression, Set<String> fields) {
        if (expression instanceof Where.And and) {
            and.terms().forEach(term -> collect(term, fields));
        } else if (expression instanceof Where.Or or) {
            or.terms().forEach(term -> collect(term, fields));
        } else if (expression instanceof Where.Not not) {
            collect(not.term(), fields);
        } else if (expression instanceof Where.Comparison comparison) {
            fields.add(comparison.field());
        } else if (expression instanceof Where.Relation relation) {
            collect(relation.left(), fields);
            collect(relation.right(), fields);
        } else if (expression instanceof Where.Between between) {
            collect(between.left(), fields);
        } else if (expression instanceof Where.In in) {
            fields.add(in.field());
        } else if (expression instanceof Where.NotIn in) {
            fields.add(in.field());
        } else if (expression instanceof Where.IsNull isNull) {
            fields.add(isNull.field());
        } else if (expression instanceof Where.Contains contains) {
            fields.add(contains.field());
        } else if (expression instanceof Where.ContainsIgnoringCase contains) {
            fields.add(contains.field());
        } else if (expression instanceof Where.Matches matches) {
            fields.add(matches.field());
        } else if (expression instanceof Where.MatchesRegex regex) {
            fields.add(regex.field());
        } else if (!(expression instanceof Where.Derived)) {
            throw new IllegalStateException("unknown expression: class=" + expression.getClass());
        }
    }

    private static void collect(Formula formula, Set<String> fields) {
        if (formula instanceof Formula.Field field) {
            fields.add(field.name());
        } else if (formula instanceof Formula.Operation operation) {
            collect(operation.left(), fields);
            collect(operation.right(), fields);
        }
    }
}
