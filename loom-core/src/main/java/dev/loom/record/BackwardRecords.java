package dev.loom.record;

import dev.loom.index.RecordBatch;
import dev.loom.log.PageDescriptor;

/**
 * Walks over records newest first within each part: along the source's chain where a directory tells its end, else page by
 * page. Its chunks may come in either order.
 */
public final class BackwardRecords extends RecordWalk {
    /** As many records as a page can hold. */
    private static final int RECORDS_MAX = 4096;

    /** Where the records of a page begin that no chain leads through. */
    private final int[] offsets = new int[RECORDS_MAX];

    private int left;
    private boolean inPart;
    private boolean chained;
    /** The page read, or -1. */
    private long currentPage = -1;
    /** The next record of the chain, or -1. */
    private long nextRecord;

    public BackwardRecords(Chunks chunks, PageRecords page, WalkGuide guide) {
        super(chunks, page, guide);
    }

    @Override
    public boolean next() {
        while (!ended()) {
            if (chained) {
                if (followChain()) {
                    return true;
                }
            } else if (left > 0) {
                if (page.seek(currentPage + offsets[--left])) {
                    return true;
                }
            } else if (!previousPage()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Gives the source's records before the current one in its page, at most as many as the batch takes; false when there is
     * none that {@link #next()} need not see.
     */
    @Override
    public boolean next(RecordBatch batch) {
        if (!chained || ended()) {
            return false;
        }
        nextRecord = page.previous(nextRecord, batch);
        return batch.count() > 0;
    }

    /** One step back along the source's chain in the chunk; false at its end. */
    private boolean followChain() {
        long address = nextRecord;
        long pageAddress = PageDescriptor.pageAddress(address);
        if (address < chunks.start()) {
            chained = false;
            inPart = false;
            return false;
        }
        if (pageAddress != currentPage) {
            currentPage = pageAddress;
            if (!read(pageAddress)) {
                // the chunk's pages below may still be whole
                chained = false;
                return false;
            }
        }
        boolean there = page.seek(address);
        // a record that can't be had, such as a jumbo with a damaged page, still links to the one before it
        nextRecord = page.back() > 0 && page.address() == address ? address - page.back() : -1;
        return there;
    }

    private boolean previousPage() {
        if (!inPart) {
            if (!nextPart()) {
                return false;
            }
            inPart = true;
            chained = chunks.listed();
            nextRecord = chunks.lastRecord();
            currentPage = -1;
            if (chained) {
                return true;
            }
            currentPage = PageDescriptor.pageAddress(chunks.end() + PageDescriptor.PAGE_LENGTH - 1);
        }
        currentPage -= PageDescriptor.PAGE_LENGTH;
        if (currentPage < chunks.start()) {
            inPart = false;
            return true;
        }
        if (read(currentPage)) {
            while (page.next()) {
                offsets[left++] = (int) (page.address() - currentPage);
            }
        }
        return true;
    }
}
