package dev.loom.query;

import dev.loom.api.ValueType;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.Value;
import dev.loom.query.rank.RankedRecords;
import dev.loom.query.walk.QueryScope;
import dev.loom.read.RecordReader;
import dev.loom.read.StoredRecordCursor;
import java.util.List;
import java.util.Map;

/** The records of a {@link TopRecords} in order; each is read when the cursor moves to it. For one thread. */
public final class TopCursor extends StoredRecordCursor implements QueryCursor {
    private final QueryScope scope;
    private final RankedRecords ranked;
    private final ValueType type;
    private final boolean smallest;
    private final RecordReader records;
    private final long bytesReadBefore;
    private int next;
    private Limit limit = Limit.NONE;

    private TopCursor(QueryScope scope, RankedRecords ranked, ValueType type, boolean smallest, RecordReader records) {
        super(records);
        this.scope = scope;
        this.ranked = ranked;
        this.type = type;
        this.smallest = smallest;
        this.records = records;
        this.bytesReadBefore = scope.bytesReadBesides();
    }

    static TopCursor of(QueryScope scope, RankedRecords ranked, ValueType type, boolean smallest) {
        RecordReader records = scope.reader().records(scope.terms().sourceId());
        return new TopCursor(scope, ranked, type, smallest, records);
    }

    @Override
    protected boolean advance() {
        boolean found = false;
        while (!found && next < ranked.size() && limit == Limit.NONE) {
            limit = scope.limits().check(bytesReadBefore + records.bytesRead());
            found = limit == Limit.NONE && records.read(ranked.address(next++));
        }
        return found;
    }

    /** The record's value. */
    public Value value() {
        checkOnRecord();
        long key = ranked.key(next - 1);
        int remainder = ranked.remainder(next - 1);
        return smallest ? new Value(type, ~key, -remainder) : new Value(type, key, remainder);
    }

    @Override
    public QueryStatistics statistics() {
        return scope.statistics(recordsReturned())
                .plus(new QueryStatistics(
                        0, 0, 0, records.pagesRead(), records.bytesRead(), 0, 0, 0, 0, List.of(), Map.of()));
    }

    @Override
    public Completeness completeness() {
        checkOpen();
        return scope.completeness().and(new Completeness(0, records.damaged(), records.expired(), limit, false));
    }

    @Override
    protected void release() {
        records.close();
        scope.close();
    }
}
