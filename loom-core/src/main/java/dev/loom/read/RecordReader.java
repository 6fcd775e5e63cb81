package dev.loom.read;

import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.record.PageRecords;

/**
 * Reads single records of one source by their addresses. Holds a page, and the longest payload met that spans pages. For
 * one thread.
 */
public final class RecordReader extends StoredRecord implements AutoCloseable {
    private long damaged;
    private boolean expired;

    RecordReader(PageRecords page) {
        super(page);
    }

    /** Moves to the record that begins at an address; false if it can't be read. */
    public boolean read(long address) {
        PageState state = page.read(PageDescriptor.pageAddress(address));
        if (state == PageState.EXPIRED) {
            expired = true;
            return false;
        }
        boolean found = state == PageState.PRESENT && page.seek(address);
        damaged += found || page.expired() ? 0 : 1;
        return found;
    }

    /** Records so far that could not be read, other than those that retention deleted. */
    public long damaged() {
        return damaged;
    }

    /** Whether retention deleted a record before it was read. */
    public boolean expired() {
        return expired || page.expired();
    }

    /** Bytes of the record log read so far. */
    public long bytesRead() {
        return page.bytesRead();
    }

    @Override
    public void close() {
        page.close();
    }
}
