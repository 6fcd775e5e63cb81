package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import org.jspecify.annotations.Nullable;

/** The range of times that a chunk's records carry themselves, according to indexes. For one thread. */
final class EventTimes {
    private final EventClock clock;
    private final @Nullable IndexSummaries summaries;

    private EventTimes(EventClock clock, @Nullable IndexSummaries summaries) {
        this.clock = clock;
        this.summaries = summaries;
    }

    static EventTimes of(EventClock clock, QueryScope scope) {
        IndexFunction function = clock.function();
        if (function == null || !function.isReadable()) {
            return new EventTimes(clock, null);
        }
        IndexedFunction indexed = IndexedFunction.of(scope.query().sourceId(), function);
        return new EventTimes(clock, indexed.summaries(scope, index -> true));
    }

    /** The range of times of the chunk's records, or {@link TimeRange#ALL} if it is not known. */
    TimeRange of(ChunkCursor chunk) {
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
