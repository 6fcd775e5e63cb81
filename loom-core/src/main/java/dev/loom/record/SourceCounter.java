package dev.loom.record;

import dev.loom.api.Source;
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
    private long deletedRecords;
    private long deletedBytes;
    private long firstTimeNs = Long.MAX_VALUE;
    private long lastTimeNs = Long.MIN_VALUE;

    private SourceCounter(SnapshotView snapshot, int sourceId) {
        this.snapshot = snapshot;
        this.sourceId = sourceId;
    }

    /** Counts the source; {@code lost} is passed through. */
    public static Source.Statistics count(SnapshotView snapshot, int sourceId, long lost) {
        SourceCounter counter = new SourceCounter(snapshot, sourceId);
        if (snapshot.retainedBegin() >= snapshot.recordTail()) {
            return new Source.Statistics(0, 0, 0, 0, lost, 0, 0);
        }
        boolean covered = counter.fromSlot();
        if (covered) {
            counter.subtractDeleted();
        }
        counter.fromChunks(!covered);
        boolean any = counter.records > 0;
        return new Source.Statistics(
                counter.records,
                counter.bytes,
                any ? counter.firstTimeNs : 0,
                any ? counter.lastTimeNs : 0,
                lost,
                counter.deletedRecords,
                counter.deletedBytes);
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
            long begin = snapshot.times().watermarks().beginAcquire();
            while (totals.directoryAddress >= begin && !reader.inGap(totals.directoryAddress)) {
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
            if (reader.hasGap() && !allDeletedBeforeGap(reader) && !fromRebuilt(reader)) {
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

    /** Subtracts what retention deleted. The first time that remains is not looked up. */
    private void subtractDeleted() {
        if (snapshot.retainedBegin() == 0 || records == 0) {
            return;
        }
        Deleted deleted = deleted();
        if (deleted.records > 0) {
            deletedRecords = deleted.records;
            deletedBytes = deleted.bytes;
            records -= deletedRecords;
            bytes -= deletedBytes;
            firstTimeNs = Math.max(firstTimeNs, deleted.toNs);
        }
    }

    /**
     * Whether retention deleted records of the source; also true if that can't be told. Reads the timestamp index up to the
     * first checkpoint.
     */
    public static boolean hasDeleted(SnapshotView snapshot, int sourceId) {
        if (snapshot.retainedBegin() == 0) {
            return false;
        }
        try {
            Deleted deleted = new SourceCounter(snapshot, sourceId).deleted();
            return deleted.records > 0 || !deleted.known;
        } catch (CorruptStoreException e) {
            return true;
        }
    }

    /**
     * What retention deleted of a source.
     *
     * @param toNs not before the arrival of the last record deleted
     * @param known whether the index reaches back to a checkpoint, or to the log's beginning
     */
    private record Deleted(long records, long bytes, long toNs, boolean known) {}

    /**
     * The totals of the first whole checkpoint since, without the chunks that it retains; or what the index lists below the begin,
     * if it has no checkpoint yet.
     */
    private Deleted deleted() {
        long begin = snapshot.retainedBegin();
        SourceTotals deleted = new SourceTotals();
        SourceTotals retained = new SourceTotals();
        SourceTotals totals = new SourceTotals();
        EntryParts parts = EntryParts.forward();
        long toNs = Long.MIN_VALUE;
        boolean checkpointed = false;
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail(), 1)) {
            boolean whole = false;
            if (allDeletedBeforeGap(reader)) {
                reader.toGapEnd();
            } else {
                reader.toBegin();
            }
            while (!checkpointed && reader.next()) {
                whole |= reader.chunkAddress() == 0;
                if (reader.isCheckpoint()) {
                    checkpointed = reader.chunkAddress() >= begin
                            && (reader.findCheckpointed(sourceId, totals) || parts.complete(reader));
                    toNs = reader.chunkAddress() <= begin ? reader.firstTimeNs() : toNs;
                } else if (reader.find(sourceId)) {
                    boolean below = reader.chunkAddress() < begin;
                    (below ? deleted : retained).add(0, reader.listedRecords(), reader.listedBytes(), 0);
                    toNs = below ? reader.listedLastTimeNs() : toNs;
                }
            }
            if (checkpointed) {
                deleted = totals;
                deleted.records -= retained.records;
                deleted.bytes -= retained.bytes;
            }
            return new Deleted(deleted.records, deleted.bytes, toNs, !reader.hasGap() && (checkpointed || whole));
        }
    }

    /** Whether retention has deleted all that the index describes before its gap. */
    private boolean allDeletedBeforeGap(DirectoryReader reader) {
        return reader.hasGap() && snapshot.retainedBegin() >= reader.rebuildTo();
    }

    /** Counts what lies before the index's gap, from the checkpoint at the gap's begin; false if that fails. */
    private boolean fromRebuilt(DirectoryReader reader) {
        SourceTotals totals = new SourceTotals();
        EntryParts parts = EntryParts.backward();
        reader.toGap();
        boolean found = false;
        while (!found && !parts.isComplete() && reader.previous()) {
            if (!reader.isCheckpoint() || reader.chunkAddress() != reader.rebuildTo()) {
                return false;
            }
            found = reader.findCheckpointed(sourceId, totals);
            parts.add(reader);
        }
        if (found && totals.records > 0) {
            if (!reader.seek(totals.directoryAddress) || !reader.isDirectory() || !reader.find(sourceId)) {
                return false;
            }
            add(totals.records, totals.bytes, totals.firstTimeNs, reader.listedLastTimeNs());
        }
        return found || parts.isComplete();
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
