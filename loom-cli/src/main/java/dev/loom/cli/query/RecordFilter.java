package dev.loom.cli.query;

import dev.loom.cli.console.CommandFailure;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Query;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import dev.loom.query.where.WhereExpression;
import dev.loom.query.where.WhereSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Expressions that must all hold for a record. */
final class RecordFilter {
    /** A message shows at most this much of an expression. */
    private static final int SHOWN_MAX = 100;

    private final List<WhereExpression> expressions;

    private RecordFilter(List<WhereExpression> expressions) {
        this.expressions = expressions;
    }

    /**
     * Parses expressions and checks them against a format.
     *
     * @throws CommandFailure if one does not parse or names a field that the format does not have
     */
    static RecordFilter of(List<String> texts, PayloadFormat format) {
        return new RecordFilter(texts.stream().map(text -> bind(text, format)).toList());
    }

    private static WhereExpression bind(String text, PayloadFormat format) {
        try {
            WhereExpression expression = Where.parse(text);
            expression.bind(format);
            return expression;
        } catch (WhereSyntaxException e) {
            // The message's second line quotes the expression around the error, its third points at it.
            List<String> lines = String.valueOf(e.getMessage()).lines().toList();
            throw CommandFailure.usage(
                    "--where: " + lines.get(0) + ", expression=" + (text.length() <= SHOWN_MAX ? text : lines.get(1)));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--where: ", e);
        }
    }

    /** This filter and a text query over the source's text. */
    RecordFilter matching(String query, String field, PayloadFormat format) {
        try {
            WhereExpression condition = new WhereExpression.Matches(field, TextQuery.parse(query));
            condition.bind(format);
            List<WhereExpression> all = new ArrayList<>(expressions);
            all.add(condition);
            return new RecordFilter(all);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("text query: ", e);
        }
    }

    /** Patterns to highlight in records that pass, by field. */
    Map<String, Pattern> matches() {
        return Highlights.of(expressions);
    }

    void applyTo(Query<?> query) {
        expressions.forEach(query::where);
    }
}
