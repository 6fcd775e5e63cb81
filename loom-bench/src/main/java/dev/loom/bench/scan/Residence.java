package dev.loom.bench.scan;

import java.util.Locale;

/** Where a store's pages are when it is scanned. */
public enum Residence {
    /** In the writer's ring, which is large enough for the whole store. */
    MEMORY,
    /** In the page cache: a closed store that was read before. */
    PAGE_CACHE,
    /** Only on the disk: a closed store whose files were dropped from the page cache. */
    DISK;

    public static Residence parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
