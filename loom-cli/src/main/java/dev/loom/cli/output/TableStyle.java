package dev.loom.cli.output;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What records are to look like for people.
 *
 * @param addresses whether a table has the record's address
 * @param timeField the field that the time shown, or another one, was read from; null if none
 * @param matches what is highlighted, by field
 */
public record TableStyle(boolean addresses, @Nullable String timeField, Map<String, Pattern> matches) {
    public static final TableStyle PLAIN = new TableStyle(false, null, Map.of());

    public TableStyle {
        matches = Map.copyOf(matches);
    }

    /** The same, where some is to be highlighted. */
    public TableStyle matching(Map<String, Pattern> patterns) {
        return new TableStyle(addresses, timeField, new LinkedHashMap<>(patterns));
    }

    /** What is highlighted in a field. */
    @Nullable
    Pattern matches(String field) {
        return matches.get(field);
    }

    /** What is highlighted anywhere, for payloads that are shown whole. */
    @Nullable
    Pattern anywhere() {
        if (matches.isEmpty()) {
            return null;
        }
        return Pattern.compile(
                matches.values().stream().map(pattern -> "(?:" + pattern + ')').collect(Collectors.joining("|")));
    }
}
