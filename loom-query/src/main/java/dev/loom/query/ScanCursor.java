package dev.loom.query;

import dev.loom.record.PageRecords;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The cursor of a scan. */
final class ScanCursor implements RecordCursor {
    private enum Position {
        BEFORE_FIRST,
        ON_RECORD,
        EXHAUSTED,
        CLOSED
    }

    private final QueryScope scope;
    private final SourceWalk walk;
    private final PageRecords record;
    private final @Nullable Predicate<PageRecords> filter;

    private Position position = Position.BEFORE_FIRST;
    private long recordsReturned;

    /** @param filter what records have to meet besides the query's condition */
    ScanCursor(QueryScope scope, SourceWalk walk, @Nullable Predicate<PageRecords> filter) {
        this.scope = scope;
        this.walk = walk;
        this.record = walk.record();
        this.filter = filter;
    }

    @Override
    public boolean next() {
        checkOpen();
        if (position == Position.EXHAUSTED) {
            return false;
        }
        boolean found = walk.next();
        while (found && filter != null && !filter.test(record)) {
            found = walk.next();
        }
        position = found ? Position.ON_RECORD : Position.EXHAUSTED;
        recordsReturned += found ? 1 : 0;
        return found;
    }

    private void checkOpen() {
        if (position == Position.CLOSED) {
            throw new IllegalStateException("cursor is closed");
        }
    }

    private void checkOnRecord() {
        if (position != Position.ON_RECORD) {
            throw new IllegalStateException("cursor is on no record: position=" + position);
        }
    }

    @Override
    public long address() {
        checkOnRecord();
        return record.address();
    }

    @Override
    public long timeNs() {
        checkOnRecord();
        return record.timeNs();
    }

    @Override
    public int sourceId() {
        checkOnRecord();
        return record.sourceId();
    }

    @Override
    public DirectBuffer buffer() {
        checkOnRecord();
        return record.buffer();
    }

    @Override
    public int offset() {
        checkOnRecord();
        return record.offset();
    }

    @Override
    public int length() {
        checkOnRecord();
        return record.length();
    }

    @Override
    public QueryStatistics statistics() {
        return scope.statistics(recordsReturned);
    }

    @Override
    public Completeness completeness() {
        // which reads memory that is the cursor's no more once it is closed
        checkOpen();
        return scope.completeness();
    }

    @Override
    public void close() {
        if (position != Position.CLOSED) {
            position = Position.CLOSED;
            scope.close();
        }
    }
}
