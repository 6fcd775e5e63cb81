package dev.loom.server.prometheus.store;

/** The time of a request is over before its answer is known. */
public final class TimeOverException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeOverException() {
        this("query timed out");
    }

    TimeOverException(String message) {
        super(message);
    }
}
