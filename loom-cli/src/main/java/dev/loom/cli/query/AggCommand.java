package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.QueryRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom agg}: count, sum, minimum, maximum, mean and percentiles of a field. */
@Command(
        name = "agg",
        description = "Prints count, sum, minimum, maximum, mean and exact percentiles of a field;"
                + " without one, counts records.",
        mixinStandardHelpOptions = true)
public final class AggCommand extends FieldQuery {
    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = "--percentile",
            paramLabel = "P",
            split = ",",
            description = "Percentiles, such as 50,99,99.99: the value of rank ceil(P/100 * count); repeatable.")
    private List<String> percentiles = new ArrayList<>();

    public AggCommand(Console console) {
        super(console);
    }

    @Override
    QueryRequest request(RequestBuilder builder) {
        return builder.aggregate(sourceName, field, where.texts(), percentiles);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times) {
        return new ListedResults(console, form(), times);
    }
}
