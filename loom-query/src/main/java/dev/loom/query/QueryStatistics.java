package dev.loom.query;

/**
 * The work of a query, as counters.
 *
 * @param pagesConsidered pages of the record log in the range
 * @param pagesSkipped of those, pages that the timestamp index showed to hold nothing of the source
 * @param pagesRead pages of the record log that were read, from memory or from disk
 * @param bytesRead bytes read of all logs, from memory or from disk
 * @param recordsReturned records that the cursor has stood on
 */
public record QueryStatistics(
        long pagesConsidered, long pagesSkipped, long pagesRead, long bytesRead, long recordsReturned) {}
