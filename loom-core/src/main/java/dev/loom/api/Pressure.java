package dev.loom.api;

/**
 * What {@link dev.loom.Loom#push} does while the ring is full because the disk is slower than the writer, is full, or
 * fails.
 */
public enum Pressure {
    /** Wait for room; counted in {@link StoreInfo}. */
    WAIT,
    /** Refuse the record with {@link PushStatus#DROPPED}; counted, and marked in the log. */
    DROP_NEWEST
}
