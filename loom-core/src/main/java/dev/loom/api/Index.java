package dev.loom.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An index as the schema knows it.
 *
 * @param id 1 or greater, never reused in a store
 * @param sourceId the source that it indexes
 * @param name unique among the open indexes of its source
 * @param bins for a {@link Kind#VALUE} index; unused by others
 * @param fromAddress record log chunks before this address are not in it
 * @param closed whether new chunks are no longer added to it
 * @param key the fields by which it keeps totals and bins apart, for questions about groups only; null if it covers all records together
 */
public record Index(
        int id,
        int sourceId,
        String name,
        Kind kind,
        IndexFunction function,
        Bins bins,
        long fromAddress,
        boolean closed,
        @Nullable IndexKey key) {
    /** An index over all records together. */
    public Index(
            int id,
            int sourceId,
            String name,
            Kind kind,
            IndexFunction function,
            Bins bins,
            long fromAddress,
            boolean closed) {
        this(id, sourceId, name, kind, function, bins, fromAddress, closed, null);
    }

    /** The same index with a readable function. */
    public Index supply(IndexFunction readable) {
        return new Index(id, sourceId, name, kind, readable, bins, fromAddress, closed, key);
    }

    /** The text form of its kind and key: {@code value}, {@code event-time}, {@code value by FIELD,FIELD}. */
    public String kindText() {
        return kindText(kind, key);
    }

    /** As {@link #kindText()}. */
    public static String kindText(Kind kind, @Nullable IndexKey key) {
        return key == null ? kind.text() : kind.text() + IndexKey.BY + key.text();
    }

    /** What an index keeps for each chunk. */
    public enum Kind {
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
         * Finds a kind by its {@link #text()}, which a key may follow as in {@link Index#kindText()}.
         *
         * @throws IllegalArgumentException for an unknown one; the message names the known ones
         */
        public static Kind parse(String text) {
            int by = text.indexOf(IndexKey.BY);
            for (Kind kind : values()) {
                if (kind.text.equals(by < 0 ? text : text.substring(0, by))) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("unknown index kind: kind=" + text + ", known="
                    + Arrays.stream(values()).map(Kind::text).collect(Collectors.joining(" ")));
        }
    }
}
