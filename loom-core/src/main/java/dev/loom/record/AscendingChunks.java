package dev.loom.record;

import dev.loom.error.CorruptStoreException;
import dev.loom.log.PageDescriptor;
import dev.loom.rollup.RunReader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walks the chunks of one source oldest first. For a source with few chunks in the range, it follows the chain
 * backward, which skips the index entries between them, and then returns the chunks in reverse. For one with many, it
 * reads the index forward, directory by directory. Parts that no directory covers are unlisted.
 */
public final class AscendingChunks extends Chunks {
    private static final long NONE = -1;

    private final SnapshotView snapshot;
    private final int sourceId;
    private final long fromNs;
    private final long toNs;
    private final long fromAddress;

    private @Nullable CollectedChunks collected;
    private @Nullable DirectoryReader reader;
    private long bytesCollecting;
    private long rejectedCollecting;
    private boolean started;
    private boolean done;
    private boolean revisit;
    /** Everything below is covered. */
    private long bound;
    /** The parts so far of a directory that did not list the source. */
    private final EntryParts parts = EntryParts.forward();

    private final @Nullable ChunkRuns runs;
    /** The entry in place of which a run is listed, or -1. */
    private long runEntry = NONE;

    /** Makes a walk that may skip chunks outside the time range or below the lowest address. */
    public AscendingChunks(SnapshotView snapshot, int sourceId, long fromNs, long toNs, long fromAddress) {
        this(snapshot, sourceId, fromNs, toNs, fromAddress, null);
    }

    /** A walk whose parts may be runs; whoever can't use one {@linkplain #descend() descends}. */
    public static AscendingChunks withRuns(
            SnapshotView snapshot, int sourceId, long fromNs, long toNs, long fromAddress) {
        return new AscendingChunks(snapshot, sourceId, fromNs, toNs, fromAddress, new ChunkRuns(snapshot));
    }

    private AscendingChunks(
            SnapshotView snapshot, int sourceId, long fromNs, long toNs, long fromAddress, @Nullable ChunkRuns runs) {
        this.runs = runs;
        this.snapshot = snapshot;
        this.sourceId = sourceId;
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.fromAddress = fromAddress;
        this.bound = snapshot.recordBegin();
    }

    @Override
    public boolean next() {
        if (!started) {
            started = true;
            collect();
        }
        CollectedChunks chunks = collected;
        DirectoryReader entries = reader;
        if (entries == null) {
            entries = new DirectoryReader(snapshot.times(), snapshot.timeTail());
            reader = entries;
            if (chunks == null) {
                seekFirst(entries);
            }
        }
        return chunks != null ? chunks.giveOldest(this, entries) : !done && forward(entries);
    }

    /** Follows the chain backward, unless that costs more than reading the whole index forward, or runs of chunks. */
    private void collect() {
        int chunksMax = runs == null ? CollectedChunks.CHUNKS_MAX : CollectedChunks.CHUNKS_BESIDE_RUNS_MAX;
        try (DescendingChunks chain = new DescendingChunks(snapshot, sourceId, toNs)) {
            long bytesMax = snapshot.times().watermarks().lengthTo(snapshot.timeTail());
            collected = CollectedChunks.collect(chain, fromNs, fromAddress, bytesMax, chunksMax);
            bytesCollecting = chain.bytesRead();
            if (collected != null) {
                rejectedCollecting = chain.entriesRejected();
                skip(chain.pagesSkipped());
            }
        }
    }

    private boolean forward(DirectoryReader entries) {
        if (runEntry != NONE) {
            passRun(entries);
        }
        while (revisit || entries.next()) {
            revisit = false;
            if (!entries.isDirectory() || entries.chunkAddress() < bound) {
                continue;
            }
            if (entries.chunkEnd() > snapshot.recordTail()) {
                break;
            }
            if (entries.chunkAddress() > bound) {
                unlisted(bound, entries.chunkAddress());
                bound = entries.chunkAddress();
                parts.clear();
                revisit = true;
                return true;
            }
            if (entries.firstTimeNs() >= toNs) {
                done = true;
                return false;
            }
            if (beginsRun(entries)) {
                if (listRun()) {
                    return true;
                }
                passRun(entries);
            } else if (part(entries)) {
                return true;
            }
        }
        return rest();
    }

    /** Whether a run begins with the current chunk. */
    private boolean beginsRun(DirectoryReader entries) {
        boolean begins = runs != null && entries.isFirstPart() && runs.beginningAt(bound);
        runEntry = begins ? entries.address() : NONE;
        return begins;
    }

    /** Lists the run; false if it lacks the source. */
    private boolean listRun() {
        RunReader run = Objects.requireNonNull(runs).reader();
        boolean there = run.find(sourceId);
        if (there) {
            list(run);
        } else {
            skip((run.end() - run.start()) >> PageDescriptor.PAGE_SHIFT);
        }
        return there;
    }

    /** Moves behind the run. Where the index was rebuilt, its entries are passed over one by one. */
    private void passRun(DirectoryReader entries) {
        RunReader run = Objects.requireNonNull(runs).reader();
        bound = run.end();
        parts.clear();
        boolean there = entries.seek(run.lastEntry())
                && entries.isDirectory()
                && entries.isLastPart()
                && entries.chunkEnd() == run.end();
        if (!there) {
            entries.seek(runEntry);
        }
        runEntry = NONE;
    }

    @Override
    public void descend() {
        if (runs == null || !isRun()) {
            super.descend();
            return;
        }
        runs.decline();
        runEntry = NONE;
        revisit = true;
    }

    /** Moves to the first chunk that may hold records of the range. */
    private void seekFirst(DirectoryReader entries) {
        if (!entries.seekBefore(fromNs)) {
            entries.toBegin();
            return;
        }
        // the parts of one directory have the same time: begin with its first readable part
        long chunkAddress = entries.chunkAddress();
        if (entries.isDirectory()) {
            EntryParts.toFirst(entries);
        }
        bound = Math.max(bound, chunkAddress);
        revisit = true;
    }

    /** Examines a directory part; true if it lists the source. */
    private boolean part(DirectoryReader entries) {
        try {
            if (entries.find(sourceId)) {
                list(entries);
                bound = entries.chunkEnd();
                parts.clear();
                return true;
            }
        } catch (CorruptStoreException e) {
            entries.reject(true);
            parts.clear();
            return false;
        }
        if (parts.complete(entries)) {
            skip(entries.chunkPages());
            bound = entries.chunkEnd();
        }
        return false;
    }

    private boolean rest() {
        done = true;
        boolean region = bound < snapshot.recordTail();
        if (region) {
            unlisted(bound, snapshot.recordTail());
        }
        return region;
    }

    @Override
    int sourceId() {
        return sourceId;
    }

    @Override
    long entriesRejected() {
        DirectoryReader entries = reader;
        return rejectedCollecting + (entries == null ? 0 : entries.rejected());
    }

    @Override
    public long bytesRead() {
        DirectoryReader entries = reader;
        long ofRuns = runs == null ? 0 : runs.reader().bytesRead();
        return bytesCollecting + ofRuns + (entries == null ? 0 : entries.bytesRead());
    }

    @Override
    public void close() {
        DirectoryReader entries = reader;
        if (entries != null) {
            entries.close();
        }
        if (runs != null) {
            runs.close();
        }
    }
}
