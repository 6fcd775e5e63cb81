package dev.loom.index;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads bins from the chunk index by their addresses. For one thread. */
public final class ChunkIndexReader implements AutoCloseable {
    private final long tail;
    private final PageReader pages;
    private int binsOffset;
    private int binsLength;

    /** @param tail the snapshot's end of the chunk index */
    public ChunkIndexReader(LogView view, long tail) {
        // the bins of neighbouring chunks share a page, so a block of pages would save little
        this.pages = new PageReader(view, 1);
        this.tail = tail;
    }

    /**
     * Reads the bins of an index in a chunk.
     *
     * @param address the address from the chunk's directory
     * @return false if they can't be read; the chunk then has to be scanned
     */
    public boolean read(long address, long chunkAddress, int indexId) {
        if (address < 0
                || address >= tail
                || pages.read(PageDescriptor.pageAddress(address), tail) != PageState.PRESENT) {
            return false;
        }
        UnsafeBuffer buffer = pages.buffer();
        int at = pages.pageOffset() + PageDescriptor.offsetInPage(address);
        int end = pages.pageOffset() + pages.used();
        if (at % BinsEntryDescriptor.ALIGNMENT != 0 || at + BinsEntryDescriptor.BINS_OFFSET > end) {
            return false;
        }
        int length = buffer.getInt(at + BinsEntryDescriptor.BINS_LENGTH_OFFSET);
        boolean fits = length >= 0 && length <= end - at - BinsEntryDescriptor.BINS_OFFSET;
        boolean ours = buffer.getByte(at + BinsEntryDescriptor.TYPE_OFFSET) == BinsEntryDescriptor.BINS
                && buffer.getLong(at + BinsEntryDescriptor.CHUNK_OFFSET) == chunkAddress
                && buffer.getInt(at + BinsEntryDescriptor.INDEX_OFFSET) == indexId;
        if (!fits || !ours) {
            return false;
        }
        binsOffset = at + BinsEntryDescriptor.BINS_OFFSET;
        binsLength = length;
        return true;
    }

    /** The buffer that holds the bins last read, until the next are. */
    public DirectBuffer buffer() {
        return pages.buffer();
    }

    public int offset() {
        return binsOffset;
    }

    public int length() {
        return binsLength;
    }

    public long bytesRead() {
        return pages.bytesRead();
    }

    @Override
    public void close() {
        pages.close();
    }
}
