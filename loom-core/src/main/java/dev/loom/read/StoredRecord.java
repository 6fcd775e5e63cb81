package dev.loom.read;

import dev.loom.record.PageRecords;
import org.agrona.DirectBuffer;

/**
 * The record that a reader stands on. What the accessors return is valid until the reader moves; before its first move,
 * and after one that found no record, it is undefined. For one thread.
 */
public abstract class StoredRecord {
    final PageRecords page;

    StoredRecord(PageRecords page) {
        this.page = page;
    }

    /** Address in the record log; unique, and ascending in the order of arrival. */
    public final long address() {
        return page.address();
    }

    /** Arrival time, epoch nanoseconds. */
    public final long timeNs() {
        return page.timeNs();
    }

    public final int sourceId() {
        return page.sourceId();
    }

    /** The buffer that holds the payload at {@code [offset(), offset() + length())}; read-only. */
    public final DirectBuffer buffer() {
        return page.buffer();
    }

    public final int offset() {
        return page.offset();
    }

    public final int length() {
        return page.length();
    }

    /** Pages of the record log read so far, without those that continue a record. */
    public final long pagesRead() {
        return page.pagesRead();
    }
}
