package dev.loom.record;

import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.record.ChunkRecords.FoundSource;
import dev.loom.record.ListedChunk.ListedSource;
import java.util.function.LongPredicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;
import org.jspecify.annotations.Nullable;

/**
 * The totals of every source and its newest directory, as a walk over timestamp index and records arrives at them. Compares
 * the chains of directories, and checkpoints, with them. For one thread.
 */
final class RunningTotals {
    private static final long NONE = SourceSlots.NO_DIRECTORY;

    private final long begin;
    private final LongPredicate readable;
    private final FaultHandler faults;
    private final Int2ObjectHashMap<Running> sources = new Int2ObjectHashMap<>();
    private final IntHashSet checkpointed = new IntHashSet();

    /** Whether all records before were counted, or are in the totals of a checkpoint. */
    private boolean known;

    /** Whether directories may have been lost so far: below where the walk began, by a recovery, or by damage. */
    private boolean interrupted;

    private long lastCheckpoint = NONE;
    private long nextCheckpoint;

    private static final class Running {
        long records;
        long bytes;
        long firstTimeNs;
        long directoryAddress = NONE;
    }

    /**
     * @param begin the begin of the timestamp index
     * @param readable whether the page of an address can be read
     * @param known whether the walk begins with the store's first record
     */
    RunningTotals(long begin, LongPredicate readable, boolean known, FaultHandler faults) {
        this.begin = begin;
        this.readable = readable;
        this.known = known;
        this.interrupted = !known;
        this.faults = faults;
    }

    private Running of(int sourceId) {
        return sources.computeIfAbsent(sourceId, unused -> new Running());
    }

    /** Forgets all counts, which start over: from zero, or with the next checkpoint. */
    void restart(boolean fromZero) {
        known = fromZero;
        sources.forEach((id, source) -> {
            source.records = 0;
            source.bytes = 0;
            source.firstTimeNs = 0;
        });
    }

    /** Counts begin again with the next checkpoint, since there are records that can't be counted. */
    void forget() {
        known = false;
    }

    /** From now on chains may lead to places where directories were lost. */
    void interrupted() {
        interrupted = true;
    }

    /** Adds the records of a chunk that could be read. */
    void add(ChunkRecords chunk) {
        if (!chunk.whole()) {
            forget();
        }
        for (FoundSource source : chunk.sources()) {
            add(source.id, source.records, source.bytes, source.firstTimeNs);
        }
    }

    /** Adds the records of a chunk that can't be read as its directory counts them. */
    void add(ListedChunk chunk) {
        for (ListedSource source : chunk.sources()) {
            add(source.id(), source.records(), source.bytes(), source.firstTimeNs());
        }
    }

    private void add(int sourceId, long records, long bytes, long firstTimeNs) {
        if (records > 0) {
            Running source = of(sourceId);
            source.firstTimeNs = source.records == 0 ? firstTimeNs : source.firstTimeNs;
            source.records += records;
            source.bytes += bytes;
        }
    }

    /** Checks where a listed source's chain leads, and goes on with this directory. */
    void link(ListedChunk chunk, ListedSource listed) {
        Running source = of(listed.id());
        if (listed.unchained() || !leads(listed.previous(), source.directoryAddress)) {
            chunk.fault(
                    listed.part(),
                    "does not lead to the previous directory of a source: source=" + listed.id() + ", address="
                            + listed.previous() + ", expected=" + source.directoryAddress);
        }
        source.directoryAddress = listed.part();
    }

    /** Goes on with a directory of which a part is no longer there. */
    void link(int sourceId, long directoryAddress) {
        of(sourceId).directoryAddress = directoryAddress;
    }

    /**
     * Whether a chain may lead to an address. It leads to the beginning of a page, where no entry is, if the directory had
     * been lost when the chain was continued; the walk then goes on entry by entry.
     */
    private boolean leads(long address, long expected) {
        if (address == expected || (address < begin && expected == NONE)) {
            return true;
        }
        if (interrupted && PageDescriptor.offsetInPage(address) == 0) {
            return address >= PageDescriptor.pageAddress(expected);
        }
        return address > expected && !readable.test(address);
    }

    /** Begins a checkpoint. */
    void beginCheckpoint(DirectoryReader part) {
        checkpointed.clear();
        nextCheckpoint = part.address();
        long previous = part.previousCheckpoint();
        boolean leads = previous == NONE
                || previous == lastCheckpoint
                || (previous >= 0 && previous < begin)
                || (previous > lastCheckpoint && !readable.test(previous));
        if (!leads) {
            fault(part, "does not lead to the previous one: address=" + previous + ", expected=" + lastCheckpoint);
        }
    }

    /** Passes a checkpoint of records that are no longer retained. */
    void passCheckpoint(DirectoryReader part) {
        lastCheckpoint = part.isFirstPart() ? part.address() : lastCheckpoint;
    }

    /**
     * Compares a part of a checkpoint; without a count to compare with, takes its own. So it does for a source whose chain leads to no
     * entry: the disk may not have delivered some of its records when they were counted.
     */
    void compare(DirectoryReader part) {
        part.forEachCheckpointed((id, directoryAddress, records, bytes, lost, firstTimeNs) -> {
            Running source = of(id);
            checkpointed.add(id);
            boolean leftOut = interrupted && PageDescriptor.offsetInPage(directoryAddress) == 0;
            if (known && !leftOut) {
                compare(part, id, "records", records, source.records);
                compare(part, id, "bytes", bytes, source.bytes);
                compare(part, id, "first time", records == 0 ? 0 : firstTimeNs, source.firstTimeNs);
            } else {
                source.records = records;
                source.bytes = bytes;
                source.firstTimeNs = firstTimeNs;
            }
            if (!leads(directoryAddress, source.directoryAddress)) {
                fault(
                        part,
                        "does not lead to the last directory of a source: source=" + id + ", address="
                                + directoryAddress + ", expected=" + source.directoryAddress);
            }
        });
        part.checkEnd();
    }

    private void compare(DirectoryReader part, int id, String what, long listed, long expected) {
        if (listed != expected) {
            fault(part, "differs: source=" + id + ", " + what + "=" + listed + ", expected=" + expected);
        }
    }

    /** Ends a checkpoint, of which all parts were compared. */
    void endCheckpoint(DirectoryReader part) {
        sources.forEach((id, source) -> {
            if (!checkpointed.contains(id.intValue())) {
                if (known && source.records > 0) {
                    fault(part, "lacks a source: source=" + id + ", records=" + source.records);
                }
                source.records = known ? source.records : 0;
                source.bytes = known ? source.bytes : 0;
            }
        });
        known = true;
        lastCheckpoint = nextCheckpoint;
    }

    private void fault(DirectoryReader part, @Nullable String what) {
        faults.onFault(
                LogKind.TIME,
                part.address(),
                "checkpoint differs from the records: record address=" + part.chunkAddress() + "; it " + what);
    }
}
