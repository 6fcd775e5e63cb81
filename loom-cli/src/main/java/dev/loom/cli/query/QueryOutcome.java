package dev.loom.cli.query;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.QueryOptions;
import dev.loom.query.model.Completeness;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.ReportRows;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What a query reports on standard error when it ends, and its exit code. */
final class QueryOutcome {
    private QueryOutcome() {}

    /**
     * Reports what is missing and, if wanted, how the answer was found.
     *
     * @param hints what the user may have meant by a field that no record has
     * @return the exit code
     */
    static int tell(Console console, ReportRows end, QueryOptions options, UnaryOperator<String> hints) {
        Completeness completeness = end.report().completeness();
        if (!completeness.complete()) {
            console.warn("incomplete answer: " + JsonText.object(ReportRows.missing(completeness)));
        }
        end.unseen()
                .forEach(field -> console.say("no record that was read has a value in " + field + hints.apply(field)));
        if (options.explain()) {
            console.err().println(JsonText.object(Map.of("explain", end.explanation())));
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
}
