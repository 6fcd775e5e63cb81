package dev.loom.query.service;

import dev.loom.query.model.EventClock;

/** Reads the times that a source's records carry, for one query. For one thread. */
public interface SourceClock extends EventClock {
    /** Whether a record's time is the start of its duration; otherwise it is the end. */
    boolean start();

    /** How many of the records read had no time. */
    long withoutTime();
}
