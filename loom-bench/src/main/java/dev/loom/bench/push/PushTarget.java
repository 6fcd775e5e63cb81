package dev.loom.bench.push;

/**
 * One way of storing records, driven in batches so that each keeps a compiled loop of its own. For one thread.
 *
 * <p>Life: {@link #push} any number of times, {@link #finish}, {@link #verify}, {@link #close}.
 */
public interface PushTarget extends AutoCloseable {
    /** Stores the next {@code count} records, a multiple of {@link PayloadPool#COUNT}; waits where the disk is behind. */
    void push(int count);

    /** Records stored so far. */
    long pushed();

    /** Brings what is still in memory to the files. */
    void finish();

    /**
     * Reads everything back.
     *
     * @throws IllegalStateException naming the first record that is not as it was pushed, or the counts that differ
     */
    void verify();

    /** Deletes the files. Idempotent. */
    @Override
    void close();
}
