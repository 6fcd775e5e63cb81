package dev.loom.server.prometheus.store;

/** The time of a request is over before its answer is known, or nobody waits for it any more. */
public final class TimeOverException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeOverException() {
        super("query timed out");
    }
}
