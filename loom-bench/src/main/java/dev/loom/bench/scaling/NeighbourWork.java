package dev.loom.bench.scaling;

/** An application's work, in steps that any number of threads take at once. */
interface NeighbourWork extends AutoCloseable {
    /** Operations of a step. */
    int STEP = 1024;

    /**
     * Does {@link #STEP} operations.
     *
     * @param state what the thread's last step returned, at first a number of its own
     */
    long step(long state);

    /** Idempotent. */
    @Override
    void close();
}
