package dev.loom.read;

import dev.loom.filter.GroupCursor;
import dev.loom.filter.TokenSearch;
import dev.loom.record.SnapshotView;
import dev.loom.text.TokenCondition;

/**
 * The text index of a source: tells which chunks may have records with given tokens (ESTELLE, 3.2 and 3.3). It is never needed: a chunk
 * that it says nothing about has to be read. Closed with its reader. Memory, beside the cache that the store has: the group of units that is open, at most 1 MiB, and two
 * sets of rows for each of its units and level of a condition. For one thread.
 */
public final class TextUnits {
    private final GroupCursor groups;

    TextUnits(SnapshotView view, int sourceId) {
        groups = new GroupCursor(view.text(), view.records().storeId(), sourceId);
    }

    /** Whether the source has no unit. */
    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Prepares a search. Searches of one reader best ask about the same chunks in turn. */
    public Search search(TokenCondition condition) {
        return new Search(new TokenSearch(groups, condition), groups);
    }

    long bytesRead() {
        return groups.bytesRead();
    }

    void close() {
        groups.close();
    }

    /** A search for a condition. For the thread of its index. */
    public static final class Search {
        private final TokenSearch search;
        private final GroupCursor groups;

        private Search(TokenSearch search, GroupCursor groups) {
            this.search = search;
            this.groups = groups;
        }

        /** Whether records of the source in a listed chunk, or a run of them, may meet the condition; false is certain. */
        public boolean mayMeet(ChunkCursor chunk) {
            return chunk.isRun()
                    ? search.mayMeet(chunk.start(), chunk.end(), chunk.records())
                    : search.mayMeet(chunk.start());
        }

        /** Where the unit begins that told of the chunk asked about last, if that may meet the condition; -1 if none told, or a run was asked about. */
        public long unit() {
            return search.unit();
        }

        /** Whether lists or counts of the unit tell {@link #unitRowsMost()}, rather than that any row behind a full list may. */
        public boolean unitBounded() {
            return search.unitBounded();
        }

        /** How many of the source's records in {@link #unit()} can meet the condition at most. */
        public long unitRowsMost() {
            return search.unitRowsMost();
        }

        /** How many records of the chunk meet the condition if those of the unit, taken as the most, lie evenly in it. */
        public double chunkRows() {
            return search.chunkRows();
        }

        /** What the search has come across so far. */
        public Tally tally() {
            return new Tally(
                    search.unitsTested(),
                    search.unitsSkipped(),
                    search.chunksSkippedByFilter(),
                    search.chunksSkippedByRows(),
                    search.chunksLeft(),
                    search.chunksUnknown(),
                    groups.unusable(),
                    groups.blocksRead(),
                    groups.blocksCached(),
                    groups.cacheBytes());
        }
    }

    /**
     * What a search has come across.
     *
     * @param units whose filters were asked
     * @param unitsSkipped those of them that have no row for the condition
     * @param chunksSkippedByFilter the chunks of those
     * @param chunksSkippedByRows chunks without such a row, of units that have one elsewhere
     * @param chunksLeft chunks that may have records that meet the condition
     * @param chunksUnknown chunks that no unit tells anything about
     * @param filesUnusable how often a file could not be used
     * @param blocksRead blocks of files that were read, by all searches of the query
     * @param blocksCached blocks of files that were in the store's cache, by all searches of the query
     * @param cacheBytes what that cache takes now
     */
    public record Tally(
            long units,
            long unitsSkipped,
            long chunksSkippedByFilter,
            long chunksSkippedByRows,
            long chunksLeft,
            long chunksUnknown,
            int filesUnusable,
            long blocksRead,
            long blocksCached,
            long cacheBytes) {}
}
