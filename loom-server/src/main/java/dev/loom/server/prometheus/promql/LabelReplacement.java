package dev.loom.server.prometheus.promql;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

/** Sets a label from parts of another: {@code label_replace}. */
final class LabelReplacement {
    /** Replacements may repeat what was found, over and over. */
    private static final int LENGTH_MAX = 64 * 1024;

    private final String into;
    private final String replacement;
    private final String from;
    private final Pattern pattern;

    /** @throws EvaluationException if the label can't be one, or the regular expression is none */
    LabelReplacement(String into, String replacement, String from, String regex) {
        this.into = into;
        this.replacement = replacement;
        this.from = from;
        if (into.isEmpty()) {
            throw new EvaluationException("invalid destination label name in label_replace(): " + into);
        }
        try {
            pattern = dev.loom.server.prometheus.promql.Matcher.compiled(regex);
        } catch (IllegalArgumentException e) {
            throw new EvaluationException("invalid regular expression in label_replace(): " + e.getMessage());
        }
    }

    Labels apply(Labels labels) {
        Matcher found = pattern.matcher(labels.get(from));
        return found.matches() ? labels.with(into, expanded(found)) : labels;
    }

    /** The replacement with what was found in place of {@code $1}, {@code $name}, {@code ${1}} and so on; {@code $$} is one sign. */
    private String expanded(Matcher found) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < replacement.length()) {
            char c = replacement.charAt(at++);
            if (c != '$' || at == replacement.length()) {
                text.append(c);
            } else if (replacement.charAt(at) == '$') {
                text.append('$');
                at++;
            } else {
                boolean braces = replacement.charAt(at) == '{';
                int begin = braces ? at + 1 : at;
                int end = begin;
                while (end < replacement.length() && isWord(replacement.charAt(end))) {
                    end++;
                }
                boolean closed = !braces || (end < replacement.length() && replacement.charAt(end) == '}');
                if (end == begin || !closed) {
                    text.append('$'); // no reference: literal
                } else {
                    String group = group(found, replacement.substring(begin, end));
                    if (text.length() + group.length() > LENGTH_MAX) {
                        throw new EvaluationException(
                                "label value of label_replace() is too long: label=" + into + ", max=" + LENGTH_MAX);
                    }
                    text.append(group);
                    at = braces ? end + 1 : end;
                }
            }
        }
        return text.toString();
    }

    private static boolean isWord(char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static String group(Matcher found, String name) {
        try {
            boolean number = name.chars().allMatch(c -> c >= '0' && c <= '9');
            String group = !number
                    ? found.group(name)
                    : Integer.parseInt(name) > found.groupCount() ? "" : found.group(Integer.parseInt(name));
            return group == null ? "" : group;
        } catch (IllegalArgumentException e) {
            return ""; // there is none of that name, or number
        }
    }
}
