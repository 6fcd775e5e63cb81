package dev.loom.query.model;

import java.time.Duration;

/**
 * Limits of one query. A query that reaches one ends early and says so in its {@link Completeness}.
 *
 * @param bytesReadMax bytes read of all logs
 */
public record QueryBudget(long bytesReadMax, Duration timeMax) {
    public static final QueryBudget UNLIMITED = new QueryBudget(Long.MAX_VALUE, Duration.ofNanos(Long.MAX_VALUE));
}
