package dev.loom.bench.search;

import dev.loom.query.ProgressiveCount;

/**
 * A round of a count.
 *
 * @param elapsedNs since the question was asked
 * @param cpuNs of the asking thread, since then
 * @param counts of the round
 */
public record CountRound(long elapsedNs, long cpuNs, ProgressiveCount.Counts counts) {}
