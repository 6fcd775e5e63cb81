package dev.loom.record;

import dev.loom.api.Index;
import dev.loom.error.CorruptStoreException;
import dev.loom.format.RecordLookup;
import dev.loom.index.ActiveIndex;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.record.ChunkRecords.FoundSource;
import dev.loom.record.ListedChunk.ListedIndex;
import dev.loom.record.ListedChunk.ListedSource;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads all records of a store beside its timestamp index, and compares what the index says with them. What can't be read is
 * left out; what no directory covers, as after damage, is no fault. Memory does not depend on the store's length. For one
 * thread.
 */
public final class IndexAudit implements AutoCloseable {
    private static final long UNKNOWN = -1;

    private final LogView records;
    private final long recordBegin;
    private final long recordEnd;
    private final long gapEnd;
    private final FaultHandler faults;
    private final SummaryComparison summaries;
    private final LongPredicate stopped;
    private final DirectoryReader reader;
    private final DirectoryReader probe;
    private final ChunkRecords chunk;
    private final ListedChunk listed;
    private final RunningTotals totals;
    private final EntryParts parts = EntryParts.forward();

    private long entries;
    /** The records below were read. */
    private long at;
    /** The address of a directory's last part so far, if it lacks others; else {@link #UNKNOWN}. */
    private long open = UNKNOWN;

    private int epoch;
    private long unreadable;
    private boolean crossed;
    /** Whether the chunk before was read to its end. */
    private boolean before;
    /** The end of the last directory's bins, if nothing that can't be read lies between. */
    private long binsEnd = UNKNOWN;

    /**
     * Makes an audit of records and index up to the given ends.
     *
     * @param indexes the index by its id; null if it is not known
     * @param lost whether definitions of a source and its indexes may be lost; else an index that is not known is a fault
     * @param lookup finds the records that others refer to
     * @param summaries compares what is stored of an index in a chunk
     * @param stopped asked before each page of records, with its address; true ends the audit
     */
    public IndexAudit(
            LogView records,
            long recordEnd,
            LogView times,
            long timeEnd,
            IntFunction<@Nullable Index> indexes,
            IntPredicate lost,
            RecordLookup lookup,
            SummaryComparison summaries,
            FaultHandler faults,
            LongPredicate stopped) {
        this.records = records;
        this.recordBegin = records.watermarks().beginAcquire();
        this.recordEnd = recordEnd;
        this.faults = faults;
        this.summaries = summaries;
        this.stopped = stopped;
        this.reader = new DirectoryReader(times, timeEnd);
        this.probe = new DirectoryReader(times, timeEnd, 1);
        this.gapEnd = reader.hasGap() ? times.watermarks().gapEnd() : 0;
        this.chunk = new ChunkRecords(records, recordEnd, lookup, faults);
        this.listed = new ListedChunk(indexes, lost, faults);
        this.totals = new RunningTotals(
                times.watermarks().beginAcquire(),
                address -> {
                    long before = probe.unreadable();
                    probe.seek(address);
                    return probe.unreadable() == before;
                },
                recordBegin == 0,
                faults);
        this.at = recordBegin;
        reader.onMalformed(address -> fault(address, "no entry begins here: address=" + address));
    }

    /** Runs to the end, unless it is stopped. */
    public void run() {
        reader.toBegin();
        while (reader.next() && !stopped.test(at)) {
            entries++;
            cross();
            if (join()) {
                addPart();
            }
            epoch = reader.epoch();
            unreadable = reader.unreadable();
        }
        scan(recordEnd);
    }

    /** The number of entries and records read. */
    public long entries() {
        return entries + chunk.records();
    }

    private void fault(long address, String message) {
        faults.onFault(LogKind.TIME, address, message);
    }

    /** Behind the gap, counts begin again with the records that the entries there describe. */
    private void cross() {
        if (!crossed && reader.address() >= gapEnd && gapEnd > 0) {
            crossed = true;
            scan(Math.min(Math.max(at, reader.rebuildTo()), recordEnd));
            totals.interrupted();
            totals.restart(reader.rebuildTo() >= recordBegin);
            binsEnd = UNKNOWN;
            open = UNKNOWN;
        }
        if (unreadable != reader.unreadable()) {
            binsEnd = UNKNOWN;
            totals.interrupted();
        }
        if (epoch != reader.epoch() && entries > 1) {
            totals.interrupted();
        }
        if (reader.beginsPage() && reader.baseTimeNs() != reader.firstTimeNs()) {
            fault(
                    reader.pageAddress(),
                    "page begins at another time than its first entry: time=" + reader.baseTimeNs() + ", entry="
                            + reader.firstTimeNs());
        }
    }

