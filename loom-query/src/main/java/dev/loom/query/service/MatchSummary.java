package dev.loom.query.service;

/**
 * What a correlation looked at.
 *
 * @param causes records that were causes
 * @param causesLeftOut causes without a time or a duration
 * @param recordsLeftOut records of the other source without a time or a duration
 */
public record MatchSummary(long causes, long causesLeftOut, long recordsLeftOut) {}
