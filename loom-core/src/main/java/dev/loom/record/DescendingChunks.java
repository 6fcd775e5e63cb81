package dev.loom.record;

import dev.loom.error.CorruptStoreException;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.rollup.RunReader;
import org.jspecify.annotations.Nullable;

/**
 * Walks the chunks of one source newest first, along its chain of directories (paper, section 4.3): first the region
 * without directories at the snapshot's end, then from directory to directory. After an unreadable directory it
 * continues entry by entry, returns what no entry covers as unlisted, and rejoins the chain when it finds it again.
 */
public final class DescendingChunks extends Chunks {
    /** The directories to follow before searching by time for a range far back. */
    private static final int HOPS = 32;

    private static final long ANY = -3;

    private enum Phase {
        TAIL,
        CHAIN,
        ENTRIES,
        DONE
    }

    private final SnapshotView snapshot;
    private final int sourceId;
    private final long toNs;
    private final DirectoryReader reader;
    private final long begin;

    private final SourceTotals totals = new SourceTotals();

    private Phase phase = Phase.TAIL;
    private long directoryAddress;
    /** Everything above is covered. */
    private long bound;
    /** The parts so far of an entry that did not list the source. */
    private final EntryParts parts = EntryParts.backward();

    /** The entry that refers to {@link #directoryAddress}, or -1. */
    private long namedBy = -1;

    private boolean revisit;

    /** Of which chunk the directory at {@link #directoryAddress} must be; {@link #ANY} for any. */
    private long expectedChunkAddress = ANY;

    private final @Nullable ChunkRuns runs;
    /** The chunk's directory in place of which a run is listed, and what refers to that. */
    private long runDirectoryAddress;

    private long runNamedBy;

    /** @param toNs the end of the time range: newer chunks may be skipped */
    public DescendingChunks(SnapshotView snapshot, int sourceId, long toNs) {
        this(snapshot, sourceId, toNs, PageReader.BLOCK_PAGES, null);
    }

    /** A walk whose parts may be runs; whoever can't use one {@linkplain #descend() descends}. */
    public static DescendingChunks withRuns(SnapshotView snapshot, int sourceId, long toNs) {
        return new DescendingChunks(snapshot, sourceId, toNs, PageReader.BLOCK_PAGES, new ChunkRuns(snapshot));
    }

    /** @param blockPages as for {@link PageReader#PageReader(dev.loom.log.LogView, int)} */
    public DescendingChunks(SnapshotView snapshot, int sourceId, long toNs, int blockPages) {
        this(snapshot, sourceId, toNs, blockPages, null);
    }

    private DescendingChunks(SnapshotView snapshot, int sourceId, long toNs, int blockPages, @Nullable ChunkRuns runs) {
        this.runs = runs;
        this.snapshot = snapshot;
        this.sourceId = sourceId;
        this.toNs = toNs;
        this.reader = new DirectoryReader(snapshot.times(), snapshot.timeTail(), blockPages);
        this.begin = snapshot.recordBegin();
        this.bound = snapshot.recordTail();
    }

    @Override
    public boolean next() {
        boolean found = false;
        while (!found && phase != Phase.DONE) {
            found = switch (phase) {
                case TAIL -> tail();
                case CHAIN -> chain();
                case ENTRIES -> entries();
                case DONE -> false;
            };
        }
        return found;
    }

    /**
     * Lists the region above the last directory that ends within the snapshot and has all parts readable; slots know no
     * later one. False if the region is empty.
     */
    private boolean tail() {
        long summarised = begin;
        reader.toEnd();
        while (reader.previous()) {
            long end = reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress();
            if (end <= snapshot.recordTail() && parts.complete(reader)) {
                summarised = Math.max(begin, end);
                break;
            }
        }
        parts.clear();
        boolean region = summarised < bound;
        if (region) {
            unlisted(summarised, bound);
        }
        bound = summarised;
        phase = Phase.CHAIN;
        directoryAddress = newestDirectory();
        return region;
    }

    /**
     * The source's newest directory that the time range may need, from its slot, which may be newer than the snapshot.
     */
    private long newestDirectory() {
        long address = snapshot.slots().directoryAcquire(sourceId);
        if (address >= snapshot.timeTail()) {
            address = beyondSnapshot(address);
        }
        for (int hops = 0; address >= 0 && reader.seek(address) && find(); ) {
            boolean within = reader.chunkEnd() <= snapshot.recordTail();
            if (within && reader.firstTimeNs() < toNs) {
                break;
            }
            if (within && ++hops > HOPS) {
                jump();
                break;
            }
            address = reader.listedPrevious();
        }
        return address;
    }

    /** Moves to the last entry before the range's end, and continues entry by entry. */
    private void jump() {
        phase = Phase.ENTRIES;
        reader.seekBefore(toNs);
        do {
            if (!reader.next()) {
                return;
            }
        } while (!reader.isDirectory());
        bound = Math.min(bound, reader.chunkAddress());
        parts.clear();
    }

    /** Follows the chain from a directory that was written after the snapshot was taken. */
    private long beyondSnapshot(long newer) {
        long address = newer;
        try (DirectoryReader ahead = new DirectoryReader(
                snapshot.times(), snapshot.times().watermarks().tailAcquire(), 1)) {
            while (address >= snapshot.timeTail() && ahead.seek(address) && ahead.find(sourceId)) {
                address = ahead.listedPrevious();
            }
        } catch (CorruptStoreException e) {
            return address; // no directory is found there, and the walk continues entry by entry
        }
        return address;
    }

