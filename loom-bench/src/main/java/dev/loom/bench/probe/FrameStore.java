package dev.loom.bench.probe;

import org.agrona.DirectBuffer;

/** What a sink does with frames. For one thread. */
interface FrameStore extends AutoCloseable {
    /** Stores the records of a frame. */
    void write(int source, DirectBuffer records, int offset, int count);

    /** Hands everything to the files. */
    void finish();

    /** The store's own count of its records, after {@link #finish}. */
    long count();

    /** CPU time of processes that the store has started, so far. */
    default long cpuNs() {
        return 0;
    }

    /** Idempotent. */
    @Override
    void close();
}
