package dev.loom.bench.peer;

import org.agrona.DirectBuffer;

/**
 * A store that is used as a log. Lifecycle: writers, each used and closed by one thread; then {@link #finish}, {@link #read(Visitor)},
 * {@link #close}.
 */
public interface PeerLog extends AutoCloseable {
    /** A thread's access to the store. For one thread, which also closes it. */
    interface Writer extends AutoCloseable {
        /**
         * Stores a record; waits if the store is behind.
         *
         * @param timeNs not negative; a writer's times need not ascend, though all stores are fastest if they do
         */
        void append(long timeNs, int source, DirectBuffer payload, int offset, int length);

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

    /**
     * Reads the records whose times are in a range, from the first nanosecond until before the second, in the order of their times, from
     * any thread. Sees what was flushed.
     */
    void read(long fromNs, long toNs, Visitor visitor);

    /** Reads all records. */
    default void read(Visitor visitor) {
        read(0, Long.MAX_VALUE, visitor);
    }

    /** Closes the store, whose files stay. Idempotent. */
    @Override
    void close();
}
