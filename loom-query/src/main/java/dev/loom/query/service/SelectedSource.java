package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.query.Query;
import org.jspecify.annotations.Nullable;

/**
 * The records of a request with the clock that reads their times.
 *
 * @param clock null if the range is of arrival times
 */
record SelectedSource(RecordSelection records, @Nullable SourceClock clock) {
    Source source() {
        return records.source();
    }

    /** Limits an operator to the conditions and the range; returns it. */
    <Q extends Query<Q>> Q confine(Q query) {
        restrict(query);
        return clock == null ? query.range(records.range()) : query.eventRange(clock, records.range());
    }

    /** Limits an operator to the conditions; returns it. */
    <Q extends Query<Q>> Q restrict(Q query) {
        records.conditions().forEach(query::where);
        return query;
    }

    long withoutTime() {
        return clock == null ? 0 : clock.withoutTime();
    }
}
