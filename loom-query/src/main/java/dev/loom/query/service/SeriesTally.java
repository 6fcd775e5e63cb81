package dev.loom.query.service;

/**
 * What a request for series found in all steps together.
 *
 * @param series how many there are, also before the range
 * @param points how many of the range count
 * @param duplicates how many do not, as their series had one of the same time
 * @param withoutValue how many records have no value
 */
public record SeriesTally(long series, long points, long duplicates, long withoutValue) {}
