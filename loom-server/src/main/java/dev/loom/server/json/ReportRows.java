package dev.loom.server.json;

import dev.loom.query.Difference;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.service.CauseThreshold;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.SeriesTally;
import dev.loom.server.text.ShortText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a query ended, as JSON has it.
 *
 * @param results what was printed
 */
public record ReportRows(QueryReport report, QueryLimits limits, RecordResults results, RunTime time) {
    /** Records that were left out because they have no time: how many, or {@code true} if there are any. */
    public static final String WITHOUT_TIME = "without_time";

    /** What the answer lacks, what was found out besides, and the work as {@code stats}: the last line of an answer. */
    public Map<String, Object> outcome() {
        Map<String, Object> values = missing();
        values.putAll(found());
        values.put("stats", work());
        return values;
    }

    /** The work, and what {@link #outcome()} has, in one row. */
    public Map<String, Object> explanation() {
        Map<String, Object> values = work();
        values.putAll(found());
        values.putAll(missing());
        return values;
    }

    private Map<String, Object> missing() {
        Map<String, Object> values = missing(report.completeness());
        if (report.withoutTime() > 0) {
            values.put(WITHOUT_TIME, report.withoutTimeCounted() ? report.withoutTime() : true);
        }
        return values;
    }

    /** What an answer lacks, except records without a time. */
    public static Map<String, Object> missing(Completeness completeness) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("complete", completeness.complete());
        values.put("lost", completeness.lost());
        values.put("damaged_pages", completeness.damagedPages());
        values.put("expired", completeness.expired());
        values.put("limit", completeness.limit().name().toLowerCase(Locale.ROOT));
        return values;
    }

    /** Fields of conditions that no record had; they may be misspelt. */
    public List<String> unseen() {
        return report.statistics().fieldsSeen().entrySet().stream()
                .filter(field -> !field.getValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    private Map<String, Object> found() {
        SeriesTally tally = results.tally();
        if (tally != null) {
            Map<String, Object> series = new LinkedHashMap<>();
            series.put("series", tally.series());
            series.put("points", tally.points());
            series.put("duplicate_points", tally.duplicates());
            series.put("without_value", tally.withoutValue());
            return series;
        }
        CauseThreshold threshold = results.threshold();
        Number number = threshold == null ? null : number(threshold);
        Map<String, Object> values = new LinkedHashMap<>();
        if (threshold != null && number != null) {
            values.put(threshold.inclusive() ? "at_least" : "above", number);
        }
        Difference.Result difference = results.difference();
        if (difference != null) {
            values.put("compared", DifferenceRows.summary(difference));
        }
        return values;
    }

    /** The value of a threshold; null if it is a percentile of no values. */
    public static @Nullable Number number(CauseThreshold threshold) {
        return threshold.number() == null
                ? NumberText.number(threshold.value(), threshold.exact())
                : threshold.number();
    }

    private Map<String, Object> work() {
        QueryStatistics work = report.statistics();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pages_considered", work.pagesConsidered());
        values.put("pages_skipped_by_time", work.pagesSkipped());
        values.put("pages_skipped_by_bins", work.pagesSkippedByBins());
        values.put("pages_skipped_by_tokens", work.pagesSkippedByTokens());
        values.put("pages_read", work.pagesRead());
        values.put("bytes_read", work.bytesRead());
        values.put("chunks_read", work.chunksRead());
        values.put("chunks_from_totals", work.chunksFromTotals());
        values.put("chunks_from_bins", work.chunksFromBins());
        values.put("runs", work.runs());
        values.put("records_printed", results.printed());
        values.put("scans", report.scans());
        values.put("wall_ns", time.wallNs());
        values.put("cpu_ns", time.cpuNs());
        values.put("time_index", limits.uses(QueryIndex.TIME) ? "used" : "not used: disabled");
        values.put("chunk_index", indexes(work.plan()));
        List<String> unseen = unseen();
        if (!unseen.isEmpty()) {
            values.put("fields_without_values", unseen);
        }
        return values;
    }

    /** What was done with indexes over fields; without those over numbers, what was done with the text index. */
    private Object indexes(List<String> plan) {
        List<String> used = plan.stream()
                .filter(line -> limits.uses(QueryIndex.CHUNK) || line.contains(": text index, "))
                .map(ShortText::of) // it may name a thousand traces
                .toList();
        return used.isEmpty() && !limits.uses(QueryIndex.CHUNK) ? "not used: disabled" : used;
    }
}
