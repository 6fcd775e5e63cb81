package dev.loom.query;

import org.agrona.DirectBuffer;

/**
 * A moving view of records. Before the first {@link #next()}, after one that returned false, and after {@link
 * #close()}, the accessors throw {@link IllegalStateException}; what they give is valid until the next call of {@link
 * #next()}. For one thread.
 */
public interface RecordCursor extends AutoCloseable {
    /**
     * Moves to the next record. False at the end, and when the budget is spent or the query was cancelled, as {@link
     * #completeness()} then tells.
     */
    boolean next();

    /** Address in the record log; unique, and increasing in order of arrival. */
    long address();

    /** Arrival time, epoch nanoseconds. */
    long timeNs();

    int sourceId();

    /** The buffer that holds the payload at {@code [offset(), offset() + length())}; read-only. */
    DirectBuffer buffer();

    int offset();

    int length();

    /**
     * Calls the handler for each record from the next one on.
     *
     * @return what the answer lacks
     */
    default Completeness forEach(RecordHandler handler) {
        while (next()) {
            handler.onRecord(timeNs(), buffer(), offset(), length());
        }
        return completeness();
    }

    /** The work done so far. */
    QueryStatistics statistics();

    /** What the answer lacks, so far. Not after {@link #close()}, nor after that of the snapshot. */
    Completeness completeness();

    @Override
    void close();
}
