package dev.loom.query.group;

import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.KeyedCondition;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.ChunkCursor;
import org.jspecify.annotations.Nullable;

/**
 * Counts chunks whose records are all of one group and step, from what their directory and indexes hold. For one thread.
 *
 * @param summaries of the values; null without an index
 * @param countsRecords whether records are counted, not values
 * @param byKeys answers where the records that count are those of some keys
 */
record GroupChunks(
        @Nullable IndexSummaries summaries,
        boolean countsRecords,
        ChunkSteps steps,
        GroupTable table,
        GroupStates states,
        ChunkDecider byKeys)
        implements ChunkDecider {
    @Override
    public boolean takesRuns() {
        return true;
    }

    @Override
    public ChunkUse decide(ChunkCursor chunk, boolean whole) {
        long records = chunk.records();
        int step = whole && records > 0 ? steps.of(chunk) : ChunkSteps.SEVERAL;
        if (step == ChunkSteps.SEVERAL) {
            return ChunkUse.READ;
        } else if (!countsRecords
                && (summaries == null || !summaries.read(chunk) || !states.takes(summaries.totals()))) {
            return ChunkUse.READ;
        }
        int cell = table.addCell(table.sole(), step);
        states.addRecords(cell, records);
        if (!countsRecords && summaries != null) {
            states.addValues(cell, summaries.totals());
        }
        return ChunkUse.FROM_TOTALS;
    }

    @Override
    public ChunkUse decideByKeys(ChunkCursor chunk, boolean whole, KeyedCondition keys) {
        ChunkUse use = decide(chunk, whole);
        return use == ChunkUse.READ ? byKeys.decideByKeys(chunk, whole, keys) : use;
    }
}
