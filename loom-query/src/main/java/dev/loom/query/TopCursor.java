package dev.loom.query;

import dev.loom.api.ValueType;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.query.Completeness.Limit;
import dev.loom.record.PageRecords;
import dev.loom.record.SnapshotView;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;

/** The records of a {@link TopRecords} in order; each is read when the cursor moves to it. For one thread. */
public final class TopCursor implements QueryCursor {
    private final QueryScope scope;
    private final RankedRecords ranked;
    private final ValueType type;
    private final boolean smallest;
    private final PageRecords page;
    private final int sourceId;
    private final long bytesReadBefore;
    private int next;
    private boolean onRecord;
    private boolean closed;
    private long returned;
    private long damaged;
    private boolean expired;
    private Limit limit = Limit.NONE;

    TopCursor(QueryScope scope, RankedRecords ranked, ValueType type, boolean smallest) {
        this.scope = scope;
        this.ranked = ranked;
        this.type = type;
        this.smallest = smallest;
        this.sourceId = scope.query().sourceId();
        this.bytesReadBefore = scope.bytesReadBesides();
        SnapshotView view = scope.view();
        // the records lie anywhere, so reading ahead is of no use
        this.page = new PageRecords(view.records(), view.recordTail(), sourceId, 1);
    }

    @Override
    public boolean next() {
        if (closed) {
            throw new IllegalStateException("cursor is closed");
        }
        onRecord = false;
        while (!onRecord && next < ranked.size() && limit == Limit.NONE) {
            limit = scope.limits().check(bytesReadBefore + page.bytesRead());
            onRecord = limit == Limit.NONE && read(ranked.address(next++));
        }
        returned += onRecord ? 1 : 0;
        return onRecord;
    }

    private boolean read(long address) {
        PageState state = page.read(PageDescriptor.pageAddress(address));
        expired |= state == PageState.EXPIRED;
        boolean there = state == PageState.PRESENT && page.seek(address);
        damaged += there || state == PageState.EXPIRED ? 0 : 1;
        return there;
    }

    /** The record's value. */
    public Value value() {
        checkOnRecord();
        long key = ranked.key(next - 1);
        int remainder = ranked.remainder(next - 1);
        return smallest ? new Value(type, ~key, -remainder) : new Value(type, key, remainder);
    }

    private void checkOnRecord() {
        if (!onRecord) {
            throw new IllegalStateException("cursor is on no record");
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
        return scope.statistics(returned)
                .plus(new QueryStatistics(
                        0, 0, 0, page.pagesRead(), page.bytesRead(), 0, 0, 0, 0, List.of(), Map.of()));
    }

    @Override
    public Completeness completeness() {
        if (closed) {
            throw new IllegalStateException("cursor is closed");
        }
        return scope.completeness().and(new Completeness(0, damaged, expired, limit, false));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            onRecord = false;
            page.close();
            scope.close();
        }
    }
}
