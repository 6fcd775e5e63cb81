package dev.loom.query.walk;

import dev.loom.query.plan.KeyedCondition;
import dev.loom.read.ChunkCursor;

/** Decides for each part of the record log whether a query must read it; takes in at once what indexes answer. */
@FunctionalInterface
public interface ChunkDecider {
    /** Reads every part. */
    ChunkDecider READ_ALL = overRuns((chunk, whole) -> ChunkUse.READ);

    /**
     * Decides about the part at which the walk stands.
     *
     * @param whole whether all records of the source in the part count; only then may its summaries answer for it
     */
    ChunkUse decide(ChunkCursor chunk, boolean whole);

    /**
     * Whether the walk's parts may be {@linkplain ChunkCursor#isRun runs}. One that is to be read is asked about again, run by run and
     * chunk by chunk; so {@link #decide} must take nothing in of a part that it wants read.
     */
    default boolean takesRuns() {
        return false;
    }

    /** A decider that also takes runs. */
    static ChunkDecider overRuns(ChunkDecider decider) {
        return new ChunkDecider() {
            @Override
            public ChunkUse decide(ChunkCursor chunk, boolean whole) {
                return decider.decide(chunk, whole);
            }

            @Override
            public boolean takesRuns() {
                return true;
            }
        };
    }

    /**
     * As {@link #decide} for a part in which the records that count are those of some keys, so that what an index by keys holds of these may
     * answer for it.
     */
    default ChunkUse decideByKeys(ChunkCursor chunk, boolean whole, KeyedCondition keys) {
        return decide(chunk, whole);
    }

    /** As {@link #decide} for a part of which no directory tells anything: {@code READ} or {@code DEFERRED}. */
    default ChunkUse decideUnlisted(ChunkCursor chunk) {
        return ChunkUse.READ;
    }

    /** As {@link #decide} for a chunk whose file is gone: {@code READ}, which reports it as missing, or {@code DEFERRED}. */
    default ChunkUse decideMissing(ChunkCursor chunk) {
        return ChunkUse.READ;
    }
}
