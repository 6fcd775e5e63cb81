package dev.loom.bench.search;

/**
 * What it took to take in a log.
 *
 * @param elapsedNs until all was stored, and nothing compacted or compressed any more
 * @param cpuNs of the engine, all threads
 * @param firstCpuNs of that, what it took until the last line was accepted
 */
public record Ingest(long elapsedNs, long cpuNs, long firstCpuNs) {}
