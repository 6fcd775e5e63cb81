package dev.loom.record;

import dev.loom.index.ActiveIndex;
import dev.loom.index.ActiveSummary;
import dev.loom.index.ChunkIndexWriter;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the sources of the open chunk and the contents of their indexes; when the chunk is sealed, writes its bins
 * and its directory. Owned by the writer's thread.
 */
final class ChunkDirectory {
    private final TimeIndexWriter index;
    private final ChunkIndexWriter bins;
    private final SourceSlots slots;
    private final IndexSummary totals = new IndexSummary();
    private SourceState[] listed = new SourceState[16];
    private int count;
    /** The number of indexes of all listed sources. */
    private int indexes;

    /** The begin of the bins of the directory being written. */
    private long binsBegin;

    /** The next index of the source being listed. */
    private int nextIndex;

    ChunkDirectory(TimeIndexWriter index, ChunkIndexWriter bins, SourceSlots slots) {
        this.index = index;
        this.bins = bins;
        this.slots = slots;
    }

    /** Notes a source's first record in the chunk. If that fails, nothing has changed. */
    void add(SourceState source, long chunkAddress, long timeNs) {
        if (count == listed.length) {
            listed = Arrays.copyOf(listed, count * 2);
        }
        // this may exceed the open ones: some were closed since the chunk began, others defined
        source.summary.begin(chunkAddress, RecordDescriptor.HEADER_LENGTH, index.indexesMax() - indexes);
        source.indexed = source.summary.count() > 0;
        source.chunkAddress = chunkAddress;
        source.chunkRecords = 0;
        source.chunkBytes = 0;
        source.chunkFirstTimeNs = timeNs;
        indexes += source.summary.count();
        listed[count++] = source;
    }

    /** Counts the record that a reader stands on. */
    void count(SourceState source, long chunkAddress, PageRecords record) {
        if (source.chunkAddress != chunkAddress) {
            add(source, chunkAddress, record.timeNs());
        }
        source.chunkRecords++;
        source.chunkBytes += record.length();
        source.lastAddress = record.address();
        source.lastTimeNs = record.timeNs();
        if (source.indexed) {
            source.summary.add(record.buffer(), record.offset(), record.length(), record.address());
        }
    }

    /** Drops the counts of the chunk. */
    void forget() {
        for (int i = 0; i < count; i++) {
            listed[i].chunkAddress = -1;
        }
        clear();
    }

    /**
     * Drops the counts of a chunk that the disk does not deliver, and ends the chains of all sources there: any may have records in it
     * that are found once the disk delivers it. A checkpoint must follow before the next directory.
     */
    void leaveOut(@Nullable SourceState[] sources) {
        forget();
        for (SourceState source : sources) {
            if (source != null) {
                source.totals.directoryAddress = index.noEntry();
                slots.put(source.id, source.totals);
            }
        }
    }

    private void clear() {
        count = 0;
        indexes = 0;
    }

