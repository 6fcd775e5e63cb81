package dev.loom.index;

import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends the bins of sealed chunks to the chunk index (paper, section 4.2). Never waits: it leaves out bins that have
 * no room, and queries then scan the chunk. Owned by the writer's thread.
 */
public final class ChunkIndexWriter {
    private static final int SCRATCH_MIN = 4096;

    private final HybridLog log;
    private final BinListWriter bins = new BinListWriter();
    private UnsafeBuffer entry = new UnsafeBuffer(new byte[SCRATCH_MIN]);
    private long lastTimeNs;

    public ChunkIndexWriter(HybridLog log) {
        this.log = log;
    }

    /**
     * Whether entries of {@code bytes} in total can be written. Asks for at most half the ring's pages, since more than
     * the ring could never be granted; bins beyond that are left out when they are written, unless there is room then.
     */
    public boolean hasRoom(long bytes) {
        // an entry may leave as much of a page empty as its own length
        long pages = 1 + bytes / (BinsEntryDescriptor.LENGTH_MAX / 2);
        return bytes <= log.remaining()
                || log.hasRoom((int) Math.min(pages, log.ringLength() / PageDescriptor.PAGE_LENGTH / 2));
    }

    /** The most bytes that an index's bins take at present. */
    public static int lengthMax(ActiveIndex index) {
        return Math.min(BinsEntryDescriptor.alignedLength(index.binsLengthMax()), BinsEntryDescriptor.LENGTH_MAX);
    }

    /** The address of the next entry, if it directly follows the last one. */
    public long tail() {
        return log.tail();
    }

    /**
     * Writes the bins of an index in a chunk; {@link #publish()} makes them visible.
     *
     * @return their address, or {@link IndexSummary#NO_BINS} if there is no room
     */
    public long write(ActiveIndex index, long chunkAddress, long firstTimeNs, long chunkLastTimeNs) {
        int needed = BinsEntryDescriptor.BINS_OFFSET + index.binsLengthMax() + BinsEntryDescriptor.ALIGNMENT;
        if (entry.capacity() < needed) {
            entry = new UnsafeBuffer(new byte[2 * needed]);
        }
        int end = index.encodeBins(bins, entry, BinsEntryDescriptor.BINS_OFFSET);
        int aligned = BinsEntryDescriptor.alignedLength(end - BinsEntryDescriptor.BINS_OFFSET);
        if (aligned > BinsEntryDescriptor.LENGTH_MAX || !makeRoom(aligned, chunkAddress, firstTimeNs)) {
            return IndexSummary.NO_BINS;
        }
        entry.setMemory(end, aligned - end, (byte) 0);
        entry.putLong(BinsEntryDescriptor.LENGTH_OFFSET, aligned);
        boolean keyed = index.definition().key() != null;
        entry.putByte(BinsEntryDescriptor.TYPE_OFFSET, (byte)
                (keyed ? BinsEntryDescriptor.KEYED_BINS : BinsEntryDescriptor.BINS));
        entry.putLong(BinsEntryDescriptor.CHUNK_OFFSET, chunkAddress);
        entry.putInt(BinsEntryDescriptor.INDEX_OFFSET, index.definition().id());
        entry.putInt(BinsEntryDescriptor.BINS_LENGTH_OFFSET, end - BinsEntryDescriptor.BINS_OFFSET);
        long address = log.tail();
        log.ring().putBytes(log.offset(), entry, 0, aligned);
        log.advance(aligned);
        lastTimeNs = chunkLastTimeNs;
        return address;
    }

    private boolean makeRoom(int aligned, long chunkAddress, long firstTimeNs) {
        if (aligned <= log.remaining()) {
            return true;
        }
        if (!log.hasRoom(1)) {
            return false;
        }
        log.sealPage(lastTimeNs);
        log.beginPage(firstTimeNs, chunkAddress, false);
        return true;
    }

    /** Makes the written bins visible. */
    public void publish() {
        log.publish();
        log.publishSealed();
    }

    /** Ends the open page. */
    public void seal() {
        log.sealPage(lastTimeNs);
        publish();
    }
}
