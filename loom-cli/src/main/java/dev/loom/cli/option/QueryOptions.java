package dev.loom.cli.option;

import dev.loom.query.service.QueryLimits;
import dev.loom.server.request.RequestTexts;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of all queries: budgets, explanations, strictness. */
public final class QueryOptions {
    /** Indexes that a query can be told not to use. */
    enum Index {
        TIME,
        CHUNK,
        TEXT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

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
    private Set<Index> disabledIndexes = new HashSet<>();

    @Option(names = "--explain", description = "Prints the work of the query to standard error.")
    private boolean explain;

    @Option(names = "--strict", description = "Exit code 6 if records were lost in the range.")
    private boolean strict;

    public QueryLimits limits() {
        return RequestTexts.limits(
                timeout,
                bytesReadMax,
                !disabledIndexes.contains(Index.TIME),
                !disabledIndexes.contains(Index.CHUNK),
                !disabledIndexes.contains(Index.TEXT));
    }

    public boolean explain() {
        return explain;
    }

    public boolean strict() {
        return strict;
    }
}
