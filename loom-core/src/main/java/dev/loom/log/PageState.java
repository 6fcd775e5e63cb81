package dev.loom.log;

/** The result of reading a page. */
public enum PageState {
    PRESENT,
    /** The page is not as it was sealed, or can't be read. */
    DAMAGED,
    /** The page is below the oldest retained address. */
    EXPIRED
}
