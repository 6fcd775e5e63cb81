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

    /**
     * The records of a source that arrived from {@code fromNs} on and before {@code toNs}, newest first, along the source's chain
     * (paper, section 5.1). Takes constant memory: ten pages, and the longest payload of several pages met. What can't be read is
     * passed over, and told by the cursor. Close it; an open one outlives the snapshot.
     *
     * @param sourceId 0 is the store's own source
     * @param fromNs epoch nanoseconds; {@code Long.MIN_VALUE} is the beginning
     * @param toNs epoch nanoseconds; {@code Long.MAX_VALUE} is the end
     * @throws IllegalStateException when the snapshot is closed
     */
    SourceCursor newestFirst(int sourceId, long fromNs, long toNs);

    /** As {@link #newestFirst}, oldest first, page by page: the faster way for a source with records in most chunks. */
    SourceCursor oldestFirst(int sourceId, long fromNs, long toNs);

    @Override
    void close();
}
