package dev.loom.record;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Watermarks;
import java.util.Arrays;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries of the timestamp index, at an address or sequentially in either direction. Skips damaged pages, and the
 * gap of an index that is being rebuilt; callers that care compare the chunks' addresses. For one thread.
 */
public final class DirectoryReader implements AutoCloseable {
    private static final int ENTRIES_MAX =
            (PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH) / TimeEntryDescriptor.LIST_OFFSET;

    private final LogView view;
    private final long begin;
    private final long gapBegin;
    private final long gapEnd;
    private final long tail;
    private final PageReader pages;
    private final int[] offsets = new int[ENTRIES_MAX];
    private final Varint.Reader varints;

    /** Empty unless the index is damaged. */
    private final LongHashSet rejected = new LongHashSet();

    private boolean strict;
    private long pageAddress = -1;
    private int entries;
    private int current;
    private UnsafeBuffer buffer;
    private int entry;
    private int length;
    private byte type;
    private byte flags;
    private long chunkAddress;
    private int chunkPages;
    private long firstTimeNs;
    private long lastTimeNs;

    private int listedRecords;
    private long listedBytes;
    private long listedFirstTimeNs;
    private long listedLastTimeNs;
    private long listedLastRecord;
    private long listedPrevious;
    private int listedIndexes;
    private @Nullable DirectoryReader following;

    /** @param tail the snapshot's end of the index */
    public DirectoryReader(LogView view, long tail) {
        this(view, tail, PageReader.BLOCK_PAGES);
    }

    /** @param blockPages as for {@link PageReader#PageReader(LogView, int)} */
    DirectoryReader(LogView view, long tail, int blockPages) {
        this.view = view;
        this.pages = new PageReader(view, blockPages);
        Watermarks watermarks = view.watermarks();
        this.begin = watermarks.beginAcquire();
        this.gapBegin = watermarks.gapBeginAcquire();
        this.gapEnd = watermarks.gapEnd();
        this.tail = tail;
        this.buffer = pages.buffer();
        this.varints = new Varint.Reader(buffer);
    }

    /** From now on a page that the disk can't deliver is a failure, not damage to skip. */
    void failUnreadable() {
        strict = true;
    }

    /** Whether there is a gap below the end. */
    boolean hasGap() {
        return gapBegin < gapEnd && gapEnd <= tail;
    }

    /** Whether an address lies in the gap; a walk that arrives there continues with {@link #toGap()}. */
    boolean inGap(long address) {
        return address >= gapBegin && address < gapEnd;
    }

    /**
     * Entries before the gap describe records below this address, those after it records from here on. The former, once
     * complete, end with a checkpoint that ends here.
     */
    long rebuildTo() {
        return view.watermarks().rebuildTo();
    }

    /** Moves into the gap, between the entries before and after it. */
    void toGap() {
        pageAddress = gapEnd;
        entries = 0;
        current = -1;
    }

    /** Moves before the first entry after the gap. */
    void toGapEnd() {
        pageAddress = gapBegin - PageDescriptor.PAGE_LENGTH;
        entries = 0;
        current = 0;
    }

    private long pageAfter(long address) {
        long after = address + PageDescriptor.PAGE_LENGTH;
        return inGap(after) ? gapEnd : after;
    }

    private long pageBefore(long address) {
        long before = address - PageDescriptor.PAGE_LENGTH;
        return inGap(before) ? gapBegin - PageDescriptor.PAGE_LENGTH : before;
    }

    /** Moves before the first entry. */
    public void toBegin() {
        pageAddress = begin - PageDescriptor.PAGE_LENGTH;
        entries = 0;
        current = 0;
    }

    /** Moves after the last entry. */
    public void toEnd() {
        pageAddress = PageDescriptor.pageAddress(tail + PageDescriptor.PAGE_LENGTH - 1);
        entries = 0;
        current = -1;
    }

    /** Moves to the next entry; false after the last. */
    public boolean next() {
        current++;
        while (current >= entries) {
            long after = pageAfter(pageAddress);
            if (after >= tail) {
                current = entries;
                return false;
            }
            load(after);
            current = 0;
        }
        place();
        return true;
    }

    /** Moves to the previous entry; false before the first. */
    public boolean previous() {
        current--;
        while (current < 0) {
            long before = pageBefore(pageAddress);
            if (before < begin) {
                current = -1;
                return false;
            }
            load(before);
            current = entries - 1;
        }
        place();
        return true;
    }

