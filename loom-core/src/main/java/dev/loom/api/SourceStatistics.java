package dev.loom.api;

/**
 * Totals of one source in a snapshot. Times are epoch nanoseconds of arrival; both are 0 when there is no record.
 *
 * @param records the number of records below the snapshot's tail
 * @param bytes their payload bytes
 * @param lost the number of records refused or dropped, as the writer counted them
 */
public record SourceStatistics(long records, long bytes, long firstTimeNs, long lastTimeNs, long lost) {}
