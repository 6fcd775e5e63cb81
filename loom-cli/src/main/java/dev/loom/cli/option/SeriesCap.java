package dev.loom.cli.option;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many series a query may hold. */
public final class SeriesCap {
    @Option(
            names = "--series-max",
            paramLabel = "N",
            description = "The most series to hold, by default 10000; more are an error (exit code 4).")
    private @Nullable Long seriesMax;

    public @Nullable Long seriesMax() {
        return seriesMax;
    }
}
