package dev.loom.otlp;

/**
 * What became of one request: a holder that a receiver resets and reuses.
 *
 * <p>Not safe for use by several threads at once.
 */
public final class ExportOutcome {
    /** What the client is told. */
    public enum Status {
        /** Stored, but for {@link #rejected()} records that never could be. */
        ACCEPTED,
        /** Nothing stored: the request can't be read, and is not to be sent again. */
        MALFORMED,
        /** Nothing stored, or part of it: the request is to be sent again after {@link #retryDelayMs()}. */
        UNAVAILABLE
    }

    private Status status = Status.ACCEPTED;
    private long accepted;
    private long rejected;
    private long retryDelayMs;
    private String message = "";

    /** Creates the outcome of a request that was accepted as a whole and held no records. */
    public ExportOutcome() {}

    /** Makes this the outcome of a request that was accepted as a whole and held no records. */
    public void reset() {
        accepted(0);
    }

    /**
     * The request is stored.
     *
     * @param acceptedCount log records, spans or data points that were stored
     */
    public void accepted(long acceptedCount) {
        set(Status.ACCEPTED, acceptedCount, 0, 0, "");
    }

    /**
     * The request is stored, and there is something to tell about it.
     *
     * @param acceptedCount log records, spans or data points that were stored
     * @param rejectedCount those that were not and never could be; 0 makes the reason a warning
     * @param reason English, for the client's operator
     */
    public void accepted(long acceptedCount, long rejectedCount, String reason) {
        set(Status.ACCEPTED, acceptedCount, rejectedCount, 0, reason);
    }

    /**
     * The request can't be read; nothing of it is stored.
     *
     * @param reason English, for the client's operator
     */
    public void malformed(String reason) {
        set(Status.MALFORMED, 0, 0, 0, reason);
    }

    /**
     * The request could be stored later.
     *
     * @param delayMs how long the client is to wait before it sends the request again, in ms, at least 0
     * @param reason English, for the client's operator
     */
    public void unavailable(long delayMs, String reason) {
        set(Status.UNAVAILABLE, 0, 0, delayMs, reason);
    }

    /** What the client is told. */
    public Status status() {
        return status;
    }

    /** Log records, spans or data points that were stored. */
    public long accepted() {
        return accepted;
    }

    /** Log records, spans or data points of an accepted request that were not stored and never could be. */
    public long rejected() {
        return rejected;
    }

    /** How long the client is to wait before it sends the request again, in ms. */
    public long retryDelayMs() {
        return retryDelayMs;
    }

    /** English, for the client's operator; empty when there is nothing to tell. */
    public String message() {
        return message;
    }

    private void set(Status status, long accepted, long rejected, long retryDelayMs, String message) {
        this.status = status;
        this.accepted = accepted;
        this.rejected = rejected;
        this.retryDelayMs = retryDelayMs;
        this.message = message;
    }
}
