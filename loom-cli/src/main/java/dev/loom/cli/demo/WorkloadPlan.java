package dev.loom.cli.demo;

import java.time.Duration;

/**
 * What a workload does. It ends after {@code requests}, or after {@code duration} and the last mangled request, whichever comes
 * first.
 *
 * @param clients the number of clients, each with one request at a time
 * @param mangled the number of requests that the filter mangles
 * @param replyTimeout how long a client waits for a reply before it reconnects and sends its request again
 */
record WorkloadPlan(long seed, int clients, int mangled, Duration replyTimeout, long requests, Duration duration) {
    private static final int CLIENTS_MAX = 255;
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** The fewest requests per mangled one, so that each client has at most one mangled request in progress. */
    private static final int REQUESTS_PER_MANGLED_MIN = 20;

    WorkloadPlan {
        if (clients < 1 || clients > CLIENTS_MAX) {
            throw new IllegalArgumentException("clients must be 1 to " + CLIENTS_MAX + ": clients=" + clients);
        }
        if (mangled < 0 || requests / REQUESTS_PER_MANGLED_MIN < mangled) {
            throw new IllegalArgumentException(
                    "too many mangled requests: mangled=" + mangled + ", requests=" + requests);
        }
    }

    static WorkloadPlan timed(long seed, int clients, int mangled, Duration replyTimeout, Duration duration) {
        return new WorkloadPlan(seed, clients, mangled, replyTimeout, Long.MAX_VALUE, duration);
    }

    static WorkloadPlan counted(long seed, int clients, int mangled, Duration replyTimeout, long requests) {
        return new WorkloadPlan(seed, clients, mangled, replyTimeout, requests, FOR_EVER);
    }

    /**
     * Requests that take at least this long are slow: half the timeout, so that the server's wait, which begins slightly later
     * than the client's, counts too.
     */
    Duration slow() {
        return replyTimeout.dividedBy(2);
    }
}
