package dev.loom.index;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import java.util.function.LongConsumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads bins from the chunk index by their addresses. For one thread. */
public final class ChunkIndexReader implements AutoCloseable {
    private final long tail;
    private final PageReader pages;
    private int binsOffset;
    private int binsLength;
    private long entryEnd;
    private long reads;
    private boolean strict;

    /** @param tail the snapshot's end of the chunk index */
    public ChunkIndexReader(LogView view, long tail) {
        // the bins of neighbouring chunks share a page, so a block of pages would save little
        this.pages = new PageReader(view, 1);
        this.tail = tail;
    }

    /** From now on a page that the disk can't deliver is a failure, not damage. */
    public void failUnreadable() {
        strict = true;
    }

    private PageState page(long pageAddress) {
        return strict ? pages.readOrFail(pageAddress, tail) : pages.read(pageAddress, tail);
    }

    /**
     * Reads the bins of an index in a chunk.
     *
     * @param address the address from the chunk's directory
     * @return false if they can't be read; the chunk then has to be scanned
     */
    public boolean read(long address, long chunkAddress, int indexId) {
        return read(address, chunkAddress, indexId, BinsEntryDescriptor.BINS);
    }

    /** As {@link #read(long, long, int)}, of an index by keys: what {@link KeyedBinsDescriptor} describes. */
    public boolean readKeyed(long address, long chunkAddress, int indexId) {
        return read(address, chunkAddress, indexId, BinsEntryDescriptor.KEYED_BINS);
    }

    private boolean read(long address, long chunkAddress, int indexId, int type) {
        reads++;
        if (address < 0 || address >= tail || page(PageDescriptor.pageAddress(address)) != PageState.PRESENT) {
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
        boolean ours = buffer.getByte(at + BinsEntryDescriptor.TYPE_OFFSET) == type
                && buffer.getLong(at + BinsEntryDescriptor.CHUNK_OFFSET) == chunkAddress
                && buffer.getInt(at + BinsEntryDescriptor.INDEX_OFFSET) == indexId;
        if (!fits || !ours) {
            return false;
        }
        binsOffset = at + BinsEntryDescriptor.BINS_OFFSET;
        binsLength = length;
        entryEnd = address + BinsEntryDescriptor.alignedLength(length);
        return true;
    }

    /** How often bins were asked for: as long as it is the same, the bins last read are still here. */
    public long reads() {
        return reads;
    }

    /** The address after the bins last read. */
    public long end() {
        return entryEnd;
    }

    /** Whether an address is within the chunk index. */
    public boolean contains(long address) {
        return address >= 0 && address < tail;
    }

    /** Whether the page at an address can be read. */
    public boolean readable(long address) {
        return contains(address) && pages.read(PageDescriptor.pageAddress(address), tail) == PageState.PRESENT;
    }

    /** Whether an entry begins at an address, after those before it in its page. */
    public boolean begins(long address) {
        if (!readable(address)) {
            return false;
        }
        int wanted = PageDescriptor.offsetInPage(address);
        int at = PageDescriptor.HEADER_LENGTH;
        while (at < wanted
                && BinsEntryDescriptor.possible(pages.buffer(), pages.pageOffset() + at, pages.used() - at)) {
            at += pages.buffer().getInt(pages.pageOffset() + at + BinsEntryDescriptor.LENGTH_OFFSET);
        }
        return at == wanted && at < pages.used();
    }

    /**
     * Passes the entries of a page.
     *
     * @param malformed receives the address after which no entry can be told from another
     * @return the number of entries
     */
    public int check(long pageAddress, LongConsumer malformed) {
        int entries = 0;
        if (!readable(pageAddress)) {
            return entries;
        }
        int at = PageDescriptor.HEADER_LENGTH;
        while (at < pages.used()) {
            int offset = pages.pageOffset() + at;
            if (!BinsEntryDescriptor.possible(pages.buffer(), offset, pages.used() - at)) {
                malformed.accept(pageAddress + at);
                return entries;
            }
            boolean later = PageDescriptor.minor(pages.buffer(), pages.pageOffset()) > PageDescriptor.MINOR;
            if (!later && !BinsEntryDescriptor.isWhole(pages.buffer(), offset)) {
                malformed.accept(pageAddress + at);
            }
            entries++;
            at += pages.buffer().getInt(offset + BinsEntryDescriptor.LENGTH_OFFSET);
        }
        return entries;
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
