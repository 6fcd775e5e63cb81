package dev.loom.query.walk;

/** How a part of the record log serves a query. */
public enum ChunkUse {
    /** Its records are read. */
    READ,
    /** It holds no record of the source in the time range. */
    SKIPPED_BY_TIME,
    /** Indexes of values show that it holds no match. */
    SKIPPED_BY_BINS,
    /** The text index shows that it holds no match. */
    SKIPPED_BY_TOKENS,
    /** The totals in its directory answer for it. */
    FROM_TOTALS,
    /** Its bins answer for it. */
    FROM_BINS,
    /** Another walk handles it. */
    DEFERRED,
    /** It lies past the time range, as do all parts that follow. */
    BEHIND_RANGE
}
