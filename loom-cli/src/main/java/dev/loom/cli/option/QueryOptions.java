package dev.loom.cli.option;

import dev.loom.query.model.QueryIndex;
import dev.loom.query.service.QueryLimits;
import dev.loom.server.request.RequestTexts;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of all queries: budgets, explanations, strictness. */
public final class QueryOptions {
    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            description = "Ends the query after this time, with what it has found (exit code 4).")
    private @Nullable String timeout;

    @Option(
            names = "--max-bytes-read",
            paramLabel = "SIZE",
            description = "Ends the query after reading this many bytes, with what it has found (exit code 4).")
    private @Nullable String bytesReadMax;

    @Option(
            names = "--disable-index",
            paramLabel = "INDEX",
            split = ",",
            description = "Answers without this index: ${COMPLETION-CANDIDATES}.")
    private Set<QueryIndex> disabledIndexes = new HashSet<>();

    @Option(
            names = "--explain",
            fallbackValue = "true",
            description = "Prints the work of the query to standard error.")
    private boolean explain;

    @Option(names = "--strict", fallbackValue = "true", description = "Exit code 6 if records were lost in the range.")
    private boolean strict;

    public QueryLimits limits() {
        return RequestTexts.limits(timeout, bytesReadMax, disabledIndexes);
    }

    public boolean explain() {
        return explain;
    }

    public boolean strict() {
        return strict;
    }
}
