package dev.loom.record;

import dev.loom.log.PageDescriptor;
import dev.loom.value.RecordBatch;

/** Walks records oldest first, page by page. The chunks must be ascending. */
public final class ForwardRecords extends RecordWalk {
    private boolean inPart;
    private boolean onPage;
    private long nextPageAddress;

    public ForwardRecords(Chunks chunks, PageRecords page, WalkGuide guide) {
        super(chunks, page, guide);
    }

    @Override
    public boolean next() {
        while (!onPage || !page.next()) {
            if (ended() || !nextPage()) {
                return false;
            }
        }
        return true;
    }

    /** Fills the batch with the source's records after the current one in its page, as far as there is room. */
    @Override
    public boolean next(RecordBatch batch) {
        if (!onPage || ended()) {
            return false;
        }
        page.next(batch);
        return batch.count() > 0;
    }

    private boolean nextPage() {
        onPage = false;
        if (!inPart) {
            if (!nextPart()) {
                return false;
            }
            inPart = true;
            nextPageAddress = chunks.start();
        }
        if (nextPageAddress >= chunks.end()) {
            inPart = false;
            return true;
        }
        onPage = read(nextPageAddress);
        nextPageAddress += PageDescriptor.PAGE_LENGTH;
        return true;
    }
}
