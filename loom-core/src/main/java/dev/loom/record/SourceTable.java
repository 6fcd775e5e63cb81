package dev.loom.record;

import dev.loom.error.CorruptStoreException;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The totals of every source in the timestamp index up to its end, read from the last checkpoint on, with those of records
 * that retention has deleted, as far as the index knew them; after a gap, only
 * those of the records that the entries after it describe. Chunks whose directories are damaged are counted from their
 * records, so that damage to the index makes no answer wrong. The newest directory of a source counted in this way is
 * the place of the damage, until a later directory lists it: no directory is found there, and a walk of the chain
 * continues entry by entry. For one thread.
 */
public final class SourceTable {
    private final Map<Integer, SourceTotals> totals = new TreeMap<>();
    private final Map<Integer, Long> lost = new TreeMap<>();
    private final LogView records;
    private final List<Listed> pending = new ArrayList<>();
    private final EntryParts parts = EntryParts.forward();
    private long pendingAddress = -1;
    private long lastCheckpoint = -1;
    private final long recordBegin;
    /** Records below are counted, or were deleted before the index began. */
    private long covered;

    private boolean malformed;

    /** One source as listed in a part of a directory or checkpoint. */
    private record Listed(int id, SourceTotals totals, long lost) {}

    private SourceTable(LogView records, long recordBegin) {
        this.records = records;
        this.recordBegin = recordBegin;
    }

    /**
     * Reads the index.
     *
     * @param records the record log, which is read where the index is damaged
     * @param timeTail the index's end
     * @param recordEnd entries that end above it are ignored
     * @param checkpoint the address of a checkpoint to begin with; with any other address, reading begins at the
     *     beginning
     * @param known the existing sources, whether or not the index lists them
     * @param strict whether to throw if the disk can't deliver the index now; for a writer, which would otherwise
     *     rewrite it
     */
    public static SourceTable load(
            LogView records,
            LogView times,
            long timeTail,
            long recordBegin,
            long recordEnd,
            long checkpoint,
            Collection<Integer> known,
            boolean strict) {
        try (DirectoryReader reader = new DirectoryReader(times, timeTail)) {
            if (strict) {
                reader.failUnreadable();
            }
            boolean gap = reader.hasGap();
            long from = gap ? Math.max(recordBegin, reader.rebuildTo()) : recordBegin;
            SourceTable table = new SourceTable(records, from);
            boolean useful =
                    checkpoint >= 0 && (!gap || checkpoint >= times.watermarks().gapEnd());
            if (!useful || !table.loadCheckpoint(reader, checkpoint, recordEnd)) {
                table = new SourceTable(records, from);
                if (gap) {
                    reader.toGapEnd();
                } else {
                    reader.toBegin();
                }
            }
            while (reader.next()) {
                table.add(reader, recordEnd);
            }
            if (gap) {
                table.crossGap(reader, known, times.watermarks().gapEnd() - PageDescriptor.PAGE_LENGTH);
            }
            return table;
        }
    }

    /**
     * Makes the chain of each source not listed after the gap lead into the gap, and so to the entries before it: for
     * known sources, and for those that the checkpoint there lists.
     */
    private void crossGap(DirectoryReader reader, Collection<Integer> known, long gap) {
        known.forEach(id -> pointTo(gap, id));
        reader.toGap();
        EntryParts checkpoint = EntryParts.backward();
        boolean more = true;
        while (more && reader.previous() && reader.isCheckpoint()) {
            try {
                reader.forEachCheckpointed((id, directory, count, bytes, sourceLost, firstTimeNs) -> pointTo(gap, id));
            } catch (CorruptStoreException e) {
                malformed = true;
            }
            more = !checkpoint.complete(reader);
        }
    }

    private void pointTo(long gap, int id) {
        SourceTotals source = orNew(id);
        source.directoryAddress = source.directoryAddress == SourceSlots.NO_DIRECTORY ? gap : source.directoryAddress;
    }

    /** Reads all parts of a checkpoint; false if one is missing. */
    private boolean loadCheckpoint(DirectoryReader reader, long address, long recordEnd) {
        boolean more = reader.seek(address) && reader.isFirstPart();
        while (more && reader.isCheckpoint() && reader.chunkAddress() <= recordEnd) {
            add(reader, recordEnd);
            if (lastCheckpoint >= 0) {
                return true;
            }
            more = reader.next();
        }
        return false;
    }

    private void add(DirectoryReader reader, long recordEnd) {
        long end = reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress();
        if (end > recordEnd) {
            return;
        }
        if (!parts.add(reader)) {
            return; // the rest of its entry, and of the one before, counts as missing
        }
        if (parts.isBegun()) {
            pending.clear();
            pendingAddress = reader.address();
        }
        try {
            list(reader);
        } catch (CorruptStoreException e) {
            malformed = true;
            parts.clear();
            return;
        }
        if (parts.isComplete()) {
            addPending(reader);
        }
    }

