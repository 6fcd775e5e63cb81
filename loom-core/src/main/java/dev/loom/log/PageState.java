package dev.loom.log;

/** What became of reading a page. */
public enum PageState {
    PRESENT,
    /** It is not what was sealed there, or can't be read. */
    DAMAGED,
    /** It is below the oldest retained address. */
    EXPIRED
}
