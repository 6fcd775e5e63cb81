package dev.loom.query.model;

/** The order of a scan by arrival. */
public enum Order {
    NEWEST_FIRST,
    OLDEST_FIRST
}
