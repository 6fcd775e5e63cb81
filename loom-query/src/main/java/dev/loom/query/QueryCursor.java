package dev.loom.query;

import dev.loom.api.RecordCursor;

/** The records that a query gives, what it took, and what they lack. For one thread. */
public interface QueryCursor extends RecordCursor {
    /**
     * Moves to the next record. False at the end, and when the budget is spent or the query was cancelled, as {@link
     * #completeness()} then tells.
     */
    @Override
    boolean next();

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
}
