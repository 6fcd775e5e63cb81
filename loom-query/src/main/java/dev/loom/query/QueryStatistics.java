package dev.loom.query;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The work of a query, as counters; of one that passes several times over its range, of all passes together.
 *
 * @param pagesConsidered pages of the record log in the range
 * @param pagesSkipped of those, pages that the timestamp index showed to hold nothing of the source in the time range
 * @param pagesSkippedByBins of those, pages that an index's summaries showed to hold nothing that is looked for
 * @param pagesRead pages of the record log that were read, from memory or from disk
 * @param bytesRead bytes read of all logs, from memory or from disk
 * @param recordsReturned records that the cursor has stood on; of an aggregate, those that were read and looked at
 * @param chunksFromTotals chunks that the totals in their directories answered for
 * @param chunksFromBins chunks that their bins answered for
 * @param chunksRead chunks whose records were read, and pages that were read without a directory, each of which is a chunk
 * @param plan which index was used for what, or why none was
 * @param fieldsSeen the fields that conditions read of records, each with whether any of these had a value there
 */
public record QueryStatistics(
        long pagesConsidered,
        long pagesSkipped,
        long pagesSkippedByBins,
        long pagesRead,
        long bytesRead,
        long recordsReturned,
        long chunksFromTotals,
        long chunksFromBins,
        long chunksRead,
        List<String> plan,
        Map<String, Boolean> fieldsSeen) {
    /** No work. */
    public static final QueryStatistics NONE = new QueryStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), Map.of());

    public QueryStatistics {
        plan = List.copyOf(plan);
        fieldsSeen = Collections.unmodifiableMap(new TreeMap<>(fieldsSeen));
    }

    /** This work and another together; what both plans say is said once. */
    public QueryStatistics plus(QueryStatistics more) {
        List<String> plans = new ArrayList<>(plan);
        more.plan.stream().filter(line -> !plans.contains(line)).forEach(plans::add);
        Map<String, Boolean> seen = new TreeMap<>(fieldsSeen);
        more.fieldsSeen.forEach((field, found) -> seen.merge(field, found, Boolean::logicalOr));
        return new QueryStatistics(
                pagesConsidered + more.pagesConsidered,
                pagesSkipped + more.pagesSkipped,
                pagesSkippedByBins + more.pagesSkippedByBins,
                pagesRead + more.pagesRead,
                bytesRead + more.bytesRead,
                recordsReturned + more.recordsReturned,
                chunksFromTotals + more.chunksFromTotals,
                chunksFromBins + more.chunksFromBins,
                chunksRead + more.chunksRead,
                plans,
                seen);
    }

    /** The same without records, of a query whose records are no answer. */
    QueryStatistics withoutRecords() {
        return new QueryStatistics(
                pagesConsidered,
                pagesSkipped,
                pagesSkippedByBins,
                pagesRead,
                bytesRead,
                0,
                chunksFromTotals,
                chunksFromBins,
                chunksRead,
                plan,
                fieldsSeen);
    }
}
