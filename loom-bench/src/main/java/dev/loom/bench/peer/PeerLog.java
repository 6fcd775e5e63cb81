package dev.loom.bench.peer;

import org.agrona.DirectBuffer;

/**
 * A store that is used as a log. Lifecycle: writers, each used and closed by one thread; then {@link #finish}, {@link #read},
 * {@link #close}.
 */
public interface PeerLog extends AutoCloseable {
    /** A thread's access to the store. For one thread, which also closes it. */
    interface Writer extends AutoCloseable {
        /** Stores a record with the time at which it arrives; waits if the store is behind. */
        void append(int source, DirectBuffer payload, int offset, int length);

        /** Hands what is gathered in a batch or transaction to the store. */
        void flush();

        /** Flushes. Idempotent. */
        @Override
        void close();
    }

    /** Sees each record. */
    @FunctionalInterface
    interface Visitor {
        /** A record's writer, its number among that writer's from 0, source and payload, valid during the call. */
        void record(int writer, long sequence, int source, DirectBuffer payload, int offset, int length);
    }

    /**
     * Creates the next writer, numbered from 0.
     *
     * @throws IllegalStateException if the store takes no more
     */
    Writer newWriter();

    /** Hands everything to the files. Writers are closed before. */
    void finish();

    /** The store's own count of its records, after {@link #finish}. */
    long count();

    /** Reads all records in the order of their times. */
    void read(Visitor visitor);

    /** Closes the store, whose files stay. Idempotent. */
    @Override
    void close();
}
