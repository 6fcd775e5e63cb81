package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.read.ChunkCursor;
import org.jspecify.annotations.Nullable;

/** Picks the chunks that may hold a match for a batch of causes. For one thread. */
final class CorrelatedChunks implements ChunkDecider {
    private final CauseBatch batch;
    private final boolean byArrival;
    private final @Nullable EventTimes times;
    private final boolean withDurations;
    private final boolean fromStart;
    private final @Nullable IndexSummaries durations;

    CorrelatedChunks(Correlate query, QueryScope scope, CauseBatch batch) {
        this.batch = batch;
        EventClock clock = query.clock();
        this.byArrival = clock == null && query.timeIndex();
        this.times = clock == null ? null : EventTimes.of(clock, scope);
        IndexFunction duration = query.duration();
        this.withDurations = duration != null;
        this.fromStart = query.fromStart();
        this.durations = duration == null
                ? null
                : IndexedFunction.of(query.sourceId(), duration).summaries(scope, index -> true);
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
