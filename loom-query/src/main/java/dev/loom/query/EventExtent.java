package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first and the last time that one source's records carry themselves, whatever the type of those times. A chunk is not
 * read if an index shows that its times lie within the extent found so far, or that all its records count.
 *
 * <p>Constant memory: 1 MiB, and the longest jumbo payload met. Not thread-safe.
 */
public final class EventExtent extends Query<EventExtent> {
    private long firstNs = Long.MAX_VALUE;
    private long lastNs = Long.MIN_VALUE;

    private EventExtent(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
    }

    /** The extent of all times; {@link #eventRange} narrows it. */
    public static EventExtent of(Snapshot snapshot, int sourceId, EventClock clock) {
        return new EventExtent(snapshot, sourceId).eventRange(clock, TimeRange.ALL);
    }

    /**
     * The result.
     *
     * @param times from the first time to just past the last; null if there are none
     */
    public record Result(@Nullable TimeRange times, QueryStatistics statistics, Completeness completeness) {}

    @Override
    EventExtent self() {
        return this;
    }

    /** Runs the query. If its budget ended it early, the result covers only what was read. */
    public Result run() {
        firstNs = Long.MAX_VALUE;
        lastNs = Long.MIN_VALUE;
        QueryTerms terms = terms();
        EventRange range = Objects.requireNonNull(terms.eventRange());
        EventClock clock = range.clock();
        try (QueryScope scope = new QueryScope(terms)) {
            EventTimes times = EventTimes.of(clock, scope.plan());
            SourceWalk walk =
                    scope.walk(Order.NEWEST_FIRST, (chunk, whole) -> decide(range.range(), times.of(chunk), whole));
            StoredRecord record = walk.record();
            while (walk.next()) {
                long timeNs = clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
                stretch(timeNs, timeNs);
            }
            TimeRange found = firstNs > lastNs ? null : TimeRange.closed(firstNs, lastNs);
            return new Result(found, scope.statistics(0), scope.completeness());
        }
    }

    private ChunkUse decide(TimeRange range, TimeRange ofChunk, boolean whole) {
        if (ofChunk.equals(TimeRange.ALL)) {
            return ChunkUse.READ;
        } else if (whole) {
            stretch(ofChunk.fromNs(), ofChunk.lastNs());
            return ChunkUse.FROM_TOTALS;
        }
        TimeRange inRange = range.and(ofChunk);
        return inRange.fromNs() >= firstNs && inRange.lastNs() <= lastNs ? ChunkUse.FROM_TOTALS : ChunkUse.READ;
    }

    private void stretch(long fromNs, long toNs) {
        firstNs = Math.min(firstNs, fromNs);
        lastNs = Math.max(lastNs, toNs);
    }
}
