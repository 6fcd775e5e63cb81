package dev.loom.query.plan;

import dev.loom.error.CorruptStoreException;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;

/**
 * The condition that a record's value lies in one of some ranges, decided from a chunk's totals, and from its bins if the
 * ranges lie between minimum and maximum. For one thread.
 */
public final class KeyCondition implements ChunkCondition {
    private final IndexSummaries summaries;
    private final KeyRanges possible;
    private final KeyRanges certain;

    /**
     * @param possible no record with a key outside these, or without a key, meets the condition
     * @param certain every record with a key in these meets the condition
     */
    public KeyCondition(IndexSummaries summaries, KeyRanges possible, KeyRanges certain) {
        this.summaries = summaries;
        this.possible = possible;
        this.certain = certain;
    }

    @Override
    public Coverage cover(ChunkCursor chunk) {
        if (!summaries.read(chunk)) {
            return Coverage.SOME;
        }
        ChunkSummary totals = summaries.totals();
        if (totals.count() == 0 || !possible.touches(totals.minKey(), totals.maxKey())) {
            return Coverage.NONE;
        }
        if (certain.covers(totals.minKey(), totals.maxKey()) && totals.count() == chunk.records()) {
            return Coverage.ALL;
        }
        boolean atAnEnd = possible.contains(totals.minKey()) || possible.contains(totals.maxKey());
        return atAnEnd || mayBeInBins() ? Coverage.SOME : Coverage.NONE;
    }

    private boolean mayBeInBins() {
        BinListReader bins = summaries.bins();
        try {
            return bins == null || possible.touches(bins);
        } catch (CorruptStoreException e) {
            summaries.noteDamaged();
            return true;
        }
    }
}
