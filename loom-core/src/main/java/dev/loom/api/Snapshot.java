package dev.loom.api;

import dev.loom.format.RecordLookup;
import java.util.List;
import java.util.Optional;

/**
 * The record log up to one address. A snapshot is cheap, since no data is copied. It keeps what it needs mapped while
 * open, so close it. Usable from any thread; each cursor made from it is for one thread.
 */
public interface Snapshot extends AutoCloseable {
    /** The id of the store, as {@link StoreInfo#storeId()}: addresses mean something within one store. */
    long storeId();

    /** The end: records at lower addresses are in the snapshot. */
    long tailAddress();

    /** The oldest retained address. */
    long beginAddress();

    /** Arrival time of the newest record of any source in it, or {@code Long.MIN_VALUE} when it is empty. */
    long lastTimeNs();

    /**
     * Whether records with times from {@link #lastTimeNs()} on may still arrive; a range that ends later is answered as
     * of this snapshot.
     */
    boolean live();

    /** The sources defined when the snapshot was taken, by id, without source 0. */
    List<Source> sources();

    /** As {@link Store#source}. */
    Optional<Source> source(String name);

    /** The indexes of a source defined when the snapshot was taken, by id. */
    List<Index> indexes(int sourceId);

    /** The open index with this name, else the one closed last. */
    Optional<Index> index(int sourceId, String name);

    /** The counts and times of one source. Reads the active chunk; takes constant memory. */
    Source.Statistics statistics(int sourceId);

    /**
     * The records of a source that arrived in {@code [fromNs, toNs)}, newest first, along the source's chain (paper,
     * section 5.1). Takes constant memory: ten pages, six more if segments are compressed, and the longest payload met that spans pages. Skips what can't be
     * read, and the cursor reports it. Close the cursor; it stays valid after the snapshot is closed.
     *
     * @param sourceId 0 is the store's own source
     * @param fromNs epoch nanoseconds; {@code Long.MIN_VALUE} is the beginning
     * @param toNs epoch nanoseconds; {@code Long.MAX_VALUE} is the end
     * @throws IllegalStateException when the snapshot is closed
     */
    RecordCursor newestFirst(int sourceId, long fromNs, long toNs);

    /**
     * As {@link #newestFirst}, but oldest first and page by page, which is faster for a source with records in most
     * chunks.
     */
    RecordCursor oldestFirst(int sourceId, long fromNs, long toNs);

    /**
     * Finds the records that other records refer to, for callers who read record fields themselves:
     *
     * <pre>
     *     FieldValue value = new FieldValue();
     *     value.lookup(lookup);
     *     while (cursor.next()) {
     *         lookup.from(cursor.address());
     *         reader.read(cursor.buffer(), cursor.offset(), cursor.length(), value);
     *     }
     * </pre>
     *
     * <p>Queries do this themselves for their conditions and indexes. Memory: at most 256 KiB, and the longest jumbo
     * payload that is referred to; none until the first lookup. It remains valid after the snapshot is closed, until it
     * is closed itself. For one thread.
     *
     * @throws IllegalStateException when the snapshot is closed
     */
    RecordLookup lookup();

    /**
     * How far the text index of a source has come; empty if the source has none. Reads the source's directories above what is indexed,
     * and its records there that no directory covers.
     */
    Optional<TextIndexInfo> textIndex(int sourceId);

    @Override
    void close();
}
