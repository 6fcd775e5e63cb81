package dev.loom.record;

import dev.loom.log.PageDescriptor;
import dev.loom.value.RecordBatch;

/**
 * Walks records newest first within each part: along the source's chain if a directory gives the chain's end, else page
 * by page. The chunks may come in either order.
 */
public final class BackwardRecords extends RecordWalk {
    /** The most records in a page. */
    private static final int RECORDS_MAX = 4096;

    /** The offsets of a page's records, for a page that no chain leads through. */
    private final int[] offsets = new int[RECORDS_MAX];

    private int left;
    private boolean inPart;
    private boolean chained;
    /** The current page, or -1. */
    private long currentPageAddress = -1;
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
                if (page.seek(currentPageAddress + offsets[--left])) {
                    return true;
                }
            } else if (!previousPage()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Fills the batch with the source's records before the current one in its page, as far as there is room; false if
     * {@link #next()} must read the next record.
     */
    @Override
    public boolean next(RecordBatch batch) {
        if (!chained || ended()) {
            return false;
        }
        nextRecord = page.previous(nextRecord, batch);
        return batch.count() > 0;
    }

    /** Goes one step back along the source's chain in the chunk; false at its end. */
    private boolean followChain() {
        long address = nextRecord;
        long pageAddress = PageDescriptor.pageAddress(address);
        if (address < chunks.start()) {
            chained = false;
            inPart = false;
            return false;
        }
        if (pageAddress != currentPageAddress) {
            currentPageAddress = pageAddress;
            if (!read(pageAddress)) {
                // the chunk's lower pages may still be intact
                chained = false;
                return false;
            }
        }
        boolean there = page.seek(address);
        // an unreadable record, such as a jumbo with a damaged page, still links to the one before it
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
            currentPageAddress = -1;
            if (chained) {
                return true;
            }
            currentPageAddress = PageDescriptor.pageAddress(chunks.end() + PageDescriptor.PAGE_LENGTH - 1);
        }
        currentPageAddress -= PageDescriptor.PAGE_LENGTH;
        if (currentPageAddress < chunks.start()) {
            inPart = false;
            return true;
        }
        if (read(currentPageAddress)) {
            while (page.next()) {
                offsets[left++] = (int) (page.address() - currentPageAddress);
            }
        }
        return true;
    }
}