    /** Moves to the entry at an address. False if it can't be read; the position is then lost. */
    public boolean seek(long address) {
        if (address < begin || address >= tail || inGap(address)) {
            return false;
        }
        load(PageDescriptor.pageAddress(address));
        int offset = PageDescriptor.offsetInPage(address);
        // a source's directories are usually adjacent
        boolean before = current > 0 && current <= entries && offsets[current - 1] == offset;
        int found = before ? current - 1 : Arrays.binarySearch(offsets, 0, entries, offset);
        if (found < 0) {
            current = entries;
            return false;
        }
        current = found;
        place();
        return true;
    }

    /**
     * Moves to the last entry whose chunk begins before a time, by binary search over the pages.
     *
     * @return false if there is none; the position is then before the first entry
     */
    public boolean seekBefore(long timeNs) {
        long low = begin;
        long high = withoutGap(PageDescriptor.pageAddress(tail + PageDescriptor.PAGE_LENGTH - 1));
        while (high - low > PageDescriptor.PAGE_LENGTH) {
            long middle = PageDescriptor.pageAddress((low + high) >>> 1);
            long good = middle;
            load(withGap(good));
            while (entries == 0 && good - PageDescriptor.PAGE_LENGTH > low) {
                good -= PageDescriptor.PAGE_LENGTH;
                load(withGap(good));
            }
            if (entries == 0) {
                low = middle;
            } else if (baseTimeNs() < timeNs) {
                low = middle;
            } else {
                high = good;
            }
        }
        pageAddress = withGap(high);
        entries = 0;
        current = -1;
        while (previous()) {
            if (firstTimeNs() < timeNs) {
                return true;
            }
        }
        return false;
    }

    /** Maps an address to one without the gap, for binary search. */
    private long withoutGap(long address) {
        return address >= gapEnd ? address - (gapEnd - gapBegin) : address;
    }

    private long withGap(long address) {
        return address >= gapBegin ? address + (gapEnd - gapBegin) : address;
    }

    private long baseTimeNs() {
        return PageDescriptor.baseTimeNs(buffer, pages.pageOffset());
    }

    private void load(long address) {
        if (address == pageAddress && entries > 0) {
            return;
        }
        pageAddress = address;
        entries = 0;
        if (pages.read(address, tail) != PageState.PRESENT) {
            if (strict) {
                pages.checkReadable();
            }
            return;
        }
        buffer = pages.buffer();
        int used = pages.used();
        int offset = PageDescriptor.HEADER_LENGTH;
        while (offset + TimeEntryDescriptor.LIST_OFFSET <= used) {
            int length = buffer.getInt(pages.pageOffset() + offset + TimeEntryDescriptor.LENGTH_OFFSET);
            if (length < TimeEntryDescriptor.LIST_OFFSET
                    || length % TimeEntryDescriptor.ALIGNMENT != 0
                    || length > used - offset) {
                break;
            }
            if (possible(pages.pageOffset() + offset) && (rejected.isEmpty() || !rejected.contains(address + offset))) {
                offsets[entries++] = offset;
            }
            offset += length;
        }
    }

    /**
     * Rejects the current entry, whose contents are impossible, as if it did not exist; the next move starts from its
     * place.
     *
     * @param forward whether the next move is to the following entry, rather than the previous one
     */
    void reject(boolean forward) {
        rejected.add(address());
        System.arraycopy(offsets, current + 1, offsets, current, entries - current - 1);
        entries--;
        current -= forward ? 1 : 0;
    }

    /** The number of rejected entries. */
    int rejected() {
        return rejected.size();
    }

    /** Whether an entry's contents are possible; others are treated as absent. */
    private boolean possible(int at) {
        byte typeAt = buffer.getByte(at + TimeEntryDescriptor.TYPE_OFFSET);
        int chunkPagesAt = buffer.getInt(at + TimeEntryDescriptor.PAGES_OFFSET);
        boolean listable = typeAt == TimeEntryDescriptor.CHECKPOINT
                || (typeAt == TimeEntryDescriptor.DIRECTORY
                        && chunkPagesAt > 0
                        && chunkPagesAt <= RecordDescriptor.CHUNK_PAGES_MAX);
        return listable && PageDescriptor.isPage(buffer.getLong(at + TimeEntryDescriptor.ADDRESS_OFFSET));
    }

    /** Reads an entry's header once, since walks use it several times. */
    private void place() {
        entry = pages.pageOffset() + offsets[current];
        length = buffer.getInt(entry + TimeEntryDescriptor.LENGTH_OFFSET);
        type = buffer.getByte(entry + TimeEntryDescriptor.TYPE_OFFSET);
        flags = buffer.getByte(entry + TimeEntryDescriptor.FLAGS_OFFSET);
        chunkAddress = buffer.getLong(entry + TimeEntryDescriptor.ADDRESS_OFFSET);
        chunkPages = buffer.getInt(entry + TimeEntryDescriptor.PAGES_OFFSET);
        firstTimeNs = buffer.getLong(entry + TimeEntryDescriptor.FIRST_TIME_OFFSET);
        lastTimeNs = buffer.getLong(entry + TimeEntryDescriptor.LAST_TIME_OFFSET);
    }

