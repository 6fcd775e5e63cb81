package dev.loom.read;

import dev.loom.api.RecordCursor;
import org.agrona.DirectBuffer;

/** A cursor over stored records that a subclass moves; it tells callers where it may be asked. For one thread. */
public abstract class StoredRecordCursor implements RecordCursor {
    private enum Position {
        BEFORE_FIRST,
        ON_RECORD,
        EXHAUSTED,
        CLOSED
    }

    private final StoredRecord record;
    private Position position = Position.BEFORE_FIRST;
    private long recordsReturned;

    /** @param record the record that {@link #advance()} moves */
    protected StoredRecordCursor(StoredRecord record) {
        this.record = record;
    }

    /** Moves to the next matching record; false if there is none. Not called again after that. */
    protected abstract boolean advance();

    /** Releases what the cursor holds. Called once. */
    protected abstract void release();

    @Override
    public final boolean next() {
        checkOpen();
        if (position == Position.EXHAUSTED) {
            return false;
        }
        if (!advance()) {
            position = Position.EXHAUSTED;
            return false;
        }
        if (position != Position.ON_RECORD) { // storing a reference costs more than the rest of this method
            position = Position.ON_RECORD;
        }
        recordsReturned++;
        return true;
    }

    /** The number of records returned. */
    protected final long recordsReturned() {
        return recordsReturned;
    }

    /**
     * Checks that the cursor is open.
     *
     * @throws IllegalStateException if it is closed
     */
    protected final void checkOpen() {
        if (position == Position.CLOSED) {
            throw new IllegalStateException("cursor is closed");
        }
    }

    /**
     * Checks that the cursor is on a record.
     *
     * @throws IllegalStateException if it is on none
     */
    protected final void checkOnRecord() {
        if (position != Position.ON_RECORD) {
            throw new IllegalStateException("cursor is not on a record: position=" + position);
        }
    }

    @Override
    public final long address() {
        checkOnRecord();
        return record.address();
    }

    @Override
    public final long timeNs() {
        checkOnRecord();
        return record.timeNs();
    }

    @Override
    public final int sourceId() {
        checkOnRecord();
        return record.sourceId();
    }

    @Override
    public final DirectBuffer buffer() {
        checkOnRecord();
        return record.buffer();
    }

    @Override
    public final int offset() {
        checkOnRecord();
        return record.offset();
    }

    @Override
    public final int length() {
        checkOnRecord();
        return record.length();
    }

    @Override
    public final void close() {
        if (position != Position.CLOSED) {
            position = Position.CLOSED;
            release();
        }
    }
}