    /**
     * Joins the current part to those before. A directory lacks parts only if a crash has taken them, or they can't be read;
     * a checkpoint lacks its last ones also if its writing failed.
     */
    private boolean join() {
        boolean joins = parts.add(reader);
        boolean lost = unreadable != reader.unreadable() || epoch != reader.epoch();
        boolean goesOn = joins && !(reader.isFirstPart() && reader.part() == 0);
        if (open != UNKNOWN && !goesOn && !lost) {
            fault(open, "directory lacks its last part: address=" + open);
        }
        boolean begins = entries == 1 && reader.cutAtBegin();
        if (!joins && !begins && !lost) {
            fault(reader.address(), "entry lacks the part before: address=" + reader.address());
        }
        if (!joins && reader.isDirectory()) {
            linkRest();
        }
        open = joins && reader.isDirectory() && !parts.isComplete() ? reader.address() : UNKNOWN;
        return joins;
    }

    /** Keeps the chains of sources in what is left of a directory. */
    private void linkRest() {
        try {
            reader.forEachListed((id, count, bytes, firstTimeNs) -> {
                if (count > 0) {
                    totals.link(id, reader.address());
                }
            });
        } catch (CorruptStoreException e) {
            malformed(e);
        }
    }

    private void malformed(CorruptStoreException e) {
        fault(reader.address(), "entry is malformed: address=" + reader.address() + ", reason=" + e.getMessage());
        parts.clear();
        open = UNKNOWN;
        binsEnd = UNKNOWN;
    }

    private void addPart() {
        try {
            if (reader.isCheckpoint()) {
                addCheckpoint();
                return;
            }
            listed.add(reader);
            if (parts.isComplete()) {
                checkDirectory();
            }
        } catch (CorruptStoreException e) {
            malformed(e);
        }
    }

    private void addCheckpoint() {
        long to = reader.chunkAddress();
        if (to > records.watermarks().tailAcquire()) {
            fault(
                    reader.address(),
                    "checkpoint differs from the records: record address=" + to + "; it ends behind them");
        }
        if (to < recordBegin) {
            totals.passCheckpoint(reader);
        }
        if (to < recordBegin || to > recordEnd) {
            return;
        }
        if (reader.isFirstPart()) {
            if (to < at) {
                fault(
                        reader.address(),
                        "checkpoint differs from the records: record address=" + to
                                + "; it is not in the order of the chunks: expected=" + at);
                return;
            }
            scan(to);
            totals.beginCheckpoint(reader);
        }
        if (to == at) {
            totals.compare(reader);
            if (parts.isComplete()) {
                totals.endCheckpoint(reader);
            }
        }
    }

    private void checkDirectory() {
        boolean here = listed.chunkAddress() >= recordBegin && listed.chunkEnd() <= recordEnd;
        if (here && listed.chunkAddress() < at) {
            listed.fault(listed.address(), "is not in the order of the chunks: expected=" + at);
            return;
        }
        if (listed.chunkEnd() > records.watermarks().tailAcquire()) {
            listed.fault(listed.address(), "ends behind the records: end=" + listed.chunkEnd());
        }
        if (here) {
            scan(listed.chunkAddress());
            compareChunk();
        }
        for (ListedSource source : listed.sources()) {
            totals.link(listed, source);
        }
    }

    /** Reads the records of chunks without a directory. */
    private void scan(long to) {
        while (at < to && !stopped.test(at)) {
            long address = at;
            chunk.begin(address, false, !chunk.continues(address));
            do {
                chunk.read(at);
                at += PageDescriptor.PAGE_LENGTH;
            } while (at < to && chunk.continues(at) && !stopped.test(at));
            totals.add(chunk);
            totals.interrupted();
            before = chunk.whole();
        }
    }

