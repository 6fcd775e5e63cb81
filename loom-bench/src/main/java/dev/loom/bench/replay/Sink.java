package dev.loom.bench.replay;

import java.io.IOException;
import java.sql.SQLException;

/**
 * A system that takes records in. One thread writes, and calls {@link #endBatch} and {@link #finish}; another one asks meanwhile. Both
 * have ended before {@link #close}.
 */
public interface Sink extends AutoCloseable {
    /** Version, settings, indexes. */
    String description() throws Exception;

    /** Takes the records of one source in a batch. */
    void write(BatchSection section) throws Exception;

    /**
     * Called after all sections of a batch.
     *
     * @param endNs the batches so far have all records before this time that were not dropped
     */
    void endBatch(long endNs) throws Exception;

    /** Called after the last batch: makes everything visible to questions. */
    void finish() throws Exception;

    /** Questions see all records before this time that have arrived; from any thread. */
    long visibleNs();

    /** Answers a question. */
    ReplayAnswer ask(ReplayQuestion question) throws Exception;

    /** After {@link #finish}: waits until everything is on the disk and nothing works in the background, as far as the system can say. */
    void settle() throws Exception;

    /** CPU time of other processes that work for it, ns. */
    default long peerCpuNs() throws Exception {
        return 0;
    }

    /**
     * Opens another sink of its kind, with files of its own, in the same process: what either has warmed up serves both. It is closed before
     * this one gets its first batch.
     */
    default Sink openOther(SinkKind kind, SinkSettings settings) throws Exception {
        return kind.open(settings);
    }

    @Override
    void close() throws IOException, SQLException;
}
