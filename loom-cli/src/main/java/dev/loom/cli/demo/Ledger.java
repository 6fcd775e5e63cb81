package dev.loom.cli.demo;

import java.util.Set;

/**
 * What the threads of a workload counted themselves, independently of the telemetry: the oracle for the answers of queries.
 *
 * @param requests requests that got their reply
 * @param slowIds ids of those that were slow, see {@link WorkloadPlan#slow()}
 * @param mangledIds ids of the requests that the filter mangled
 * @param retries attempts beyond a request's first
 * @param stuckPorts ports of peers for which the server waited that long before the connection ended
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