    /** The current entry's address. */
    public long address() {
        return pageAddress + offsets[current];
    }

    /** Bytes of the current entry. */
    public int length() {
        return length;
    }

    public boolean isDirectory() {
        return type == TimeEntryDescriptor.DIRECTORY;
    }

    public boolean isCheckpoint() {
        return type == TimeEntryDescriptor.CHECKPOINT;
    }

    /** Whether it is the last part of its directory or checkpoint. */
    public boolean isLastPart() {
        return (flags & TimeEntryDescriptor.FLAG_LAST) != 0;
    }

    /** Whether it is the first part. */
    public boolean isFirstPart() {
        return (flags & TimeEntryDescriptor.FLAG_FIRST) != 0;
    }

    /** The chunk's address for a directory; the address below which all is counted for a checkpoint. */
    public long chunkAddress() {
        return chunkAddress;
    }

    /** The number of a directory's chunk's pages. */
    public int chunkPages() {
        return chunkPages;
    }

    /** The chunk's end address. */
    public long chunkEnd() {
        return chunkAddress + (long) chunkPages * PageDescriptor.PAGE_LENGTH;
    }

    /** The number of this part of a directory or checkpoint. */
    long part() {
        return isDirectory()
                ? buffer.getInt(entry + TimeEntryDescriptor.DIRECTORY_PART_OFFSET)
                : buffer.getLong(entry + TimeEntryDescriptor.CHECKPOINT_PART_OFFSET);
    }

    /** The time of the chunk's first record; for a checkpoint, of the last record below it. */
    public long firstTimeNs() {
        return firstTimeNs;
    }

    /** The time of a directory's chunk's last record. */
    public long lastTimeNs() {
        return lastTimeNs;
    }

    /** The number of sources that the current part lists. */
    int listed() {
        return buffer.getShort(entry + TimeEntryDescriptor.SOURCES_OFFSET) & 0xffff;
    }

    private void wrapList() {
        varints.wrap(buffer, entry + TimeEntryDescriptor.LIST_OFFSET, entry + length);
    }

    /** The end address, in the chunk index, of a directory's bins. */
    public long binsEnd() {
        return buffer.getLong(entry + TimeEntryDescriptor.BINS_END_OFFSET);
    }

    /**
     * Looks up a source in a directory part; if found, sets the {@code listed...} values. A part that only continues
     * its indexes does not count.
     */
    public boolean find(int sourceId) {
        if (!isDirectory()) {
            return false;
        }
        wrapList();
        for (int i = listed(); i > 0; i--) {
            if (nextListed() == sourceId && listedRecords > 0) {
                return true;
            }
            varints.offset(indexesEnd());
        }
        return false;
    }

    /**
     * Reads the chunk's summary of an index of the found source.
     *
     * @return false if the directory does not list the index, which may then lack records of the chunk
     */
    public boolean summary(int sourceId, int indexId, ValueType type, IndexSummary into) {
        if (summaryHere(indexId, type, into)) {
            return true;
        }
        // a source's indexes continue in the next part only if it is the last source of this one
        boolean more = !isLastPart() && varints.limit() - indexesEnd() < TimeEntryDescriptor.ALIGNMENT;
        return more && following().goesOn(address(), sourceId) && following().summary(sourceId, indexId, type, into);
    }

    private boolean summaryHere(int indexId, ValueType type, IndexSummary into) {
        int limit = varints.limit();
        int at = varints.offset();
        long before = TimeEntryDescriptor.beforeBins(buffer.getLong(entry + TimeEntryDescriptor.BINS_BEGIN_OFFSET));
        for (int i = listedIndexes; i > 0; i--) {
            int lengths = IndexSummaryCodec.lengths(buffer, at, limit);
            if (IndexSummaryCodec.indexId(buffer, at, limit, lengths) == indexId) {
                IndexSummaryCodec.read(buffer, at, limit, lengths, type, before, into);
                return true;
            }
            before += IndexSummaryCodec.binsDistance(buffer, at, limit, lengths);
            at += IndexSummaryCodec.summaryLength(lengths);
        }
        return false;
    }

