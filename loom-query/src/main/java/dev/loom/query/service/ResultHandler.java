package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.Difference;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.MetricCatalog;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceSummary;
import java.util.List;
import org.agrona.DirectBuffer;

/** Takes the results of a query as they are found, on the query's thread. What a handler throws ends the query. */
public interface ResultHandler {
    /** Called before the first result; for traces before the records of each source, and once more if it is read again. */
    default void onBegin(Source source) {}

    /** Sets where the records that those of the answer refer to are found. */
    default void onLookup(RecordLookup lookup) {}

    /**
     * One record, whose payload is at {@code [offset, offset + length)} during the call only.
     *
     * @param timeNs epoch nanoseconds: of arrival, or of the event if the request means event time
     */
    default void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {}

    /** The address of the cause of the next record. */
    default void onCause(long address) {}

    /** The threshold of a correlation, before its matches. */
    default void onThreshold(CauseThreshold threshold) {}

    /** What a correlation looked at, after its matches. */
    default void onMatched(MatchSummary summary) {}

    /** The answer to an aggregate request. */
    default void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {}

    /**
     * The answer to a request for groups, during the call only. With steps, not called if there is no record in the range.
     *
     * @param covered the times of all groups together: the range of the request, whose open ends are the times of the source's first
     *     and last record, unless all are of one moment; with steps, from the first step's start to the last step's end
     * @param missing what the answer lacks, also of the range before and behind the steps
     */
    default void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {}

    /** The answer to a request for values, during the call only; each is a group. */
    default void onValues(ValuesRequest request, Groups values) {}

    /** The answer to a request for differences. Not called if a percentile chooses and there are no values. */
    default void onDifference(DifferenceRequest request, Difference.Result found) {}

    /**
     * The answer to a histogram request. Not called if there is no record in the range, or if by value and time no value.
     *
     * @param groups neighbouring bins from the first to the last that holds a value; with steps, each group is one bin of the
     *     counts; empty by time alone
     */
    default void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {}

    /**
     * Estimates of a count request, of each round but the last.
     *
     * @return whether to go on; if not, the answer is the same once more
     */
    default boolean onEstimate(CountRequest request, ProgressiveCount.Counts counts) {
        return true;
    }

    /** The answer to a count request. Not called if there is no record in the range. */
    default void onCount(CountRequest request, ProgressiveCount.Counts counts) {}

    /** The answer to a request for metrics: none if there are no points in the range. */
    default void onMetrics(MetricsRequest request, List<MetricCatalog.Metric> metrics) {}

    /** A group of series in a step, step by step; within a step the groups are in the order in which they were met. */
    default void onSeries(SeriesRequest request, SeriesStep step) {}

    /** What was found in all steps together, after them. */
    default void onSeriesEnd(SeriesRequest request, SeriesTally tally) {}

    /** The answer to a request for a tree of a trace. Not called if there is no record. */
    default void onTrace(TraceRequest request, Trace trace) {}

    /** The answer to a request for traces, the newest first. Not called if there is none. */
    default void onTraces(TracesRequest request, List<TraceSummary> traces) {}

    /**
     * There are no results of this kind.
     *
     * @param reason why, for people
     */
    default void onNothing(String reason) {}

    /**
     * Records are missing where a tail that follows stands: between the last record and the next one. What its beginning lacks, as fewer
     * records are there than it asks for, is not among them. The report counts it, too.
     */
    default void onMissing(Completeness missing) {}

    /** The source that a tail follows is closed: all of its records are handed over, and no others arrive. */
    default void onClosed(Source source) {}

    /** Called about once a page, also while nothing is found. */
    default void onPulse() {}

    /** No result follows soon: whoever waits should see those so far. */
    default void onFlush() {}
}
