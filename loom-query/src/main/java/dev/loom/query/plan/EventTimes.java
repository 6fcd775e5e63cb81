package dev.loom.query.plan;

import dev.loom.api.IndexFunction;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import org.jspecify.annotations.Nullable;

/** The range of times that a chunk's records carry themselves, according to indexes. For one thread. */
public final class EventTimes {
    private final EventClock clock;
    private final @Nullable IndexSummaries summaries;

    private EventTimes(EventClock clock, @Nullable IndexSummaries summaries) {
        this.clock = clock;
        this.summaries = summaries;
    }

    public static EventTimes of(EventClock clock, WherePlan plan) {
        IndexFunction function = clock.function();
        if (function == null || !function.isReadable()) {
            return new EventTimes(clock, null);
        }
        IndexedFunction indexed = IndexedFunction.of(plan.terms().sourceId(), function);
        return new EventTimes(clock, indexed.summaries(plan, index -> true));
    }

    /** The range of times of the chunk's records, or {@link TimeRange#ALL} if it is not known. */
    public TimeRange of(ChunkCursor chunk) {
        if (summaries == null || !summaries.read(chunk)) {
            return TimeRange.ALL;
        }
        ChunkSummary totals = summaries.totals();
        // a record whose time is not a number, such as a text, still has a time but is not in the index
        if (totals.count() == 0 || totals.count() != chunk.records()) {
            return TimeRange.ALL;
        }
        return clock.times(
                new Value(summaries.index().function().type(), totals.minKey()),
                new Value(summaries.index().function().type(), totals.maxKey()));
    }
}
