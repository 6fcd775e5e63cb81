package dev.loom.record;

import dev.loom.api.Index;
import dev.loom.index.ActiveIndex;
import dev.loom.index.IndexSummary;
import org.jspecify.annotations.Nullable;

/** Compares what is stored of an index in a chunk with the values that the chunk's records give. */
@FunctionalInterface
public interface SummaryComparison {
    /** The end of bins that can't be read. */
    long UNKNOWN = -1;

    /**
     * Compares the totals in a directory and the bins that they refer to.
     *
     * @param found the index, filled from all records of its source in the chunk; null if its function is not known here, or
     *     needs records that can't be read
     * @param listed the totals in the directory
     * @param part the address of the directory's part that lists them
     * @param chunkAddress the address of the chunk
     * @return the end of the bins in the chunk index, {@link #UNKNOWN} if they can't be read, 0 if there are none
     */
    long compare(Index index, @Nullable ActiveIndex found, IndexSummary listed, long part, long chunkAddress);
}