    private void compareChunk() {
        long end = listed.chunkEnd();
        boolean continues = chunk.continues(at);
        if (continues && before) {
            listed.fault(listed.address(), "begins within another: address=" + at);
        }
        chunk.begin(at, end - at == PageDescriptor.PAGE_LENGTH, !continues);
        for (ListedSource source : listed.sources()) {
            chunk.fill(
                    source.id(),
                    source.indexes().stream().map(ListedIndex::index).toList());
        }
        while (at < end && !stopped.test(at)) {
            if (at > listed.chunkAddress() && chunk.beginsChunk(at)) {
                listed.fault(listed.address(), "ends behind its chunk: end=" + end + ", expected=" + at);
                end = at;
            } else {
                chunk.read(at);
                at += PageDescriptor.PAGE_LENGTH;
            }
        }
        before = chunk.whole();
        if (!chunk.whole()) {
            totals.add(listed);
            binsEnd = UNKNOWN;
            return;
        }
        if (chunk.continues(end)) {
            listed.fault(listed.address(), "ends before its chunk: end=" + end);
            before = false;
        }
        totals.add(chunk);
        compareTimes();
        for (FoundSource source : chunk.sources()) {
            if (source.records > 0 && listed.source(source.id) == null) {
                listed.fault(listed.address(), "lacks a source: source=" + source.id + ", records=" + source.records);
            }
        }
        for (ListedSource source : listed.sources()) {
            compare(source);
        }
        compareBins();
    }

    private void compareTimes() {
        compare(listed.address(), "first time", listed.firstTimeNs(), chunk.firstTimeNs());
        compare(listed.address(), "last time", listed.lastTimeNs(), chunk.lastTimeNs());
    }

    private void compare(long part, String what, long value, long expected) {
        if (value != expected) {
            listed.fault(part, "differs: " + what + "=" + value + ", expected=" + expected);
        }
    }

    private void compare(ListedSource source) {
        FoundSource found = chunk.source(source.id());
        if (found == null) {
            listed.fault(source.part(), "lists a source that is not there: source=" + source.id());
            return;
        }
        String of = "source=" + source.id() + ", ";
        compare(source.part(), of + "records", source.records(), found.records);
        compare(source.part(), of + "bytes", source.bytes(), found.bytes);
        compare(source.part(), of + "first time", source.firstTimeNs(), found.firstTimeNs);
        compare(source.part(), of + "last time", source.lastTimeNs(), found.lastTimeNs);
        compare(source.part(), of + "last record", source.lastRecord(), found.lastRecord);
    }

    /** Compares the indexes, whose bins follow each other in the order in which they are listed. */
    private void compareBins() {
        long begin = listed.binsBegin();
        boolean follows =
                binsEnd == UNKNOWN || begin == binsEnd || (begin > binsEnd && PageDescriptor.offsetInPage(begin) == 0);
        if (!follows) {
            listed.fault(listed.address(), "has its bins elsewhere: begin=" + begin + ", expected=" + binsEnd);
        }
        long end = listed.complete() ? begin : UNKNOWN;
        for (ListedSource source : listed.sources()) {
            for (ListedIndex index : source.indexes()) {
                ActiveIndex filled = chunk.source(source.id()) == null ? null : chunk.filled(index.index());
                long behind =
                        summaries.compare(index.index(), filled, index.summary(), index.part(), listed.chunkAddress());
                if (behind != 0 && end != UNKNOWN && !follows(index.summary().binsAddress(), end)) {
                    listed.fault(
                            index.part(),
                            "passes over bins: index=" + index.index().id() + ", address="
                                    + index.summary().binsAddress() + ", expected=" + end);
                }
                end = behind == SummaryComparison.UNKNOWN || end == UNKNOWN ? UNKNOWN : Math.max(end, behind);
            }
        }
        if (end != UNKNOWN) {
            compare(listed.address(), "end of its bins", listed.binsEnd(), end);
        }
        binsEnd = end == UNKNOWN ? UNKNOWN : listed.binsEnd();
    }

    /** Whether bins follow others, or begin a later page. */
    private static boolean follows(long address, long end) {
        return address == end
                || (address > end && PageDescriptor.offsetInPage(address) == PageDescriptor.HEADER_LENGTH);
    }

    @Override
    public void close() {
        reader.close();
        probe.close();
        chunk.close();
    }
}
