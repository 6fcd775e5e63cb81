package dev.loom.api;

/** How sealed pages of the record log reach their segment files. */
public enum Eviction {
    /** Direct I/O where the file system takes it, else the page cache; {@link StoreInfo} says which. */
    AUTO,
    /** Direct I/O; opening fails where it can't be had. */
    DIRECT,
    PAGE_CACHE
}
