package dev.loom.query;

import dev.loom.api.RecordCursor;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import org.agrona.DirectBuffer;

/** The records that a query returns, its statistics, and what the answer lacks. For one thread. */
public interface QueryCursor extends RecordCursor {
    /**
     * Moves to the next record. False at the end, or if the budget is spent or the query cancelled; {@link #completeness()}
     * says which.
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

    /** The work done so far. Works after {@link #close()}. */
    QueryStatistics statistics();

    @Override
    default long damaged() {
        return completeness().damagedPages();
    }

    @Override
    default boolean expired() {
        return completeness().expired();
    }

    /**
     * Pages whose records were there when the query began, and were deleted before the cursor reached them; at least one if {@link
     * Completeness#overtaken()}.
     */
    default long pagesExpired() {
        return completeness().overtaken() ? 1 : 0;
    }

    /**
     * What the answer lacks so far. Works after the snapshot is closed.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    Completeness completeness();

    /** Receives the records of a scan. The buffer is valid only during the call. */
    @FunctionalInterface
    interface RecordHandler {
        void onRecord(long timeNs, DirectBuffer buffer, int offset, int length);
    }
}
