package dev.loom.record;

/** A snapshot by what its readers need: the logs, and leases that keep them mapped. Usable from any thread. */
public interface LeasedSnapshot {
    /**
     * The logs up to the snapshot's end.
     *
     * @throws IllegalStateException if the snapshot is closed
     */
    SnapshotView view();

    /**
     * Keeps the mappings for a cursor or a call, until its {@link #release()}. An open snapshot has its own lease, so
     * this works even after the store was closed.
     *
     * @throws IllegalStateException if the snapshot is closed
     */
    void acquire();

    /** Gives up one lease. */
    void release();

    /** The lost records of a source in a time range that no marker below the snapshot counts. */
    long unmarkedLost(int sourceId, long fromNs, long toNs);
}
