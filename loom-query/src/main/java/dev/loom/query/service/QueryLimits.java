package dev.loom.query.service;

import dev.loom.query.model.QueryBudget;
import java.time.Duration;

/**
 * What a request may cost, and the indexes that it may use.
 *
 * @param budget shared by all the scans of the request
 * @param useTimeIndex whether to find the time range through the timestamp index
 * @param useChunkIndex whether to use what indexes hold about chunks
 * @param useTextIndex whether to use what the text index holds
 */
public record QueryLimits(QueryBudget budget, boolean useTimeIndex, boolean useChunkIndex, boolean useTextIndex) {
    /** No limits, and all indexes. */
    public static final QueryLimits NONE = new QueryLimits(QueryBudget.UNLIMITED, true, true, true);

    /** The same with at most this much time. */
    public QueryLimits withTimeMax(Duration timeMax) {
        return timeMax.compareTo(budget.timeMax()) >= 0
                ? this
                : new QueryLimits(
                        new QueryBudget(budget.bytesReadMax(), timeMax), useTimeIndex, useChunkIndex, useTextIndex);
    }
}
