package dev.loom.api;

/**
 * What {@link dev.loom.Loom#push} does while the ring is full because the disk is slower than the writer, full, or
 * failing.
 */
public enum Pressure {
    /** Wait until there is room; counted in {@link StoreInfo}. */
    WAIT,
    /** Refuse the record with {@link PushStatus#DROPPED}; counted, and marked in the log. */
    DROP_NEWEST
}
