package dev.loom.query;

/** How a part of the record log serves a query. */
enum ChunkUse {
    /** Its records are read. */
    READ,
    /** Nothing of the source in it lies in the time range. */
    SKIPPED_BY_TIME,
    /** Indexes show that it holds nothing that is looked for. */
    SKIPPED_BY_BINS,
    /** The totals in its directory answer for it. */
    FROM_TOTALS,
    /** Its bins answer for it. */
    FROM_BINS,
    /** It is left to another walk. */
    DEFERRED,
    /** It lies behind the time range, as do all that follow. */
    BEHIND_RANGE
}
