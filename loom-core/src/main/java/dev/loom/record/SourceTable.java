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
 * What the timestamp index says of every source: totals up to its end, read from the last checkpoint on; after a gap, those of
 * the records that what follows it speaks of. Chunks whose
 * directories are damaged are counted from their records, so that damage to the index makes no answer wrong; a source found
 * so has the place of the damage as its newest directory until a later one lists it: there no directory is found, and
 * whoever follows the chain looks for himself. For one thread.
 */
public final class SourceTable {
    private final Map<Integer, SourceTotals> totals = new TreeMap<>();
    private final Map<Integer, Long> lost = new TreeMap<>();
    private final LogView records;
    private final List<Listed> pending = new ArrayList<>();
    private long pendingParts;
    /** What the pending parts belong to. */
    private long pendingWhole;

    private long pendingAddress = -1;
    private long lastCheckpoint = -1;
    private long recordsCovered;
    private boolean malformed;

    /** What a part of a directory or checkpoint says of a source. */
    private record Listed(int id, SourceTotals totals, long lost) {}

    private SourceTable(LogView records, long recordBegin) {
        this.records = records;
        this.recordsCovered = recordBegin;
    }

    /**
     * Reads the index.
     *
     * @param records the record log, read where the index is damaged
     * @param timeTail the index's end
     * @param recordEnd entries that end above are ignored
     * @param checkpoint address of a checkpoint to begin with; anything else means to begin at the beginning
     * @param known sources that there are, whether or not the index speaks of them
     * @param strict whether an index that the disk does not give now is a failure, as for a writer, who would write it again
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
     * Sends whoever follows the chain of a source that is not listed after the gap into it, and so to what lies before: sources
     * that are known, and those that the checkpoint there lists.
     */
    private void crossGap(DirectoryReader reader, Collection<Integer> known, long gap) {
        known.forEach(id -> pointTo(gap, id));
        reader.toGap();
        boolean more = true;
        while (more && reader.previous() && reader.isCheckpoint()) {
            try {
                reader.forEachCheckpointed((id, directory, count, bytes, sourceLost, firstTimeNs) -> pointTo(gap, id));
            } catch (CorruptStoreException e) {
                malformed = true;
            }
            more = !reader.isFirstPart();
        }
    }

    private void pointTo(long gap, int id) {
        SourceTotals source = orNew(id);
        source.directoryAddress = source.directoryAddress == SourceSlots.NO_DIRECTORY ? gap : source.directoryAddress;
    }

    /** Reads all parts of a checkpoint; false when one is missing. */
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
        // a page's address leaves the low bit for the type
        long whole = reader.chunkAddress() | (reader.isCheckpoint() ? 1 : 0);
        if (reader.isFirstPart()) {
            pending.clear();
            pendingParts = 0;
            pendingWhole = whole;
            pendingAddress = reader.address();
        }
        if (whole != pendingWhole || reader.part() != pendingParts++) {
            // the rest of this one, and of the one before, is as good as missing
            pendingParts = -1;
            return;
        }
        try {
            list(reader);
        } catch (CorruptStoreException e) {
            malformed = true;
            pendingParts = -1;
            return;
        }
        if (reader.isLastPart()) {
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
     * Adds what markers in the records that no directory covers say was lost.
     *
     * @param recordEnd the log's end
     */
    public void countLost(long recordEnd) {
        countLost(recordsCovered, recordEnd);
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
            recordsCovered = Math.max(recordsCovered, reader.chunkAddress());
        } else if (reader.chunkEnd() > recordsCovered) {
            if (reader.chunkAddress() > recordsCovered) {
                countRecords(recordsCovered, reader.chunkAddress());
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
            recordsCovered = Math.max(recordsCovered, reader.chunkEnd());
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

    /** Totals of one source, which may be none. */
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

    /** Whether an entry said what can't be, and counts as missing. */
    public boolean malformed() {
        return malformed;
    }

    /** The address up to which chunks have directories, or are counted. */
    public long recordsCovered() {
        return recordsCovered;
    }

    /** The losses as slots. */
    public LossSlots losses() {
        int last = lost.keySet().stream().reduce(0, Math::max);
        LossSlots slots = LossSlots.allocate(last + 1);
        lost.forEach((id, count) -> slots.put(id, count, 0, 0, 0));
        return slots;
    }

    /** The same as slots. */
    public SourceSlots slots() {
        SourceSlots slots = SourceSlots.allocate(sources());
        putInto(slots);
        return slots;
    }

    /** Sets the slots of every source that it says something of; the others are empty. */
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
