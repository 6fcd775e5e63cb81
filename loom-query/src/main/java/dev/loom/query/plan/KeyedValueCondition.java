package dev.loom.query.plan;

import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.KeyedSummary;

/**
 * The condition that a record's key meets a condition and its value lies in one of some ranges, decided from what an index by keys holds of the
 * keys that meet it: rare values of one key are found among frequent ones of others. For one thread.
 */
final class KeyedValueCondition implements ChunkCondition {
    private final KeyedCondition keys;
    private final IndexFunction function;
    private final KeyRanges possible;

    /**
     * @param keys asked about each chunk before
     * @param possible no record with a value outside these, or without a value, meets the condition
     */
    KeyedValueCondition(KeyedCondition keys, IndexFunction function, KeyRanges possible) {
        this.keys = keys;
        this.function = function;
        this.possible = possible;
    }

    @Override
    public Coverage cover(ChunkCursor chunk) {
        KeyedSummary summary = keys.isApart() ? keys.read(chunk, function) : null;
        if (summary == null) {
            return Coverage.SOME;
        }
        try {
            while (summary.next()) {
                if (mayHold(summary) && keys.matches(summary)) {
                    return Coverage.SOME;
                }
            }
            return Coverage.NONE;
        } catch (CorruptStoreException e) {
            keys.noteDamaged();
            return Coverage.SOME;
        }
    }

    private boolean mayHold(KeyedSummary summary) {
        ChunkSummary totals = summary.totals();
        if (totals.count() == 0 || !possible.touches(totals.minKey(), totals.maxKey())) {
            return false;
        }
        BinListReader bins =
                possible.contains(totals.minKey()) || possible.contains(totals.maxKey()) ? null : summary.bins();
        return bins == null || possible.touches(bins);
    }
}
