package dev.loom.cli.output;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How records look to people.
 *
 * @param addresses whether a table has the record's address
 * @param timeField the field from which the shown time, or another one, was read; null if none
 * @param matches what to highlight, by field
 */
public record TableStyle(boolean addresses, @Nullable String timeField, Map<String, Pattern> matches) {
    public static final TableStyle PLAIN = new TableStyle(false, null, Map.of());

    public TableStyle {
        matches = Map.copyOf(matches);
    }

    /** This style with highlights. */
    public TableStyle matching(Map<String, Pattern> patterns) {
        return new TableStyle(addresses, timeField, new LinkedHashMap<>(patterns));
    }

    /** What to highlight in a field. */
    @Nullable
    Pattern matches(String field) {
        return matches.get(field);
    }

    /** What to highlight anywhere, for payloads that are shown whole. */
    @Nullable
    Pattern anywhere() {
        if (matches.isEmpty()) {
            return null;
        }
        return Pattern.compile(
                matches.values().stream().map(pattern -> "(?:" + pattern + ')').collect(Collectors.joining("|")));
    }
}