    /** The end offset of the indexes of the source read last. */
    private int indexesEnd() {
        int limit = varints.limit();
        int at = varints.offset();
        for (int i = listedIndexes; i > 0; i--) {
            at += IndexSummaryCodec.summaryLength(IndexSummaryCodec.lengths(buffer, at, limit));
        }
        return at;
    }

    private DirectoryReader following() {
        DirectoryReader reader = following;
        if (reader == null) {
            reader = new DirectoryReader(view, tail, 1);
            following = reader;
        }
        return reader;
    }

    /** Moves to the part after the one at an address; returns whether it continues the indexes of a source. */
    private boolean goesOn(long partAddress, int sourceId) {
        if (!seek(partAddress) || !isDirectory()) {
            return false;
        }
        long chunkAddress = chunkAddress();
        long part = part();
        if (!next() || !isDirectory() || chunkAddress() != chunkAddress || part() != part + 1 || listed() == 0) {
            return false;
        }
        wrapList();
        return nextListed() == sourceId && listedRecords == 0;
    }

    /**
     * Reads the next listed source into the {@code listed...} values, and returns its id. The caller must skip its
     * unread indexes before the next source.
     */
    private int nextListed() {
        int id = nextId();
        listedRecords = (int) varints.next();
        listedBytes = varints.next();
        listedFirstTimeNs = firstTimeNs + varints.next();
        listedLastTimeNs = lastTimeNs - varints.next();
        listedLastRecord = chunkAddress + varints.next() * RecordDescriptor.ALIGNMENT;
        long back = varints.next() * TimeEntryDescriptor.ALIGNMENT;
        listedPrevious = back == 0 ? SourceSlots.NO_DIRECTORY : address() - back;
        if (back < 0 || back > address()) {
            // no entry is at a page's beginning, so a walk of the chain continues entry by entry
            listedPrevious = pageAddress;
        }
        listedIndexes = (int) varints.next();
        return id;
    }

    private int nextId() {
        boolean there = varints.offset() < varints.limit();
        long id = varints.next();
        if (!there || id < 0 || id >= SourceSlots.SOURCES_MAX) {
            throw new CorruptStoreException(
                    "directory lists a source that can't be: address=" + address() + ", source id=" + id);
        }
        return (int) id;
    }

    /** Receives the sources that a directory part lists. */
    public interface DirectoryHandler {
        void onListed(int sourceId, int records, long bytes, long firstTimeNs);
    }

    /**
     * Passes every source that the current directory part lists; a source whose indexes merely continue has 0 records.
     */
    public void forEachListed(DirectoryHandler handler) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = nextListed();
            handler.onListed(id, listedRecords, listedBytes, listedFirstTimeNs);
            varints.offset(indexesEnd());
        }
    }

    /** Receives the sources that a checkpoint part lists. */
    interface CheckpointHandler {
        void onSource(int sourceId, long directoryAddress, long records, long bytes, long lost, long firstTimeNs);
    }

    /** Passes every source that the current checkpoint part lists. */
    void forEachCheckpointed(CheckpointHandler handler) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = nextId();
            long directoryAddress = varints.next() - 1;
            handler.onSource(id, directoryAddress, varints.next(), varints.next(), varints.next(), varints.next());
        }
    }

    /** Looks up a source in the current checkpoint part; if absent, returns false and sets nothing. */
    boolean findCheckpointed(int sourceId, SourceTotals into) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = (int) varints.next();
            long directoryAddress = varints.next() - 1;
            long records = varints.next();
            long bytes = varints.next();
            varints.next();
            long firstNs = varints.next();
            if (id == sourceId) {
                into.directoryAddress = directoryAddress;
                into.records = records;
                into.bytes = bytes;
                into.firstTimeNs = firstNs;
                return true;
            }
        }
        return false;
    }

    /** The number of records of the found source in the chunk. */
    public int listedRecords() {
        return listedRecords;
    }

    /** Payload bytes of the found source in the chunk. */
    public long listedBytes() {
        return listedBytes;
    }

    public long listedFirstTimeNs() {
        return listedFirstTimeNs;
    }

    public long listedLastTimeNs() {
        return listedLastTimeNs;
    }

    /** Address of the found source's last record in the chunk. */
    public long listedLastRecord() {
        return listedLastRecord;
    }

    /** The address of the previous entry that lists the found source, or {@link SourceSlots#NO_DIRECTORY}. */
    public long listedPrevious() {
        return listedPrevious;
    }

    public long bytesRead() {
        DirectoryReader reader = following;
        return pages.bytesRead() + (reader == null ? 0 : reader.bytesRead());
    }

    @Override
    public void close() {
        pages.close();
        DirectoryReader reader = following;
        if (reader != null) {
            reader.close();
        }
    }
}
