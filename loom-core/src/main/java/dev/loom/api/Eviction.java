package dev.loom.api;

/** How sealed pages of the record log reach their segment files. */
public enum Eviction {
    /** Direct I/O where the file system supports it, else the page cache; {@link StoreInfo} says which. */
    AUTO,
    /** Direct I/O; opening fails if the file system does not support it. */
    DIRECT,
    PAGE_CACHE
}
