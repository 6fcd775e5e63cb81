package dev.loom.record;

import dev.loom.error.CorruptStoreException;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;

/**
 * Walks the chunks of one source newest first, along its chain of directories (paper, section 4.3): the region without
 * directories at the snapshot's end, then from directory to directory. Where a directory can't be read, it goes on entry by
 * entry, and gives what no entry covers as unlisted, until it finds the chain again.
 */
public final class DescendingChunks extends Chunks {
    /** Directories to follow before a range far back is looked for by time. */
    private static final int HOPS = 32;

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
    /** All above is covered. */
    private long bound;
    /** What the parts seen last belong to, the last of them first, none of which lists the source; or -1. */
    private long partial = -1;

    /** Number of the part of that seen last. */
    private long part;

    /** The entry that named {@link #directory}, or -1. */
    private long namedBy = -1;

    private boolean revisit;

    /** @param toNs where the time range ends: newer chunks may be left out */
    public DescendingChunks(SnapshotView snapshot, int sourceId, long toNs) {
        this(snapshot, sourceId, toNs, PageReader.BLOCK_PAGES);
    }

    /** @param blockPages as of {@link PageReader#PageReader(dev.loom.log.LogView, int)} */
    public DescendingChunks(SnapshotView snapshot, int sourceId, long toNs, int blockPages) {
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

    /** The region above the last directory that ends within the snapshot and all of whose parts can be read: slots know no later. */
    private boolean tail() {
        long summarised = begin;
        reader.toEnd();
        while (reader.previous()) {
            long end = reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress();
            if (end <= snapshot.recordTail() && seenToFirstPart()) {
                summarised = end;
                break;
            }
        }
        partial = -1;
        boolean region = summarised < bound;
        if (region) {
            unlisted(summarised, bound);
        }
        bound = summarised;
        phase = Phase.CHAIN;
        directoryAddress = newestDirectory();
        return region;
    }

    /** The source's newest directory that the time range may need, from its slot, which may be ahead. */
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

    /** Moves to the last entry before the range's end, and goes on entry by entry. */
    private void jump() {
        phase = Phase.ENTRIES;
        reader.seekBefore(toNs);
        do {
            if (!reader.next()) {
                return;
            }
        } while (!reader.isDirectory());
        bound = Math.min(bound, reader.chunkAddress());
        partial = -1;
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
            return address; // where nothing is found, and whoever follows the chain looks for himself
        }
        return address;
    }

    private boolean chain() {
        if (directoryAddress == SourceSlots.NO_DIRECTORY) {
            phase = Phase.DONE;
            return false;
        }
        // what is named lies below, so that no chain leads around
        boolean below = namedBy < 0 || directoryAddress < namedBy;
        if (below && reader.inGap(directoryAddress)) {
            crossGap();
            return false;
        }
        if (!below || !reader.seek(directoryAddress) || reader.chunkEnd() > bound || !find()) {
            startEntries();
            return false;
        }
        return listCurrent();
    }

    /** Looks the source up; false too when the directory can't be, and then counts as missing. */
    private boolean find() {
        try {
            return reader.find(sourceId);
        } catch (CorruptStoreException e) {
            reader.reject(false);
            partial = -1;
            return false;
        }
    }

    /** Goes on before the gap, as what lies after it lists no more of the source. */
    private void crossGap() {
        phase = Phase.ENTRIES;
        partial = -1;
        reader.toGap();
        if (reader.rebuildTo() < bound) {
            skip((bound - reader.rebuildTo()) >> PageDescriptor.PAGE_SHIFT);
            bound = reader.rebuildTo();
        }
    }

    private boolean listCurrent() {
        directoryAddress = reader.listedPrevious();
        namedBy = reader.address();
        phase = Phase.CHAIN;
        partial = -1;
        if (reader.chunkAddress() < begin) {
            phase = Phase.DONE;
            return false;
        }
        skip((bound - reader.chunkEnd()) >> PageDescriptor.PAGE_SHIFT);
        bound = reader.chunkAddress();
        list(reader);
        return true;
    }

    /** Goes on from the last entry that could be read; what is covered is stepped over by its addresses. */
    private void startEntries() {
        phase = Phase.ENTRIES;
        partial = -1;
        if (namedBy < 0 || !reader.seek(namedBy)) {
            reader.toEnd();
        }
    }

    private boolean entries() {
        while (revisit || reader.previous()) {
            revisit = false;
            long end = reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress();
            // what lies across the bound was never so written
            boolean covered = end > bound;
            if (covered) {
                continue;
            }
            if (end < bound) {
                unlisted(end, bound);
                bound = end;
                partial = -1;
                revisit = true;
                return true;
            }
            if (reader.isCheckpoint() ? checkpoint() : directoryPart()) {
                return phase == Phase.CHAIN && reader.isDirectory();
            }
        }
        return rest();
    }

    /** Looks at a directory's part; true when it lists the source. */
    private boolean directoryPart() {
        int rejected = reader.rejected();
        if (find()) {
            return listCurrent() || phase == Phase.DONE;
        }
        if (reader.rejected() == rejected && seenToFirstPart()) {
            skip(reader.chunkPages());
            bound = reader.chunkAddress();
        }
        return false;
    }

    /** Looks at a checkpoint's part; true when it tells where the chain goes on, or that it does not. */
    private boolean checkpoint() {
        totals.directoryAddress = SourceSlots.NO_DIRECTORY;
        if (!reader.findCheckpointed(sourceId, totals) && !seenToFirstPart()) {
            return false;
        }
        directoryAddress = totals.directoryAddress;
        namedBy = reader.address();
        phase = Phase.CHAIN;
        return true;
    }

    /** Notes that the current part does not list the source; true when none of the parts does, from the last to the first. */
    private boolean seenToFirstPart() {
        // a page's address leaves the low bit for the type: a checkpoint has the address of the chunk after it
        long whole = reader.chunkAddress() | (reader.isCheckpoint() ? 1 : 0);
        boolean follows = reader.isLastPart() || (partial == whole && reader.part() == part - 1);
        part = reader.part();
        boolean seen = follows && part == 0;
        partial = follows && !seen ? whole : -1;
        return seen;
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
        return reader.bytesRead();
    }

    @Override
    public void close() {
        reader.close();
    }
}
