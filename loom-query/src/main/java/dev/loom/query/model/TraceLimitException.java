package dev.loom.query.model;

import dev.loom.error.LoomException;

/** A trace has more spans and log records than a query may hold. The message has the cap and what was found so far. */
public final class TraceLimitException extends LoomException {
    private static final long serialVersionUID = 1L;

    private final long max;
    private final long found;

    /** A cap is exceeded. */
    public TraceLimitException(String traceId, long found, long max) {
        super("too many spans and log records in a trace: found=" + found + ", max=" + max + ", trace=" + traceId);
        this.max = max;
        this.found = found;
    }

    /** The cap. */
    public long max() {
        return max;
    }

    /** How many there were when the query ended. */
    public long found() {
        return found;
    }
}
