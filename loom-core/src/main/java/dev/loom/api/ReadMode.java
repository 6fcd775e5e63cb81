package dev.loom.api;

/** How segment files are read. */
public enum ReadMode {
    /** Positional reads: a slow disk holds up the reading thread alone. */
    POSITIONAL,
    /**
     * Memory-mapped: faster from a warm page cache, but a fault on a slow disk stops every thread of the process at its
     * next safepoint. For processes that do nothing but query.
     */
    MAPPED
}
