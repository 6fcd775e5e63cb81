package dev.loom.query.service;

import dev.loom.query.model.Order;

/**
 * Asks for records in order of their times.
 *
 * @param limit the most records wanted, 0 or more
 */
public record ScanRequest(RecordSelection records, Order order, long limit, QueryLimits limits)
        implements SourceRequest {
    /** @throws RequestException if the limit is negative */
    public ScanRequest {
        checkLimit(limit);
    }

    static void checkLimit(long limit) {
        if (limit < 0) {
            throw new RequestException("limit", " is negative: " + limit);
        }
    }
}
