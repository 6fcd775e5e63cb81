package dev.loom.otlp;

import java.time.Duration;

/**
 * The outcome of one request: a holder that a receiver resets and reuses.
 *
 * <p>Not thread-safe.
 */
public final class ExportOutcome {
    /** The client's answer. */
    public enum Status {
        /** Stored, except for {@link #rejected()} records that never can be. */
        ACCEPTED,
        /** Nothing is stored: the request can't be read and must not be sent again. */
        MALFORMED,
        /** Nothing or only part is stored: the client should send the request again after {@link #retryDelay()}. */
        UNAVAILABLE
    }

    private Status status = Status.ACCEPTED;
    private long accepted;
    private long rejected;
    private Duration retryDelay = Duration.ZERO;
    private String message = "";

    /** Starts as the outcome of an accepted request without records. */
    public ExportOutcome() {}

    /** Resets this to the outcome of an accepted request without records. */
    public void reset() {
        accepted(0);
    }

    /**
     * The request is stored.
     *
     * @param acceptedCount the log records, spans or data points stored
     */
    public void accepted(long acceptedCount) {
        set(Status.ACCEPTED, acceptedCount, 0, Duration.ZERO, "");
    }

    /**
     * The request is stored, with rejected records or a warning.
     *
     * @param acceptedCount the log records, spans or data points stored
     * @param rejectedCount those that were not stored and never can be; 0 makes the reason a warning
     * @param reason English, for the client's operator
     */
    public void accepted(long acceptedCount, long rejectedCount, String reason) {
        set(Status.ACCEPTED, acceptedCount, rejectedCount, Duration.ZERO, reason);
    }

    /**
     * The request can't be read; none of it is stored.
     *
     * @param reason English, for the client's operator
     */
    public void malformed(String reason) {
        set(Status.MALFORMED, 0, 0, Duration.ZERO, reason);
    }

    /**
     * The request can't be stored now, but may be later.
     *
     * @param delay how long the client should wait before it sends the request again
     * @param reason English, for the client's operator
     */
    public void unavailable(Duration delay, String reason) {
        set(Status.UNAVAILABLE, 0, 0, delay, reason);
    }

    /** The client's answer. */
    public Status status() {
        return status;
    }

    /** The log records, spans or data points stored. */
    public long accepted() {
        return accepted;
    }

    /** The log records, spans or data points of an accepted request that were not stored and never can be. */
    public long rejected() {
        return rejected;
    }

    /** How long the client should wait before it sends the request again; zero if it is not unavailable. */
    public Duration retryDelay() {
        return retryDelay;
    }

    /** English, for the client's operator; empty if there is no message. */
    public String message() {
        return message;
    }

    private void set(Status status, long accepted, long rejected, Duration retryDelay, String message) {
        this.status = status;
        this.accepted = accepted;
        this.rejected = rejected;
        this.retryDelay = retryDelay;
        this.message = message;
    }
}
