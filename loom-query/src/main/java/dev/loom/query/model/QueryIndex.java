package dev.loom.query.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a query may use to skip records. None changes an answer. */
public enum QueryIndex {
    /** The timestamp index, which finds the time range. Without it and {@link #CHUNK} every page is read. */
    TIME,
    /** What indexes hold about chunks. */
    CHUNK,
    /** What the text index holds. */
    TEXT,
    /** What runs of chunks hold, summed up. They say no more than {@link #TIME} and {@link #CHUNK} do. */
    ROLLUP;

    /** All of them. Unmodifiable. */
    public static final Set<QueryIndex> ALL = Collections.unmodifiableSet(EnumSet.allOf(QueryIndex.class));

    /** The name as commands and requests have it: {@code time}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
