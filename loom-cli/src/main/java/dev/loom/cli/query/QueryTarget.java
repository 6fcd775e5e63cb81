package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Query;
import dev.loom.query.TimeRange;
import org.jspecify.annotations.Nullable;

/** The source and the time range of a query. */
final class QueryTarget {
    private final Source source;
    private final TimeRange range;
    private final EventTime.@Nullable Reader eventTime;

    /**
     * Looks up the source.
     *
     * @param range of arrival or event time, as the options say
     */
    QueryTarget(Snapshot snapshot, String sourceName, TimeOptions time, TimeRange range) {
        this.source = SourceLookup.find(snapshot, sourceName);
        this.range = range;
        this.eventTime = time.event() ? eventTime(source) : null;
    }

    Source source() {
        return source;
    }

    TimeRange range() {
        return range;
    }

    /** Reads event times; null if the range is of arrival time. */
    EventTime.@Nullable Reader eventTime() {
        return eventTime;
    }

    /** Reports records left out because they have no event time. */
    void tellLeftOut(Console console) {
        if (eventTime != null && eventTime.withoutTime() > 0) {
            console.say("records without an event time are left out");
        }
    }

    /** Limits a query to the range. */
    <Q extends Query<Q>> Q confine(Query<Q> query) {
        return eventTime == null ? query.range(range) : query.eventRange(eventTime, range);
    }

    /** A field of the source as a number. */
    IndexFunction number(String field) {
        return number(source, field);
    }

    static IndexFunction number(Source source, String field) {
        try {
            return IndexFunction.field(source.format(), field);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("", e);
        }
    }

    static EventTime.Reader eventTime(Source source) {
        EventTime eventTime = EventTime.of(source);
        if (eventTime == null) {
            throw CommandFailure.usage(
                    "source has no event time: " + source.name() + "; import names it with --event-time");
        }
        return eventTime.reader(source.format());
    }

    /** Reports the range if it has an end. */
    static void tellRange(Console console, TimeOptions time, TimeRange range, TimePrinter times) {
        if (!range.equals(TimeRange.ALL)) {
            String from = range.fromNs() == Long.MIN_VALUE ? "the beginning" : times.text(range.fromNs());
            String to = range.toNs() == Long.MAX_VALUE ? "the end" : times.text(range.toNs()) + " (excluded)";
            console.say((time.event() ? "event" : "arrival") + " time from " + from + " to " + to);
        }
    }
}
