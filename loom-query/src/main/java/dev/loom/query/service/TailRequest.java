package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.util.List;

/**
 * Asks for the last records of a source, oldest first, and for those that arrive: for {@link QueryService#tail}.
 *
 * @param conditions that must all hold
 * @param lines how many of the last records, 0 or more
 * @param follow whether to go on with the records that arrive
 */
public record TailRequest(Source source, List<Where> conditions, long lines, boolean follow, QueryLimits limits) {
    /** @throws RequestException if a condition is not of the source's format, or the number of lines negative */
    public TailRequest {
        conditions = new RecordSelection(source, TimeRange.ALL, false, conditions).conditions();
        if (lines < 0) {
            throw new RequestException("n", " is negative: " + lines);
        }
    }
}
