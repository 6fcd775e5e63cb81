package dev.loom.query.service;

import org.agrona.DirectBuffer;

/** Hands over up to a number of records. For one thread. */
final class LimitedRecords {
    private final ResultHandler results;
    private long left;

    LimitedRecords(ResultHandler results, long limit) {
        this.results = results;
        this.left = limit;
    }

    /** Hands over a record. */
    void add(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        results.onRecord(timeNs, address, buffer, offset, length);
        left--;
    }

    /** Whether the limit is reached. */
    boolean full() {
        return left <= 0;
    }

    long left() {
        return left;
    }
}