    private boolean chain() {
        if (directoryAddress == SourceSlots.NO_DIRECTORY) {
            phase = Phase.DONE;
            return false;
        }
        if (directoryAddress < snapshot.times().watermarks().beginAcquire() && isGone()) {
            return expired();
        }
        // a chain must lead downward, so that it can't be circular
        boolean below = namedBy < 0 || directoryAddress < namedBy;
        if (below && expectedChunkAddress == ANY && reader.inGap(directoryAddress)) {
            crossGap();
            return false;
        }
        if (!below || !reader.seek(directoryAddress) || !isExpected() || reader.chunkEnd() > bound || !find()) {
            startEntries();
            return false;
        }
        return listCurrent();
    }

    /** Whether retention has deleted the chunk; a run may tell an address from before a rebuild. */
    private boolean isGone() {
        return expectedChunkAddress == ANY
                || (expectedChunkAddress >= 0 && expectedChunkAddress < snapshot.retainedBegin());
    }

    /** Whether the directory is that of the chunk before a run: after a rebuild others may be at the address that a run tells. */
    private boolean isExpected() {
        return expectedChunkAddress == ANY || reader.chunkAddress() == expectedChunkAddress;
    }

    /** Ends where retention has reached; what it deleted since the snapshot was taken is unlisted. */
    private boolean expired() {
        phase = Phase.DONE;
        long end = Math.min(bound, snapshot.retainedBegin());
        boolean region = begin < end;
        if (region) {
            unlisted(begin, end);
            bound = begin;
        }
        return region;
    }

    /** Looks up the source. Also false if the directory is impossible, which then counts as missing. */
    private boolean find() {
        try {
            return reader.find(sourceId);
        } catch (CorruptStoreException e) {
            reader.reject(false);
            parts.clear();
            return false;
        }
    }

    /** Continues before the gap, since nothing more after it lists the source. */
    private void crossGap() {
        phase = Phase.ENTRIES;
        parts.clear();
        reader.toGap();
        if (reader.rebuildTo() < bound) {
            skip((bound - reader.rebuildTo()) >> PageDescriptor.PAGE_SHIFT);
            bound = reader.rebuildTo();
        }
    }

    private boolean listCurrent() {
        if (listRun()) {
            return true;
        }
        expectedChunkAddress = ANY;
        directoryAddress = reader.listedPrevious();
        namedBy = reader.address();
        phase = Phase.CHAIN;
        parts.clear();
        if (reader.chunkAddress() < begin) {
            phase = Phase.DONE;
            return false;
        }
        skip((bound - reader.chunkEnd()) >> PageDescriptor.PAGE_SHIFT);
        bound = reader.chunkAddress();
        list(reader);
        return true;
    }

    /** Lists a run in place of the current chunk, if there is one that ends where all that is above is covered. */
    private boolean listRun() {
        if (runs == null || !runs.endingBy(bound, reader.chunkAddress())) {
            return false;
        }
        RunReader run = runs.reader();
        if (!run.find(sourceId)) {
            runs.decline();
            return false;
        }
        runDirectoryAddress = reader.address();
        runNamedBy = namedBy;
        namedBy = reader.address();
        directoryAddress = run.previousDirectoryAddress();
        expectedChunkAddress = run.previousChunkAddress();
        phase = Phase.CHAIN;
        parts.clear();
        skip((bound - run.end()) >> PageDescriptor.PAGE_SHIFT);
        bound = run.start();
        list(run);
        return true;
    }

    @Override
    public void descend() {
        if (runs == null || !isRun()) {
            super.descend();
            return;
        }
        runs.decline();
        bound = end();
        namedBy = runNamedBy;
        directoryAddress = runDirectoryAddress;
        expectedChunkAddress = ANY;
        phase = Phase.CHAIN;
    }

    /** Continues from the last readable entry, and skips covered chunks by their addresses. */
    private void startEntries() {
        phase = Phase.ENTRIES;
        parts.clear();
        if (namedBy < 0 || !reader.seek(namedBy)) {
            reader.toEnd();
        }
    }

    private boolean entries() {
        while (revisit || reader.previous()) {
            revisit = false;
            long end = reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress();
            // the writer never writes an entry across the bound
            boolean covered = end > bound;
            if (covered) {
                continue;
            }
            if (end < begin) {
                break;
            }
            if (end < bound) {
                unlisted(end, bound);
                bound = end;
                parts.clear();
                revisit = true;
                return true;
            }
            if (reader.isCheckpoint() ? checkpoint() : directoryPart()) {
                return phase == Phase.CHAIN && reader.isDirectory();
            }
        }
        return rest();
    }

    /** Examines a directory part; true if it lists the source. */
    private boolean directoryPart() {
        int rejected = reader.rejected();
        if (find()) {
            return listCurrent() || phase == Phase.DONE;
        }
        if (reader.rejected() == rejected && parts.complete(reader)) {
            skip(reader.chunkPages());
            bound = reader.chunkAddress();
        }
        return false;
    }

    /** Examines a checkpoint part; true if it tells where the chain continues, or that it ends. */
    private boolean checkpoint() {
        totals.directoryAddress = SourceSlots.NO_DIRECTORY;
        if (!reader.findCheckpointed(sourceId, totals) && !parts.complete(reader)) {
            return false;
        }
        directoryAddress = totals.directoryAddress;
        namedBy = reader.address();
        phase = Phase.CHAIN;
        return true;
    }

    private boolean rest() {
        phase = Phase.DONE;
        boolean region = begin < bound;
        if (region) {
            unlisted(begin, bound);
            bound = begin;
        }
        return region;
    }

    @Override
    int sourceId() {
        return sourceId;
    }

    @Override
    long entriesRejected() {
        return reader.rejected();
    }

    @Override
    public long bytesRead() {
        return reader.bytesRead() + (runs == null ? 0 : runs.reader().bytesRead());
    }

    @Override
    public void close() {
        reader.close();
        if (runs != null) {
            runs.close();
        }
    }
}
