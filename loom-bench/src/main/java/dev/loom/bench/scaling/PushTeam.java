package dev.loom.bench.scaling;

/**
 * Threads that store records at once. Each numbers its records from 0, so that a record's payload follows from its thread and number.
 *
 * <p>Lifecycle: each thread calls {@link #push} and at its end {@link #flush}, with its own number, possibly in several phases with
 * other threads; {@link #drain} after each phase but the last; then {@link #finish}, {@link #verify}, {@link #close}.
 */
interface PushTeam extends AutoCloseable {
    /** Stores a thread's next records, a multiple of {@link dev.loom.bench.push.PayloadPool#COUNT}; waits if the store is behind. */
    void push(int thread, int count);

    /** Hands what a thread has gathered to the store. */
    void flush(int thread);

    /** Hands everything to the files, as far as more can be pushed afterwards. */
    void drain();

    /** Hands everything to the files. */
    void finish();

    /**
     * Reads everything back.
     *
     * @param pushed records of each thread
     * @throws IllegalStateException if a record differs from what was pushed, or their numbers do
     */
    void verify(long[] pushed);

    /** Deletes the files. Idempotent. */
    @Override
    void close();
}
