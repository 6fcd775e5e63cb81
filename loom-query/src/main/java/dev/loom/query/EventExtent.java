package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.record.PageRecords;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first and the last of the times that the records of one source carry themselves, whatever kind of value these are.
 * Chunks of whose times an index tells that they lie between those found before, or that all count, are not read.
 *
 * <p>Constant memory: 1 MiB, and the longest jumbo payload met. Not thread-safe.
 */
public final class EventExtent extends Query<EventExtent> {
    private long firstNs = Long.MAX_VALUE;
    private long lastNs = Long.MIN_VALUE;

    private EventExtent(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
    }

    /** The extent of all times; {@link #eventRange} confines it. */
    public static EventExtent of(Snapshot snapshot, int sourceId, EventClock clock) {
        return new EventExtent(snapshot, sourceId).eventRange(clock, TimeRange.ALL);
    }

    /**
     * What was found.
     *
     * @param times from the first up to behind the last; null when there are none
     */
    public record Found(@Nullable TimeRange times, QueryStatistics statistics, Completeness completeness) {}

    @Override
    EventExtent self() {
        return this;
    }

    /** Finds them. Of a query that its budget ended, they are those of what was looked at. */
    public Found find() {
        firstNs = Long.MAX_VALUE;
        lastNs = Long.MIN_VALUE;
        EventClock clock = Objects.requireNonNull(eventClock());
        try (QueryScope scope = new QueryScope(this)) {
            EventTimes times = EventTimes.of(clock, scope);
            SourceWalk walk = scope.walk(Order.NEWEST_FIRST, (chunk, whole) -> decide(times.of(chunk), whole));
            PageRecords record = walk.record();
            while (walk.next()) {
                long timeNs = clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
                stretch(timeNs, timeNs);
            }
            TimeRange found = firstNs > lastNs ? null : TimeRange.closed(firstNs, lastNs);
            return new Found(found, scope.statistics(0), scope.completeness());
        }
    }

    private ChunkUse decide(TimeRange ofChunk, boolean whole) {
        if (ofChunk.equals(TimeRange.ALL)) {
            return ChunkUse.READ;
        } else if (whole) {
            stretch(ofChunk.fromNs(), ofChunk.lastNs());
            return ChunkUse.FROM_TOTALS;
        }
        TimeRange inRange = eventRange().and(ofChunk);
        return inRange.fromNs() >= firstNs && inRange.lastNs() <= lastNs ? ChunkUse.FROM_TOTALS : ChunkUse.READ;
    }

    private void stretch(long fromNs, long toNs) {
        firstNs = Math.min(firstNs, fromNs);
        lastNs = Math.max(lastNs, toNs);
    }
}
