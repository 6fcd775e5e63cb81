package dev.loom.api;

/**
 * What a snapshot holds of one source. Times are epoch nanoseconds of arrival; both are 0 when there is no record.
 *
 * @param records records below the snapshot
 * @param bytes payload bytes of those records
 * @param lost records that were refused or dropped, as counted by the writer
 */
public record SourceStatistics(long records, long bytes, long firstTimeNs, long lastTimeNs, long lost) {}
