package dev.loom.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What an index keeps for each chunk. */
public enum IndexKind {
    /** Count, sum, minimum and maximum, of all values and of each bin. */
    VALUE,
    /**
     * Count, minimum and maximum, for the times that records carry themselves (paper, section 5.2). Within a chunk
     * these lie so close together that bins would add nothing.
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
     * @throws IllegalArgumentException for an unknown one; the message names the known ones
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
