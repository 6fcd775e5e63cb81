package dev.loom.query;

import java.time.Duration;

/**
 * Limits of one query. A query that meets one ends early, and says so in {@link Completeness}.
 *
 * @param bytesReadMax bytes of all logs
 */
public record QueryBudget(long bytesReadMax, Duration timeMax) {
    public static final QueryBudget UNLIMITED = new QueryBudget(Long.MAX_VALUE, Duration.ofNanos(Long.MAX_VALUE));
}
