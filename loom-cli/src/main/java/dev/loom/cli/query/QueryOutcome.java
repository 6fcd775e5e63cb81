package dev.loom.cli.query;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.output.Listing;
import dev.loom.cli.text.TextBuffer;
import dev.loom.query.Completeness;
import dev.loom.query.QueryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a query reports on standard error when it ends, and its exit code. */
public final class QueryOutcome {
    private QueryOutcome() {}

    /**
     * Reports what is missing and, if wanted, how the answer was found.
     *
     * @param printed records printed
     * @return the exit code
     */
    public static int tell(Console console, QueryRun run, QueryOptions options, long printed) {
        Completeness completeness = run.completeness();
        Map<String, Object> outcome = missing(completeness);
        outcome.putAll(run.told());
        outcome.put("stats", work(run, printed));
        console.outcome(outcome);
        if (!completeness.complete()) {
            console.warn("incomplete answer: " + json(missing(completeness)));
        }
        List<String> unseen = unseen(run.work());
        if (!unseen.isEmpty()) {
            unseen.forEach(field -> console.say("no record that was read has a value in " + field + run.hint(field)));
        }
        if (options.explain()) {
            console.err().println(json(Map.of("explain", explanation(run, printed))));
        }
        return exitCode(console, completeness, options.strict());
    }

    private static int exitCode(Console console, Completeness completeness, boolean strict) {
        if (console.interruption().requested()) {
            return ExitCode.INTERRUPTED;
        } else if (completeness.limit() != Completeness.Limit.NONE) {
            return ExitCode.LIMIT;
        } else if (completeness.damagedPages() > 0) {
            return ExitCode.STORE;
        }
        return strict && completeness.lost() > 0 ? ExitCode.LOST : ExitCode.OK;
    }

    /** Fields of conditions that no record had; they may be misspelt. */
    private static List<String> unseen(QueryStatistics work) {
        return work.fieldsSeen().entrySet().stream()
                .filter(field -> !field.getValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Map<String, Object> missing(Completeness completeness) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("complete", completeness.complete());
        values.put("lost", completeness.lost());
        values.put("damaged_pages", completeness.damagedPages());
        values.put("expired", completeness.expired());
        values.put("limit", completeness.limit().name().toLowerCase(Locale.ROOT));
        return values;
    }

    private static Map<String, Object> explanation(QueryRun run, long printed) {
        Map<String, Object> values = work(run, printed);
        values.putAll(run.told());
        values.putAll(missing(run.completeness()));
        return values;
    }

    private static Map<String, Object> work(QueryRun run, long printed) {
        QueryStatistics work = run.work();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pages_considered", work.pagesConsidered());
        values.put("pages_skipped_by_time", work.pagesSkipped());
        values.put("pages_skipped_by_bins", work.pagesSkippedByBins());
        values.put("pages_read", work.pagesRead());
        values.put("bytes_read", work.bytesRead());
        values.put("chunks_read", work.chunksRead());
        values.put("chunks_from_totals", work.chunksFromTotals());
        values.put("chunks_from_bins", work.chunksFromBins());
        values.put("records_printed", printed);
        values.put("scans", run.scans());
        values.put("wall_ns", run.wallNs());
        values.put("cpu_ns", run.cpuTimeNs());
        values.put("time_index", run.usedTimeIndex() ? "used" : "not used: disabled");
        values.put("chunk_index", run.usedChunkIndex() ? work.plan() : "not used: disabled");
        List<String> unseen = unseen(work);
        if (!unseen.isEmpty()) {
            values.put("fields_without_values", unseen);
        }
        return values;
    }

    private static String json(Map<String, Object> values) {
        TextBuffer text = new TextBuffer(256);
        Listing.putJson(text, values);
        return text.toString();
    }
}
