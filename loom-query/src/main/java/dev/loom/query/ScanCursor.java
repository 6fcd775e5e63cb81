package dev.loom.query;

import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import dev.loom.read.StoredRecordCursor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The cursor of a scan. */
final class ScanCursor extends StoredRecordCursor implements QueryCursor {
    private final QueryScope scope;
    private final SourceWalk walk;
    private final @Nullable Predicate<StoredRecord> filter;
    private final long limit;

    /** A cursor over all records. */
    ScanCursor(QueryScope scope, SourceWalk walk, @Nullable Predicate<StoredRecord> filter) {
        this(scope, walk, filter, Long.MAX_VALUE);
    }

    /**
     * @param filter what records must meet in addition to the query's condition
     * @param limit the most records
     */
    ScanCursor(QueryScope scope, SourceWalk walk, @Nullable Predicate<StoredRecord> filter, long limit) {
        super(walk.record());
        this.scope = scope;
        this.walk = walk;
        this.filter = filter;
        this.limit = limit;
    }

    @Override
    protected boolean advance() {
        boolean found = recordsReturned() < limit && walk.next();
        while (found && filter != null && !filter.test(walk.record())) {
            found = walk.next();
        }
        return found;
    }

    @Override
    public QueryStatistics statistics() {
        return scope.statistics(recordsReturned());
    }

    @Override
    public long damaged() {
        checkOpen();
        return scope.damaged();
    }

    @Override
    public long pagesExpired() {
        checkOpen();
        return scope.pagesExpired();
    }

    @Override
    public Completeness completeness() {
        // after close, the cursor no longer owns the memory that this reads
        checkOpen();
        return scope.completeness();
    }

    @Override
    protected void release() {
        scope.close();
    }
}
