package dev.loom.record;

import dev.loom.error.CorruptStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Walks the chunks of one source oldest first. For a source with few chunks in the range, it follows the chain
 * backward, which skips the index entries between them, and then returns the chunks in reverse. For one with many, it
 * reads the index forward, directory by directory. Parts that no directory covers are unlisted.
 */
public final class AscendingChunks extends Chunks {
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

    /** Makes a walk that may skip chunks outside the time range or below the lowest address. */
    public AscendingChunks(SnapshotView snapshot, int sourceId, long fromNs, long toNs, long fromAddress) {
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

    /** Follows the chain backward, unless that costs more than reading the whole index forward. */
    private void collect() {
        try (DescendingChunks chain = new DescendingChunks(snapshot, sourceId, toNs)) {
            long bytesMax = snapshot.times().watermarks().lengthTo(snapshot.timeTail());
            collected = CollectedChunks.collect(chain, fromNs, fromAddress, bytesMax);
            bytesCollecting = chain.bytesRead();
            if (collected != null) {
                rejectedCollecting = chain.entriesRejected();
                skip(chain.pagesSkipped());
            }
        }
    }

    private boolean forward(DirectoryReader entries) {
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
            if (part(entries)) {
                return true;
            }
        }
        return rest();
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
        return bytesCollecting + (entries == null ? 0 : entries.bytesRead());
    }

    @Override
    public void close() {
        DirectoryReader entries = reader;
        if (entries != null) {
            entries.close();
        }
    }
}
