package dev.loom.cli.query;

import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The text to highlight in matching records: what conditions require, not what they exclude. */
final class Highlights {
    private static final String BEFORE_TOKEN = "(?<![\\p{L}\\p{M}\\p{N}_])";
    private static final String AFTER_TOKEN = "(?![\\p{L}\\p{M}\\p{N}_])";
    private static final String BETWEEN_TOKENS = "[^\\p{L}\\p{M}\\p{N}_]+";

    /** Text in any case, as {@code matches} and {@code icontains} match it. */
    private static final String FOLDED = "(?iu:%s)";

    private final Map<String, String> byField = new LinkedHashMap<>();

    private Highlights() {}

    /** Patterns by field. */
    static Map<String, Pattern> of(List<Where> expressions) {
        Highlights highlights = new Highlights();
        expressions.forEach(highlights::add);
        return highlights.byField.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> Pattern.compile(entry.getValue())));
    }

    private void add(Where expression) {
        if (expression instanceof Where.And and) {
            and.terms().forEach(this::add);
        } else if (expression instanceof Where.Or or) {
            or.terms().forEach(this::add);
        } else if (expression instanceof Where.Contains contains) {
            add(contains.field(), contains.text(), "%s");
        } else if (expression instanceof Where.ContainsIgnoringCase contains) {
            add(contains.field(), contains.text(), FOLDED);
        } else if (expression instanceof Where.Matches matches) {
            add(matches.field(), matches.query());
        }
    }

    private void add(String field, TextQuery query) {
        if (query instanceof TextQuery.And and) {
            and.terms().forEach(term -> add(field, term));
        } else if (query instanceof TextQuery.Or or) {
            or.terms().forEach(term -> add(field, term));
        } else if (query instanceof TextQuery.Phrase phrase) {
            String tokens = phrase.tokens().stream().map(Pattern::quote).collect(Collectors.joining(BETWEEN_TOKENS));
            put(field, String.format(FOLDED, BEFORE_TOKEN + tokens + (phrase.prefix() ? "" : AFTER_TOKEN)));
        }
    }

    private void add(String field, String text, String form) {
        if (!text.isEmpty()) {
            put(field, String.format(form, Pattern.quote(text)));
        }
    }

    private void put(String field, String pattern) {
        byField.merge(field, pattern, (one, other) -> one + '|' + other);
    }
}
