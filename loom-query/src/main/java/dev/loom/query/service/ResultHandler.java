package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.ProgressiveCount;
import java.util.List;
import org.agrona.DirectBuffer;

/** Takes the results of a query as they are found, on the query's thread. What a handler throws ends the query. */
public interface ResultHandler {
    /** Called once, before the first result. */
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

    /**
     * There is no histogram.
     *
     * @param reason why, for people
     */
    default void onNothing(String reason) {}

    /** Called about once a page, also while nothing is found. */
    default void onPulse() {}

    /** No result follows soon: whoever waits should see those so far. */
    default void onFlush() {}
}
