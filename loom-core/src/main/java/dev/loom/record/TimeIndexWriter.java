package dev.loom.record;

import dev.loom.api.ValueType;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends entries to the timestamp index (paper, section 4.2, but with directories in place of periodic entries). Owned
 * by the writer's thread.
 */
final class TimeIndexWriter {
    private static final int PAGE_CAPACITY = PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH;

    /** An index takes at most 51 bytes of a directory, so indexes take a fifth of the ring. */
    private static final int RING_BYTES_PER_INDEX = 256;

    private final HybridLog log;
    private final UnsafeBuffer entry = new UnsafeBuffer(new byte[PAGE_CAPACITY]);
    private int length;
    private int listed;
    private long lastTimeNs;

    TimeIndexWriter(HybridLog log) {
        this.log = log;
    }

    /**
     * The most indexes of a store's chunks. With that many, the directory of any chunk, which lists them all and a
     * source for each of its records, fits in the timestamp index's ring beside the open page.
     */
    static int indexesMax(int ringLength) {
        return ringLength / RING_BYTES_PER_INDEX;
    }

    /**
     * The most sources that a store may ever have had. With that many, a checkpoint, which lists them all, fits in the timestamp index's
     * ring beside the open page, so that it can be begun without waiting.
     */
    static int sourcesMax(int ringLength) {
        int pages = ringLength / PageDescriptor.PAGE_LENGTH - 1;
        return TimeEntryDescriptor.listsLengthMax(pages) / TimeEntryDescriptor.CHECKPOINTED_LENGTH_MAX;
    }

    /** As {@link #indexesMax(int)}, for this index's ring. */
    int indexesMax() {
        return indexesMax(log.ringLength());
    }

    /** Whether an entry whose parts' lists take this many bytes in total can be written without waiting. */
    boolean hasRoom(int listsLength) {
        return TimeEntryDescriptor.partsLengthMax(listsLength) <= log.remaining()
                || log.hasRoom(TimeEntryDescriptor.pagesMax(listsLength));
    }

    /** Whether one part can be written without waiting. */
    boolean hasPartRoom() {
        return TimeEntryDescriptor.PART_LENGTH_MAX <= log.remaining() || log.hasRoom(1);
    }

    /** An address behind all entries where none will be: a walk of a chain that leads there continues entry by entry. */
    long noEntry() {
        return log.pageAddress();
    }

    /** Begins an entry, and returns the address that it gets if {@link #end} finds room there. */
    long begin(int type, long address) {
        entry.setMemory(0, TimeEntryDescriptor.LIST_OFFSET, (byte) 0);
        entry.putByte(TimeEntryDescriptor.TYPE_OFFSET, (byte) type);
        entry.putLong(TimeEntryDescriptor.ADDRESS_OFFSET, address);
        length = TimeEntryDescriptor.LIST_OFFSET;
        listed = 0;
        return log.pageOpen() ? log.tail() : log.tail() + PageDescriptor.HEADER_LENGTH;
    }

    void putInt(int offset, int value) {
        entry.putInt(offset, value);
    }

    void putLong(int offset, long value) {
        entry.putLong(offset, value);
    }

    void add(long value) {
        length = Varint.put(entry, length, value);
    }

    /** Adds an index's summary of the chunk. */
    void add(IndexSummary summary, ValueType type, long previousBins) {
        length = IndexSummaryCodec.write(summary, type, previousBins, entry, length);
    }

    /** Whether this many more bytes fit in the part. */
    boolean fits(int bytes) {
        return length + bytes <= TimeEntryDescriptor.PART_LENGTH_MAX;
    }

    /**
     * Ends the list's current source. Returns whether another one of up to {@code lengthMax} bytes fits in the part.
     */
    boolean endListed(int lengthMax) {
        listed++;
        return fits(lengthMax);
    }

    /**
     * Writes the entry; the caller publishes.
     *
     * @return false if the rest of the page was too short; the entry must then be made again for an address in the next
     *     page
     */
    boolean end(boolean first, boolean last, long firstTimeNs, long entryLastTimeNs, long recordAddress) {
        int aligned = (length + TimeEntryDescriptor.ALIGNMENT - 1) & -TimeEntryDescriptor.ALIGNMENT;
        if (!log.pageOpen()) {
            log.beginPage(firstTimeNs, recordAddress, false);
        } else if (aligned > log.remaining()) {
            log.sealPage(lastTimeNs);
            return false;
        }
        byte flags = (byte) ((first ? TimeEntryDescriptor.FLAG_FIRST : 0) | (last ? TimeEntryDescriptor.FLAG_LAST : 0));
        entry.setMemory(length, aligned - length, (byte) 0);
        entry.putInt(TimeEntryDescriptor.LENGTH_OFFSET, aligned);
        entry.putByte(TimeEntryDescriptor.FLAGS_OFFSET, flags);
        entry.putShort(TimeEntryDescriptor.SOURCES_OFFSET, (short) listed);
        log.ring().putBytes(log.offset(), entry, 0, aligned);
        log.advance(aligned);
        lastTimeNs = entryLastTimeNs;
        return true;
    }

    void publish() {
        log.publish();
        log.publishSealed();
    }

    /** Lets snapshots use what was published, once the source slots cover it. */
    void publishCovered() {
        log.publishCovered();
    }

    /** Ends the open page. */
    void seal() {
        log.sealPage(lastTimeNs);
        publish();
    }
}
