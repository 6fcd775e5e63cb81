package dev.loom.query;

import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.query.Completeness.Limit;
import dev.loom.record.Chunks;
import dev.loom.record.PageRecords;

/**
 * Moves through the records of one source, chunk by chunk and page by page, in the direction in which the chunks are
 * walked. For one thread.
 */
final class ChunkRecords {
    /** As many records as a page can hold. */
    private static final int RECORDS_MAX = 4096;

    private final Chunks chunks;
    private final PageRecords page;
    private final ScanLimits limits;
    private final int[] offsets = new int[RECORDS_MAX];

    private boolean inChunk;
    /** Of the chunk, the page read. */
    private long current = -1;

    private int left;
    private long next;
    private boolean listed;
    private long pagesDamaged;
    private long pagesConsidered;
    private boolean expired;
    private Limit limit = Limit.NONE;

    ChunkRecords(Chunks chunks, PageRecords page, ScanLimits limits) {
        this.chunks = chunks;
        this.page = page;
        this.limits = limits;
    }

    /** Moves to the record before; false when there is none. The chunks are descending. */
    boolean previous() {
        while (limit == Limit.NONE) {
            if (listed) {
                if (followChain()) {
                    return true;
                }
            } else if (left > 0) {
                if (page.seek(current + offsets[--left])) {
                    return true;
                }
            } else if (!previousPage()) {
                return false;
            }
        }
        return false;
    }

    /** One step back along the source's chain in the chunk; false at its end. */
    private boolean followChain() {
        long address = next;
        long pageAddress = PageDescriptor.pageAddress(address);
        if (address < chunks.start()) {
            listed = false;
            inChunk = false;
            return false;
        }
        if (pageAddress != current && !read(pageAddress)) {
            // the chunk's pages below may still be whole
            listed = false;
            return false;
        }
        boolean there = page.seek(address);
        // a record that can't be had, such as a jumbo with a damaged page, still links to the one before it
        next = page.back() > 0 && page.address() == address ? address - page.back() : -1;
        return there;
    }

    private boolean previousPage() {
        if (!inChunk) {
            if (!chunks.next()) {
                return false;
            }
            inChunk = true;
            listed = chunks.listed();
            next = chunks.lastRecord();
            current = -1;
            if (listed) {
                return true;
            }
            current = PageDescriptor.pageAddress(chunks.end() + PageDescriptor.PAGE_LENGTH - 1);
        }
        long address = current - PageDescriptor.PAGE_LENGTH;
        if (address < chunks.start()) {
            inChunk = false;
            return true;
        }
        if (read(address)) {
            while (page.next()) {
                offsets[left++] = (int) (page.address() - address);
            }
        }
        current = address;
        return true;
    }

    /** Moves to the next record; false when there is none. The chunks are ascending. */
    boolean next() {
        while (current < 0 || !page.next()) {
            if (limit != Limit.NONE || !nextPage()) {
                return false;
            }
        }
        return true;
    }

    private boolean nextPage() {
        if (!inChunk) {
            if (!chunks.next()) {
                current = -1;
                return false;
            }
            inChunk = true;
            next = chunks.start();
        }
        if (next >= chunks.end()) {
            inChunk = false;
            current = -1;
            return true;
        }
        long address = next;
        next += PageDescriptor.PAGE_LENGTH;
        if (!read(address)) {
            current = -1;
        }
        return true;
    }

    private boolean read(long address) {
        limit = limits.check(page.bytesRead() + chunks.bytesRead());
        if (limit != Limit.NONE) {
            return false;
        }
        pagesConsidered++;
        PageState state = page.read(address);
        current = address;
        if (state == PageState.DAMAGED) {
            pagesDamaged++;
        }
        expired |= state == PageState.EXPIRED;
        return state == PageState.PRESENT;
    }

    /** Why it stopped early. */
    Limit limit() {
        return limit;
    }

    long pagesDamaged() {
        return pagesDamaged;
    }

    long pagesConsidered() {
        return pagesConsidered;
    }

    boolean expired() {
        return expired;
    }
}
