package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.index.ChunkIndexReader;
import dev.loom.record.ListedChunks;
import dev.loom.record.SnapshotView;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a snapshot and their bins, for runs one after the other: the next run begins where the one before has ended, and is not
 * sought. For one thread.
 */
final class ChunkWalk implements AutoCloseable {
    private static final long UNKNOWN = -1;

    private final ListedChunks chunks;
    private final ChunkIndexReader bins;
    private long next = UNKNOWN;
    private long nextStart;

    /** @param indexes the index by its id; null for one that is not known, which is left out */
    ChunkWalk(SnapshotView snapshot, IntFunction<@Nullable Index> indexes) {
        this.chunks = new ListedChunks(snapshot, indexes);
        this.bins = new ChunkIndexReader(snapshot.chunks(), snapshot.chunkTail());
    }

    /** From now on what the disk can't deliver is a failure, not damage. */
    void failUnreadable() {
        chunks.failUnreadable();
        bins.failUnreadable();
    }

    /**
     * Moves before the first chunk of a run of level 1.
     *
     * @param begin the address from which on its chunks begin
     * @return where that chunk begins, if there is one
     */
    long moveTo(long run, long begin) {
        long start = run == next ? nextStart : Math.max(chunks.seek(begin), begin);
        next = UNKNOWN;
        return start;
    }

    /** Says that the last chunk of a run was the current one, which ends at an address. */
    void ended(long run, long end) {
        next = run + 1;
        nextStart = end;
    }

    ListedChunks chunks() {
        return chunks;
    }

    ChunkIndexReader bins() {
        return bins;
    }

    @Override
    public void close() {
        chunks.close();
        bins.close();
    }
}
