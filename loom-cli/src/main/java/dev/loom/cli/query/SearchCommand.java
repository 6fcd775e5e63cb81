package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.TypedOptions;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loom search}: the records whose text matches words. */
@Command(
        name = "search",
        description = "Prints or counts the records whose text matches a query, newest first.",
        mixinStandardHelpOptions = true)
public final class SearchCommand extends RecordQuery {
    private static final List<String> OF_RECORDS = List.of("--limit", "--asc", "--fields", "--addr");

    @Parameters(
            index = "1",
            paramLabel = "QUERY",
            description = "The query, such as 'error AND (timeout OR refused*) NOT \"retry later\"'; ignores case.")
    private String text = "";

    @Option(names = "--field", paramLabel = "FIELD", description = "The field to search; by default the source's text.")
    private @Nullable String field;

    @Option(
            names = "--count",
            fallbackValue = "true",
            description = "Counts the records per time step instead of printing them.")
    private boolean count;

    @Option(
            names = "--step",
            paramLabel = "DURATION",
            description = "Length of a time step for --count; by default fits the terminal.")
    private @Nullable String step;

    @Option(
            names = "--within",
            paramLabel = "SHARE",
            description = "Ends --count with an estimate once the sum is within this share with a probability of 95 %%,"
                    + " such as 2%%.")
    private @Nullable String within;

    @Spec
    private @Nullable CommandSpec spec;

    public SearchCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        if (count) {
            refuseForCounts();
        }
        return builder.search(
                sourceName,
                text,
                field,
                where.texts(),
                ascending,
                limit,
                count,
                TypedOptions.usable(count, spec, "--step", step),
                console.columns(),
                TypedOptions.usable(count, spec, "--within", within));
    }

    private void refuseForCounts() {
        for (String option : OF_RECORDS) {
            if (TypedOptions.contains(spec, option)) {
                throw CommandFailure.usage(option + " is for records, which --count does not print");
            }
        }
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return count ? new ListedResults(console, form(), times) : super.results(snapshot, request, times);
    }
}
