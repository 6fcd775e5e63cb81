package dev.loom.query;

import dev.loom.error.StoreIoException;
import dev.loom.query.Completeness.Limit;
import dev.loom.record.AllChunks;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.PageRecords;
import dev.loom.record.SnapshotView;
import dev.loom.store.StoreSnapshot;
import java.nio.channels.ClosedByInterruptException;
import org.agrona.DirectBuffer;

/** The cursor of a {@link RawScan}. */
final class RawScanCursor implements RecordCursor {
    private enum Position {
        BEFORE_FIRST,
        ON_RECORD,
        EXHAUSTED,
        CLOSED
    }

    private final StoreSnapshot snapshot;
    private final SnapshotView view;
    private final int sourceId;
    private final TimeRange range;
    private final boolean newestFirst;
    private final long fromAddress;
    private final Chunks chunks;
    private final PageRecords page;
    private final ChunkRecords records;

    private Position position = Position.BEFORE_FIRST;
    private Limit limit = Limit.NONE;
    private long recordsReturned;

    RawScanCursor(RawScan scan) {
        snapshot = scan.snapshot();
        view = snapshot.view();
        sourceId = scan.sourceId();
        range = scan.range();
        newestFirst = scan.order() == Order.NEWEST_FIRST;
        fromAddress = scan.fromAddress();
        snapshot.lease();
        if (!scan.timeIndex()) {
            chunks = new AllChunks(view, sourceId);
        } else if (newestFirst) {
            chunks = new DescendingChunks(view, sourceId, range.toNs());
        } else {
            chunks = new AscendingChunks(view, sourceId, range.fromNs(), range.toNs(), fromAddress);
        }
        page = new PageRecords(view.records(), view.recordTail(), sourceId);
        records = new ChunkRecords(chunks, page, new ScanLimits(scan.budget(), scan.cancellation()));
    }

    @Override
    public boolean next() {
        checkOpen();
        if (position == Position.EXHAUSTED) {
            return false;
        }
        boolean found = false;
        try {
            found = newestFirst ? previousInRange() : nextInRange();
        } catch (StoreIoException e) {
            if (!(e.getCause() instanceof ClosedByInterruptException)) {
                throw e;
            }
            limit = Limit.CANCELLED;
        }
        if (limit == Limit.NONE) {
            limit = records.limit();
        }
        position = found ? Position.ON_RECORD : Position.EXHAUSTED;
        recordsReturned += found ? 1 : 0;
        return found;
    }

    private boolean previousInRange() {
        while (records.previous()) {
            if (page.timeNs() < range.fromNs() || page.address() < fromAddress) {
                return false;
            }
            if (page.timeNs() < range.toNs()) {
                return true;
            }
        }
        return false;
    }

    private boolean nextInRange() {
        while (records.next()) {
            if (page.timeNs() >= range.toNs()) {
                return false;
            }
            if (page.timeNs() >= range.fromNs() && page.address() >= fromAddress) {
                return true;
            }
        }
        return false;
    }

    private long bytesRead() {
        return page.bytesRead() + chunks.bytesRead();
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
        return page.address();
    }

    @Override
    public long timeNs() {
        checkOnRecord();
        return page.timeNs();
    }

    @Override
    public int sourceId() {
        checkOnRecord();
        return sourceId;
    }

    @Override
    public DirectBuffer buffer() {
        checkOnRecord();
        return page.buffer();
    }

    @Override
    public int offset() {
        checkOnRecord();
        return page.offset();
    }

    @Override
    public int length() {
        checkOnRecord();
        return page.length();
    }

    @Override
    public QueryStatistics statistics() {
        return new QueryStatistics(
                records.pagesConsidered() + chunks.pagesSkipped(),
                chunks.pagesSkipped(),
                page.pagesRead(),
                bytesRead(),
                recordsReturned);
    }

    @Override
    public Completeness completeness() {
        // which reads memory that is the cursor's no more once it is closed
        checkOpen();
        // an interrupt that ended the scan must not keep it from telling so
        boolean interrupted = Thread.interrupted();
        try {
            return describeCompleteness();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Completeness describeCompleteness() {
        boolean beginInRange = view.recordBegin() > 0 && range.fromNs() == Long.MIN_VALUE;
        boolean future = snapshot.live() && range.toNs() > snapshot.lastTimeNs();
        return new Completeness(
                Losses.count(snapshot, sourceId, range),
                records.pagesDamaged() + page.damagedRecords(),
                records.expired() || beginInRange,
                limit,
                future);
    }

    @Override
    public void close() {
        if (position != Position.CLOSED) {
            position = Position.CLOSED;
            page.close();
            chunks.close();
            snapshot.giveBack();
        }
    }
}
