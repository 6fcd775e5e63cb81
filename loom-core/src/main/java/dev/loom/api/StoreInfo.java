package dev.loom.api;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A description of a store at one moment: settings, watermarks, sizes and failures.
 *
 * @param formatVersion the version of its files, {@code major.minor}
 * @param storeId random; tells stores apart
 * @param epoch how often it was recovered
 * @param sources how many were ever defined
 * @param segmentBytes the length of a segment file
 * @param retention what is kept
 * @param owner the process that writes it, or wrote it last; empty once it is closed
 * @param indexState what is known about the indexes that it had when it was opened
 * @param rebuild the rewriting of its indexes, while that lasts
 * @param clockAhead by how much its next record's time will lead the wall clock; zero for small leads
 * @param failure why records don't reach the disk now; also when it has not answered its writer for 10 s
 * @param session the session of its writer; empty when only files are left
 * @param writer what the writer alone knows; empty for an attached reader
 */
public record StoreInfo(
        Path directory,
        String formatVersion,
        long storeId,
        int epoch,
        State state,
        int sources,
        long segmentBytes,
        Retention retention,
        Optional<Owner> owner,
        LogInfo records,
        LogInfo times,
        LogInfo chunks,
        IndexState indexState,
        Optional<RebuildProgress> rebuild,
        Duration clockAhead,
        Optional<String> failure,
        Optional<Session> session,
        Optional<Writer> writer) {

    /** Who has the store. */
    public enum State {
        /** This very store object writes it. */
        WRITER,
        /** Another one writes it, usually in another process. */
        LIVE,
        /** Its writer was killed, and its newest pages are still in memory. */
        DEAD,
        /** Its writer closed it. */
        CLOSED,
        /** Its writer was killed, and only files are left. */
        UNRECOVERED
    }

    /**
     * What is kept; beyond it the oldest segments are deleted, whole.
     *
     * @param maxBytes the most that the files may take; {@code Long.MAX_VALUE} for no limit
     * @param maxAge the age that all records of a segment must have passed; empty for no limit
     * @param minFreeBytes the free space that is left to the file system; 0 for none
     */
    public record Retention(long maxBytes, Optional<Duration> maxAge, long minFreeBytes) {}

    /**
     * The process that writes a store, or wrote it last.
     *
     * @param pid as it sees itself, in its PID namespace
     * @param near whether that is also this process's namespace; elsewhere, as in another container, the pid may be
     *     another process's
     * @param staging the directory of its rings
     */
    public record Owner(long pid, boolean near, String host, Path staging) {}

    /**
     * One log. Watermarks are addresses, which count bytes since the store began: {@code begin <= evicted <= sealed
     * <= tail}.
     *
     * @param ringBytes the size of its ring; kept by a closed store for the next opening
     * @param begin the oldest retained address
     * @param durable what lies below survives a power cut: evicted pages and, of the record log, a copy of its open page
     * @param evicted what lies below is in segment files
     * @param sealed the end of the last full page
     * @param tail the end
     * @param bytes its length; less than {@code tail - begin} for an index that was rebuilt
     * @param savedBytes what compression of old segments saves of that in the files
     */
    public record LogInfo(
            int ringBytes,
            long begin,
            long durable,
            long evicted,
            long sealed,
            long tail,
            long bytes,
            long savedBytes) {}

    /** What is known about the indexes that a store had when it was opened. */
    public enum IndexState {
        /** They are readable, as far as was checked. */
        WHOLE,
        /** The store was once not closed, and their pages have not been checked since. */
        UNCHECKED,
        /** A page is damaged. Queries read the records concerned, and the next opening rebuilds the indexes. */
        DAMAGED
    }

    /**
     * How far the rewriting of the indexes has come.
     *
     * @param done records below this address have their entries
     * @param to records below this address get theirs
     */
    public record RebuildProgress(long done, long to) {}

    /**
     * What a writer shows to every reader.
     *
     * @param eviction how pages reach the segment files: {@link Eviction#DIRECT} or {@link Eviction#PAGE_CACHE}
     * @param pressure what a push does when there is no room
     * @param stagingFallback why the rings are smaller than asked for, or elsewhere; only the writer knows
     * @param waits how often the writer waited for room
     * @param waited how long it did
     * @param refused the number of pushes to closed sources
     * @param writeFailures the number of failed writes of pages
     * @param durabilityFailed whether the last sync failed
     * @param textOpenUnits the units of the text index that are being built; their records are not indexed yet
     * @param losses the records lost since the store was opened for writing, by source and reason
     */
    public record Session(
            Eviction eviction,
            Pressure pressure,
            Optional<String> stagingFallback,
            long waits,
            Duration waited,
            long refused,
            long writeFailures,
            boolean durabilityFailed,
            int textOpenUnits,
            List<Loss> losses) {}

    /**
     * Records lost since the store was opened for writing.
     *
     * @param source whose records; 0 for those of all sources beyond the first 120 pairs of source and reason
     * @param records how many, 1 or more
     */
    public record Loss(int source, LossReason reason, long records) {}

    /**
     * What the writer alone knows.
     *
     * @param rebuildFailure why the rewriting or checking of the indexes last failed
     * @param compressionFailure why the last segment could not be compressed
     * @param textIndexFailure why the text index can't be built now, or not for some source
     * @param rollupFailure why runs of chunks can't be summed up now; queries over many chunks then read more
     * @param evictionFallback why pages go through the page cache under {@link Eviction#AUTO}
     * @param minFreeMissed why the minimum free space can't be kept: others fill the disk, and nothing is left to delete
     * @param stagingReplaced how often deleted staging was replaced
     * @param lockRestored how often a lost lock or claim was restored
     * @param lockLost whether one is missing now
     * @param fenced whether another writer has taken over the store
     * @param indexFunctionFailures the number of records for which an index function threw
     */
    public record Writer(
            Optional<String> rebuildFailure,
            Optional<String> compressionFailure,
            Optional<String> textIndexFailure,
            Optional<String> rollupFailure,
            Optional<String> evictionFallback,
            Optional<String> minFreeMissed,
            int stagingReplaced,
            int lockRestored,
            boolean lockLost,
            boolean fenced,
            long indexFunctionFailures) {}

    /** A copy with another state. */
    public StoreInfo with(State other) {
        return new StoreInfo(
                directory,
                formatVersion,
                storeId,
                epoch,
                other,
                sources,
                segmentBytes,
                retention,
                owner,
                records,
                times,
                chunks,
                indexState,
                rebuild,
                clockAhead,
                failure,
                session,
                writer);
    }
}