    private void list(DirectoryReader reader) {
        long address = reader.address();
        if (reader.isDirectory()) {
            reader.forEachListed((id, count, bytes, firstTimeNs) ->
                    pending.add(new Listed(id, new SourceTotals(address, count, bytes, firstTimeNs), 0)));
        } else {
            reader.forEachCheckpointed((id, directory, count, bytes, sourceLost, firstTimeNs) ->
                    pending.add(new Listed(id, new SourceTotals(directory, count, bytes, firstTimeNs), sourceLost)));
        }
    }

    /**
     * Adds the losses in markers among the records that no directory covers.
     *
     * @param recordEnd the log's end
     */
    public void countLost(long recordEnd) {
        countLost(recordsCovered(), recordEnd);
    }

    private void countLost(long from, long to) {
        try (PageRecords page = new PageRecords(records, to, 0)) {
            for (long address = from; address < to; address += PageDescriptor.PAGE_LENGTH) {
                if (page.read(address) == PageState.PRESENT) {
                    while (page.next()) {
                        countLost(page);
                    }
                }
            }
        }
    }

    private void countLost(PageRecords record) {
        long records = OwnRecord.lost(record);
        if (records > 0) {
            lost.merge(OwnRecord.source(record.buffer(), record.offset()), records, Long::sum);
        }
    }

    private void addPending(DirectoryReader reader) {
        if (reader.isCheckpoint()) {
            for (Listed listed : pending) {
                totals.put(listed.id, listed.totals);
                lost.put(listed.id, listed.lost);
            }
            lastCheckpoint = pendingAddress;
            covered = Math.max(covered, reader.chunkAddress());
        } else if (reader.chunkEnd() > covered) {
            if (reader.chunkAddress() > recordsCovered()) {
                countRecords(recordsCovered(), reader.chunkAddress());
            }
            boolean own = false;
            for (Listed listed : pending) {
                SourceTotals chunk = listed.totals;
                orNew(listed.id).add(chunk.directoryAddress, chunk.records, chunk.bytes, chunk.firstTimeNs);
                own |= listed.id == 0;
            }
            if (own) {
                countLost(reader.chunkAddress(), reader.chunkEnd());
            }
            covered = Math.max(covered, reader.chunkEnd());
        }
        pending.clear();
    }

    /** Counts records of pages that no directory covers. */
    private void countRecords(long from, long to) {
        // a page's address is never that of an entry
        long noEntry = PageDescriptor.pageAddress(pendingAddress);
        try (PageRecords page = new PageRecords(records, to, -1)) {
            for (long address = from; address < to; address += PageDescriptor.PAGE_LENGTH) {
                if (page.read(address) == PageState.PRESENT) {
                    while (page.next()) {
                        orNew(page.sourceId()).add(noEntry, 1, page.length(), page.timeNs());
                        countLost(page);
                    }
                }
            }
        }
    }

    private SourceTotals orNew(int id) {
        return totals.computeIfAbsent(id, unused -> new SourceTotals());
    }

    /** The totals of one source, all 0 if it has none. */
    public SourceTotals totals(int id) {
        SourceTotals known = totals.get(id);
        return known == null ? new SourceTotals() : known;
    }

    /** Totals by source id, for every source that has records. */
    public Map<Integer, SourceTotals> totals() {
        return totals;
    }

    /** Records lost, by source id. */
    public Map<Integer, Long> lost() {
        return lost;
    }

    /** Address of the last checkpoint, or -1. */
    public long lastCheckpoint() {
        return lastCheckpoint;
    }

    /** Whether an entry was impossible, and counts as missing. */
    public boolean malformed() {
        return malformed;
    }

    /** The address up to which chunks have directories or are counted. */
    public long recordsCovered() {
        return Math.max(covered, recordBegin);
    }

    /** The losses as slots. */
    public LossSlots losses() {
        int last = lost.keySet().stream().reduce(0, Math::max);
        LossSlots slots = LossSlots.allocate(last + 1);
        lost.forEach((id, count) -> slots.put(id, count, 0, 0, 0));
        return slots;
    }

    /** The totals as slots. */
    public SourceSlots slots() {
        SourceSlots slots = SourceSlots.allocate(sources());
        putInto(slots);
        return slots;
    }

    /** Sets the slots of every source in the table; the others are empty. */
    public void putInto(SourceSlots slots) {
        int sources = sources();
        for (int id = 0; id < sources; id++) {
            slots.put(id, totals(id));
        }
    }

    /** One more than the highest id. */
    private int sources() {
        return totals.keySet().stream().reduce(0, Math::max) + 1;
    }
}
