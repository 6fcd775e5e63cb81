package dev.loom.query.service;

import dev.loom.query.trace.SpanReader;
import java.util.List;

/**
 * Asks for the traces of which a span meets conditions, those with the newest such span first. A trace is then described by all its spans
 * that arrived, or by event time ended, at most {@link #MARGIN_NS} before or behind the range.
 *
 * @param records the spans asked for, one selection for each source; the ranges are equal
 * @param took how long the spans asked for took
 * @param spans whether the spans of the traces are handed over instead, for {@link ResultHandler#onRecord}
 * @param lastArrived whether the newest spans are those that arrived last, also where the range is of event times: records are then read
 *     only until there are enough traces
 * @param matchesMax the most spans asked for that a trace's summary names, from 0 to {@link #MATCHES_MAX}
 * @param limit the most traces, from 1 to {@link #LIMIT_MAX}
 */
public record TracesRequest(
        List<RecordSelection> records,
        Took took,
        boolean spans,
        boolean lastArrived,
        int matchesMax,
        int limit,
        QueryLimits limits)
        implements QueryRequest {
    /** The limit if none is set, and the highest that can be set. */
    public static final int LIMIT_DEFAULT = 20;

    public static final int LIMIT_MAX = 1000;

    /** The most spans asked for that a summary can name. */
    public static final int MATCHES_MAX = 100;

    /** How far from the range spans are counted: an hour. */
    public static final long MARGIN_NS = 3_600_000_000_000L;

    /**
     * A range of durations, both ends included.
     *
     * @param leastNs {@code Long.MIN_VALUE} for none
     * @param mostNs {@code Long.MAX_VALUE} for none
     */
    public record Took(long leastNs, long mostNs) {
        /** Any duration, known or not. */
        public static final Took ANY = new Took(Long.MIN_VALUE, Long.MAX_VALUE);

        /** Whether the span that a reader stands on took so long. */
        boolean holds(SpanReader span) {
            long tookNs = equals(ANY) ? 0 : span.durationNs();
            return tookNs != SpanReader.UNKNOWN && tookNs >= leastNs && tookNs <= mostNs;
        }
    }

    /** @throws RequestException if there is no source, or a limit is out of range */
    public TracesRequest {
        records = List.copyOf(records);
        if (records.isEmpty()) {
            throw new RequestException(
                    "the store has no source whose format declares spans: they need the fields trace_id, span_id,"
                            + " and two of start, end and duration; name a source of JSON with --source");
        } else if (limit < 1 || limit > LIMIT_MAX) {
            throw new RequestException("limit", " must be 1 to " + LIMIT_MAX + ": " + limit);
        } else if (matchesMax < 0 || matchesMax > MATCHES_MAX) {
            throw new RequestException("matches", " must be 0 to " + MATCHES_MAX + ": " + matchesMax);
        }
    }
}
