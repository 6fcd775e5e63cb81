package dev.loom.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What an index keeps of each chunk. */
public enum IndexKind {
    /** Count, sum, minimum and maximum, of all values and of each bin. */
    VALUE,
    /**
     * Count, minimum and maximum: for the times that records carry themselves (paper, section 5.2), which lie so close
     * within a chunk that bins would tell nothing more.
     */
    EVENT_TIME;

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name used in text forms. */
    public String text() {
        return text;
    }

    /**
     * Finds a kind by its {@link #text()}.
     *
     * @throws IllegalArgumentException for an unknown one, naming those there are
     */
    public static IndexKind parse(String text) {
        for (IndexKind kind : values()) {
            if (kind.text.equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown index kind: kind=" + text + ", known="
                + Arrays.stream(values()).map(IndexKind::text).collect(Collectors.joining(" ")));
    }
}
