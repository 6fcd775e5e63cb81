package dev.loom.record;

import dev.loom.api.SourceStatistics;
import dev.loom.error.CorruptStoreException;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;

/**
 * Counts one source as of a snapshot: takes its slot, subtracts what is newer, and adds what no directory covers. If
 * that fails, counts all of its directories.
 */
public final class SourceCounter {
    private final SnapshotView snapshot;
    private final int sourceId;
    private long records;
    private long bytes;
    private long firstTimeNs = Long.MAX_VALUE;
    private long lastTimeNs = Long.MIN_VALUE;

    private SourceCounter(SnapshotView snapshot, int sourceId) {
        this.snapshot = snapshot;
        this.sourceId = sourceId;
    }

    /** Counts the source; {@code lost} is passed through. */
    public static SourceStatistics count(SnapshotView snapshot, int sourceId, long lost) {
        SourceCounter counter = new SourceCounter(snapshot, sourceId);
        boolean covered = counter.fromSlot();
        counter.fromChunks(!covered);
        return counter.records == 0
                ? new SourceStatistics(0, 0, 0, 0, lost)
                : new SourceStatistics(counter.records, counter.bytes, counter.firstTimeNs, counter.lastTimeNs, lost);
    }

    /** Counts from the slot, walking back over directories written after the snapshot; false if that fails. */
    private boolean fromSlot() {
        SourceTotals totals = new SourceTotals();
        if (!snapshot.slots().get(sourceId, totals)) {
            return false;
        }
        long newest = Long.MIN_VALUE;
        long tail = Math.max(snapshot.timeTail(), snapshot.times().watermarks().tailAcquire());
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), tail, 1)) {
            while (totals.directoryAddress != SourceSlots.NO_DIRECTORY && !reader.inGap(totals.directoryAddress)) {
                if (!reader.seek(totals.directoryAddress) || !reader.isDirectory() || !reader.find(sourceId)) {
                    return false;
                }
                // a directory newer than the snapshot whose chunk is not newer is counted among what no directory
                // covers
                if (totals.directoryAddress < snapshot.timeTail() && reader.chunkEnd() <= snapshot.recordTail()) {
                    newest = reader.listedLastTimeNs();
                    break;
                }
                totals.records -= reader.listedRecords();
                totals.bytes -= reader.listedBytes();
                totals.directoryAddress = reader.listedPrevious();
            }
            if (reader.hasGap() && !fromRebuilt(reader)) {
                return false;
            }
        } catch (CorruptStoreException e) {
            return false;
        }
        if (totals.records > 0) {
            add(totals.records, totals.bytes, totals.firstTimeNs, newest);
        }
        return true;
    }

    /** Counts what lies before the index's gap, from the checkpoint at the gap's begin; false if that fails. */
    private boolean fromRebuilt(DirectoryReader reader) {
        SourceTotals totals = new SourceTotals();
        reader.toGap();
        boolean first = false;
        boolean found = false;
        while (!first && !found && reader.previous()) {
            if (!reader.isCheckpoint() || reader.chunkAddress() != reader.rebuildTo()) {
                return false;
            }
            found = reader.findCheckpointed(sourceId, totals);
            first = reader.isFirstPart();
        }
        if (found && totals.records > 0) {
            if (!reader.seek(totals.directoryAddress) || !reader.isDirectory() || !reader.find(sourceId)) {
                return false;
            }
            add(totals.records, totals.bytes, totals.firstTimeNs, reader.listedLastTimeNs());
        }
        return found || first;
    }

    /** Counts the region above the last directory, or everything. */
    private void fromChunks(boolean all) {
        try (DescendingChunks chunks = new DescendingChunks(snapshot, sourceId, Long.MAX_VALUE);
                PageRecords page = new PageRecords(snapshot.records(), snapshot.recordTail(), sourceId)) {
            boolean more = chunks.next();
            while (more && (all || !chunks.listed())) {
                if (chunks.listed()) {
                    add(chunks.records(), chunks.bytes(), chunks.firstTimeNs(), chunks.lastTimeNs());
                } else {
                    fromPages(page, chunks.start(), chunks.end());
                }
                more = all && chunks.next();
            }
        }
    }

    private void fromPages(PageRecords page, long start, long end) {
        for (long address = start; address < end; address += PageDescriptor.PAGE_LENGTH) {
            if (page.read(address) == PageState.PRESENT) {
                while (page.next()) {
                    add(1, page.length(), page.timeNs(), page.timeNs());
                }
            }
        }
    }

    private void add(long count, long length, long firstNs, long lastNs) {
        records += count;
        bytes += length;
        firstTimeNs = Math.min(firstTimeNs, firstNs);
        lastTimeNs = Math.max(lastTimeNs, lastNs);
    }
}
