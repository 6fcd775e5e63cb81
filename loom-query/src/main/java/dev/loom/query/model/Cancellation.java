package dev.loom.query.model;

/** Cancels queries from another thread. */
public final class Cancellation {
    private volatile boolean cancelled;

    /** Not cancelled yet. */
    public Cancellation() {}

    public void cancel() {
        cancelled = true;
    }

    public boolean cancelled() {
        return cancelled;
    }
}
