package dev.loom.cli.demo;

import java.time.Duration;

/**
 * What a workload does. It ends after {@code requests}, or after {@code duration} and the last mangled request,
 * whichever comes first.
 *
 * @param clients how many clients there are, each with one request at a time
 * @param mangled how many requests the filter mangles
 * @param replyTimeout how long a client waits for a reply before it connects anew and sends its request again
 */
record WorkloadPlan(long seed, int clients, int mangled, Duration replyTimeout, long requests, Duration duration) {
    private static final int CLIENTS_MAX = 255;
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** Requests a mangled one, so that no more than one is under way at each client. */
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
     * Requests that took at least this long count as slow: half the time-out, since the server's wait begins a little
     * later than the client's and is to count too.
     */
    Duration slow() {
        return replyTimeout.dividedBy(2);
    }
}
