package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.SeriesCap;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeriesTexts;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom series}: last values, increases, rates and percentiles of a metric. */
@Command(
        name = "series",
        description =
                "Prints what the series of a metric say together: last values, increases, rates, and percentiles out of"
                        + " histograms, which are estimates with their bounds. With --by for each group of series, with --step for each"
                        + " step of time, drawn in a terminal. Times are those of the points.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom series otlp.metrics http.server.requests --step 10s --fn rate --by service.name",
            "  loom series otlp.metrics http.server.duration --fn p50,p99 --since 10m",
            "  loom series otlp.metrics process.memory.usage --by attributes --fn last"
        })
public final class SeriesCommand extends SourceQuery {
    /** What {@code --fn} takes, besides other percentiles. */
    static final class Functions implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(SeriesTexts.FUNCTIONS.stream(), Stream.of("p50", "p99"))
                    .iterator();
        }
    }

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the metric; loom metrics lists them.")
    private String name = "";

    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            split = ",",
            description = "Groups series whose values of these fields are equal; attributes tells all series apart.")
    private List<String> by = new ArrayList<>();

    @Option(
            names = "--step",
            paramLabel = "DURATION",
            description = "Divides the range in steps of this length, such as 10s.")
    private @Nullable String step;

    @Option(
            names = "--fn",
            paramLabel = "FN",
            split = ",",
            completionCandidates = Functions.class,
            description = "last, increase, rate, or percentiles such as p50,p99; by default last,increase,rate.")
    private List<String> functions = new ArrayList<>();

    @Option(
            names = "--lookback",
            paramLabel = "DURATION",
            description =
                    "How old a last value may be, and how long before the range a series may have had its last point, by"
                            + " default 5m.")
    private @Nullable String lookback;

    @Mixin
    private SeriesCap cap = new SeriesCap();

    public SeriesCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.series(
                sourceName, name, where.texts(), new SeriesTexts(by, step, functions, lookback, cap.seriesMax()));
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new SeriesResults(console, form(), times);
    }
}
