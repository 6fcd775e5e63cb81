package dev.loom.api;

import java.util.List;
import java.util.Optional;

/**
 * The record log up to one address. Open snapshots keep what they need mapped, so close them; they are cheap (no data
 * is copied). Usable from any thread; the cursors made from it are each for one thread.
 */
public interface Snapshot extends AutoCloseable {
    /** The end: records at lower addresses are in the snapshot. */
    long tailAddress();

    /** The oldest retained address. */
    long beginAddress();

    /** Arrival time of the newest record of any source in it, or {@code Long.MIN_VALUE} when it is empty. */
    long lastTimeNs();

    /**
     * Whether records may still arrive with times from {@link #lastTimeNs()} on: a range that ends after that is
     * answered as of this snapshot.
     */
    boolean live();

    /** The sources defined when the snapshot was taken, by id, without source 0. */
    List<Source> sources();

    /** As {@link Store#source}. */
    Optional<Source> source(String name);

    /** The indexes of a source defined when the snapshot was taken, by id. */
    List<Index> indexes(int sourceId);

    /** The open index of this name, or else the one of this name closed last. */
    Optional<Index> index(int sourceId, String name);

    /** Counts and times of one source. Reads the active chunk; constant memory. */
    SourceStatistics statistics(int sourceId);

    @Override
    void close();
}
