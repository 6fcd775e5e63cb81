package dev.loom.query.correlation;

import dev.loom.api.IndexFunction;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.ChunkCursor;
import org.jspecify.annotations.Nullable;

/** Picks the chunks that may hold a match for a batch of causes. For one thread. */
public final class CorrelatedChunks implements ChunkDecider {
    private final CauseBatch batch;
    private final boolean byArrival;
    private final @Nullable EventTimes times;
    private final boolean withDurations;
    private final boolean fromStart;
    private final @Nullable IndexSummaries durations;

    /**
     * @param clock of the records' own times; null for arrival times
     * @param duration null for no durations
     * @param fromStart whether a record's time is its start
     */
    public CorrelatedChunks(
            WherePlan plan,
            @Nullable EventClock clock,
            @Nullable IndexFunction duration,
            boolean fromStart,
            CauseBatch batch) {
        this.batch = batch;
        this.byArrival = clock == null && plan.terms().uses(QueryIndex.TIME);
        this.times = clock == null ? null : EventTimes.of(clock, plan);
        this.withDurations = duration != null;
        this.fromStart = fromStart;
        this.durations = duration == null
                ? null
                : IndexedFunction.of(plan.terms().sourceId(), duration).summaries(plan, index -> true);
    }

    @Override
    public ChunkUse decide(ChunkCursor chunk, boolean whole) {
        long firstNs = Long.MIN_VALUE;
        long lastNs = Long.MAX_VALUE;
        if (times != null) {
            TimeRange range = times.of(chunk);
            firstNs = range.fromNs();
            lastNs = range.lastNs();
        } else if (byArrival) {
            firstNs = chunk.firstTimeNs();
            lastNs = chunk.lastTimeNs();
        }
        if (withDurations) {
            long longestNs = longestNs(chunk);
            firstNs = fromStart ? firstNs : RecordSpan.minus(firstNs, longestNs);
            lastNs = fromStart ? RecordSpan.plus(lastNs, longestNs) : lastNs;
        }
        if (batch.touches(firstNs, lastNs)) {
            return ChunkUse.READ;
        }
        return times == null ? ChunkUse.SKIPPED_BY_TIME : ChunkUse.SKIPPED_BY_BINS;
    }

    /** An upper bound of the durations in a chunk. */
    private long longestNs(ChunkCursor chunk) {
        if (durations == null || !durations.read(chunk)) {
            return Long.MAX_VALUE;
        }
        // a record without a duration matches nothing
        return durations.totals().count() == 0
                ? 0
                : RecordSpan.longestNs(
                        durations.index().function().type(),
                        durations.index().function().unit(),
                        durations.totals().maxKey());
    }
}
