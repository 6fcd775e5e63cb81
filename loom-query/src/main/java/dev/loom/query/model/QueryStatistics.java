package dev.loom.query.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counters of a query's work, over all passes.
 *
 * @param pagesConsidered pages of the record log in the range
 * @param pagesSkipped of those, pages that the timestamp index showed to hold nothing of the source in the time range
 * @param pagesSkippedByBins of those, pages that an index's summaries showed to hold no match
 * @param pagesSkippedByTokens of those, pages that the text index showed to hold no match
 * @param pagesRead pages of the record log read, from memory or from disk
 * @param bytesRead bytes read of all logs, from memory or from disk
 * @param recordsReturned records that the cursor returned; for an aggregate, records read and examined
 * @param chunksFromTotals chunks answered from the totals in their directories
 * @param chunksFromBins chunks answered from their bins
 * @param chunksRead chunks whose records were read; a page read without a directory counts as a chunk
 * @param runs of those answered, runs of chunks that answered for all of theirs at once
 * @param plan which index was used for what, or why none was
 * @param fieldsSeen the fields that conditions or groups read, each with whether any record had a value in it
 */
public record QueryStatistics(
        long pagesConsidered,
        long pagesSkipped,
        long pagesSkippedByBins,
        long pagesSkippedByTokens,
        long pagesRead,
        long bytesRead,
        long recordsReturned,
        long chunksFromTotals,
        long chunksFromBins,
        long chunksRead,
        long runs,
        List<String> plan,
        Map<String, Boolean> fieldsSeen) {
    /** No work. */
    public static final QueryStatistics NONE =
            new QueryStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), Map.of());

    public QueryStatistics {
        plan = List.copyOf(plan);
        fieldsSeen = Collections.unmodifiableMap(new TreeMap<>(fieldsSeen));
    }

    /** The sum of both; a line in both plans appears once. */
    public QueryStatistics plus(QueryStatistics more) {
        List<String> plans = new ArrayList<>(plan);
        more.plan.stream().filter(line -> !plans.contains(line)).forEach(plans::add);
        Map<String, Boolean> seen = new TreeMap<>(fieldsSeen);
        more.fieldsSeen.forEach((field, found) -> seen.merge(field, found, Boolean::logicalOr));
        return new QueryStatistics(
                pagesConsidered + more.pagesConsidered,
                pagesSkipped + more.pagesSkipped,
                pagesSkippedByBins + more.pagesSkippedByBins,
                pagesSkippedByTokens + more.pagesSkippedByTokens,
                pagesRead + more.pagesRead,
                bytesRead + more.bytesRead,
                recordsReturned + more.recordsReturned,
                chunksFromTotals + more.chunksFromTotals,
                chunksFromBins + more.chunksFromBins,
                chunksRead + more.chunksRead,
                runs + more.runs,
                plans,
                seen);
    }

    /** The same with these fields. */
    public QueryStatistics seeing(Map<String, Boolean> fields) {
        return new QueryStatistics(
                pagesConsidered,
                pagesSkipped,
                pagesSkippedByBins,
                pagesSkippedByTokens,
                pagesRead,
                bytesRead,
                recordsReturned,
                chunksFromTotals,
                chunksFromBins,
                chunksRead,
                runs,
                plan,
                fields);
    }

    /** The same with no records returned, for a query whose records are not the answer. */
    public QueryStatistics withoutRecords() {
        return new QueryStatistics(
                pagesConsidered,
                pagesSkipped,
                pagesSkippedByBins,
                pagesSkippedByTokens,
                pagesRead,
                bytesRead,
                0,
                chunksFromTotals,
                chunksFromBins,
                chunksRead,
                runs,
                plan,
                fieldsSeen);
    }
}
