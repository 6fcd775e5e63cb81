package dev.loom.query.service;

import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import java.time.Duration;
import java.util.Set;

/**
 * What a request may cost, and the indexes that it may use.
 *
 * @param budget shared by all the scans of the request
 * @param indexes those that it may use
 */
public record QueryLimits(QueryBudget budget, Set<QueryIndex> indexes) {
    public QueryLimits {
        indexes = Set.copyOf(indexes);
    }

    /** No limits, and all indexes. */
    public static final QueryLimits NONE = new QueryLimits(QueryBudget.UNLIMITED, QueryIndex.ALL);

    /** The same with at most this much time. */
    public QueryLimits withTimeMax(Duration timeMax) {
        return timeMax.compareTo(budget.timeMax()) >= 0
                ? this
                : new QueryLimits(new QueryBudget(budget.bytesReadMax(), timeMax), indexes);
    }

    /** Whether it may use an index. */
    public boolean uses(QueryIndex index) {
        return indexes.contains(index);
    }
}
