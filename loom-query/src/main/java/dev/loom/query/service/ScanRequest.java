package dev.loom.query.service;

import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Order;

/**
 * Asks for records in order of their times.
 *
 * @param addresses of the records; the others are left out
 * @param limit the most records wanted, 0 or more
 * @param asStored whether records with event times come in the order of their arrival all the same, which takes one scan and no memory for
 *     records that are held back
 */
public record ScanRequest(
        RecordSelection records, AddressRange addresses, Order order, long limit, boolean asStored, QueryLimits limits)
        implements SourceRequest {
    /** @throws RequestException if the limit is negative */
    public ScanRequest {
        checkLimit(limit);
    }

    /** At any address. */
    public ScanRequest(RecordSelection records, Order order, long limit, boolean asStored, QueryLimits limits) {
        this(records, AddressRange.ALL, order, limit, asStored, limits);
    }

    /** At any address, in the order of the times that are meant. */
    public ScanRequest(RecordSelection records, Order order, long limit, QueryLimits limits) {
        this(records, order, limit, false, limits);
    }

    static void checkLimit(long limit) {
        if (limit < 0) {
            throw new RequestException("limit", " is negative: " + limit);
        }
    }
}
