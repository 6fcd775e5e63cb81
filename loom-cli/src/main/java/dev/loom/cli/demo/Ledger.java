package dev.loom.cli.demo;

import java.util.Set;

/**
 * What the threads of a workload counted themselves, apart from the telemetry: the oracle that the
 * answers of queries are compared with.
 *
 * @param requests requests that got their reply
 * @param slowIds of those, the ids of the ones that were slow, as {@link WorkloadPlan#slow()} says
 * @param mangledIds ids of the requests that the filter mangled
 * @param retries attempts beyond a request's first
 * @param stuckPorts peers for which the server waited that long, and whose connection then ended
 * @param bytesReceived bytes that arrived at the server
 * @param bytesSent bytes that the server sent
 */
record Ledger(
        long requests,
        Set<Long> slowIds,
        Set<Long> mangledIds,
        long retries,
        Set<Integer> stuckPorts,
        long bytesReceived,
        long bytesSent) {}
