package dev.loom.query.service;

import dev.loom.query.TopRecords;

/**
 * Asks for the records with the largest values of a field, largest first; of equal ones the newest first.
 *
 * @param count how many, 1 to {@link TopRecords#COUNT_MAX}
 * @param smallest whether to find the smallest values instead, smallest first
 */
public record TopRequest(RecordSelection records, String field, int count, boolean smallest, QueryLimits limits)
        implements SourceRequest {
    /** @throws RequestException if the field is no number, or the count out of range */
    public TopRequest {
        records.function(field);
        if (count < 1 || count > TopRecords.COUNT_MAX) {
            throw new RequestException("n", " must be 1 to " + TopRecords.COUNT_MAX + ": " + count);
        }
    }
}