    /** The time of the newest record in the chunk, or {@code Long.MIN_VALUE} if it is empty. */
    long lastTimeNs() {
        long last = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            last = Math.max(last, listed[i].lastTimeNs);
        }
        return last;
    }

    /** Whether the directory, with one more source, can be written without waiting. */
    boolean hasRoom() {
        return index.hasRoom(TimeEntryDescriptor.directoryLengthMax(count + 1, indexes));
    }

    /** Waits until directory and bins can be written; a failing disk ends the wait with an exception. */
    void awaitRoom(Backpressure pressure) {
        pressure.awaitOrFail(this::hasRoom);
        pressure.awaitOrFail(this::binsHaveRoom);
    }

    /** Whether the chunk's bins have room. */
    boolean binsHaveRoom() {
        return indexes == 0 || bins.hasRoom(binsLengthMax());
    }

    private long binsLengthMax() {
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            ActiveSummary summary = listed[i].summary;
            summary.complete(listed[i].chunkRecords);
            for (int j = 0; j < summary.count(); j++) {
                bytes += ChunkIndexWriter.lengthMax(summary.index(j));
            }
        }
        return bytes;
    }

    /** Writes and publishes the chunk's bins and directory, then the slots of its sources. Requires room. */
    void write(long chunkAddress, int pages, long firstTimeNs, long lastTimeNs) {
        binsBegin = bins.tail();
        if (indexes > 0) {
            writeBins(chunkAddress, firstTimeNs, lastTimeNs);
        }
        int from = 0;
        int part = 0;
        nextIndex = 0;
        do {
            from = writePart(part++, from, chunkAddress, pages, firstTimeNs, lastTimeNs);
        } while (from < count);
        index.publish();
        for (int i = 0; i < count; i++) {
            slots.put(listed[i].id, listed[i].totals);
        }
        // a snapshot that saw the directory before the slots could not reach the chunk's records
        index.publishCovered();
        clear();
    }

    /** Ends the open pages of both indexes. */
    void seal() {
        bins.seal();
        index.seal();
    }

    private void writeBins(long chunkAddress, long firstTimeNs, long lastTimeNs) {
        for (int i = 0; i < count; i++) {
            ActiveSummary summary = listed[i].summary;
            summary.complete(listed[i].chunkRecords);
            for (int j = 0; j < summary.count(); j++) {
                writeBins(summary.index(j), chunkAddress, firstTimeNs, lastTimeNs);
            }
        }
        bins.publish();
    }

    /** If this fails, for example for lack of memory, the directory is written without the index. */
    private void writeBins(ActiveIndex active, long chunkAddress, long firstTimeNs, long lastTimeNs) {
        long address = IndexSummary.NO_BINS;
        try {
            if (active.isComplete() && active.hasBins()) {
                address = bins.write(active, chunkAddress, firstTimeNs, lastTimeNs);
            }
        } catch (Throwable e) {
            active.spoil();
        }
        active.binsAddress(address);
    }

    /** Returns the next source to list, which is the last one again if not all of its indexes fitted. */
    private int writePart(int part, int from, long chunkAddress, int pages, long firstTimeNs, long lastTimeNs) {
        int firstIndex = nextIndex;
        int to;
        long address;
        do {
            to = from;
            nextIndex = firstIndex;
            address = index.begin(TimeEntryDescriptor.DIRECTORY, chunkAddress);
            index.putInt(TimeEntryDescriptor.PAGES_OFFSET, pages);
            index.putInt(TimeEntryDescriptor.DIRECTORY_PART_OFFSET, part);
            index.putLong(TimeEntryDescriptor.FIRST_TIME_OFFSET, firstTimeNs);
            index.putLong(TimeEntryDescriptor.LAST_TIME_OFFSET, lastTimeNs);
            index.putLong(TimeEntryDescriptor.BINS_BEGIN_OFFSET, binsBegin);
            index.putLong(TimeEntryDescriptor.BINS_END_OFFSET, bins.tail());
            boolean more = true;
            while (more && to < count) {
                more = list(listed[to], address, chunkAddress, firstTimeNs, lastTimeNs);
                to += nextIndex == 0 ? 1 : 0;
            }
        } while (!index.end(part == 0, to == count, firstTimeNs, lastTimeNs, chunkAddress));
        int listedTo = nextIndex == 0 ? to : to + 1;
        for (int i = firstIndex == 0 ? from : from + 1; i < listedTo; i++) {
            SourceState source = listed[i];
            source.totals.add(address, source.chunkRecords, source.chunkBytes, source.chunkFirstTimeNs);
        }
        return to;
    }

    /** Lists a source, with as many of its indexes as fit. Returns whether another source fits in the part. */
    private boolean list(SourceState source, long address, long chunkAddress, long firstTimeNs, long lastTimeNs) {
        boolean again = nextIndex > 0;
        long previous = source.totals.directoryAddress;
        index.add(source.id);
        index.add(again ? 0 : source.chunkRecords);
        index.add(source.chunkBytes);
        index.add(source.chunkFirstTimeNs - firstTimeNs);
        index.add(lastTimeNs - source.lastTimeNs);
        index.add((source.lastAddress - chunkAddress) / RecordDescriptor.ALIGNMENT);
        index.add(previous == SourceSlots.NO_DIRECTORY ? 0 : (address - previous) / TimeEntryDescriptor.ALIGNMENT);
        listIndexes(source.summary);
        return index.endListed(TimeEntryDescriptor.LISTED_INDEXED_LENGTH_MAX) && nextIndex == 0;
    }

    private void listIndexes(ActiveSummary summary) {
        int to = nextIndex;
        int room = 0;
        int complete = 0;
        while (to < summary.count() && index.fits(Varint.LENGTH_MAX + room + IndexSummaryCodec.LENGTH_MAX)) {
            boolean lists = summary.index(to).isComplete();
            complete += lists ? 1 : 0;
            room += lists ? IndexSummaryCodec.LENGTH_MAX : 0;
            to++;
        }
        index.add(complete);
        long before = TimeEntryDescriptor.beforeBins(binsBegin);
        for (int i = nextIndex; i < to; i++) {
            ActiveIndex active = summary.index(i);
            if (active.isComplete()) {
                active.summarize(totals);
                index.add(totals, active.definition().function().type(), before);
                before = totals.binsAddress() == IndexSummary.NO_BINS ? before : totals.binsAddress();
            }
        }
        nextIndex = to < summary.count() ? to : 0;
    }
}
