package dev.loom.bench.push;

/**
 * One way of storing records, called in batches so that each way has its own compiled loop. For one thread.
 *
 * <p>Lifecycle: {@link #push} any number of times, {@link #finish}, {@link #verify}, {@link #close}.
 */
public interface PushTarget extends AutoCloseable {
    /** Stores the next {@code count} records, a multiple of {@link PayloadPool#COUNT}; waits if the disk is behind. */
    void push(int count);

    /** Records stored so far. */
    long pushed();

    /** Writes what is in memory to the files; more can be pushed afterwards. */
    default void drain() {}

    /** Writes what is still in memory to the files. */
    void finish();

    /**
     * Reads everything back.
     *
     * @throws IllegalStateException if a record differs from what was pushed, naming the first, or if the counts differ
     */
    void verify();

    /** Deletes the files. Idempotent. */
    @Override
    void close();
}
