package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.option.WhereOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loom hist}: the distribution of a field over values, over time, or both. */
@Command(
        name = "hist",
        description = "Counts a field's values by size, by time or by both; draws a chart in a terminal.",
        mixinStandardHelpOptions = true)
public final class HistCommand extends FieldQuery {
    /** What the histogram counts by. */
    enum By {
        VALUE,
        TIME;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int LINES_MAX = 24;

    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = "--by",
            paramLabel = "BY",
            split = ",",
            description = "${COMPLETION-CANDIDATES}, or both as value,time; by default value.")
    private Set<By> by = EnumSet.of(By.VALUE);

    @Option(
            names = "--step",
            paramLabel = "DURATION",
            description = "Length of a time step; by default fits the terminal.")
    private @Nullable String step;

    @Spec
    private @Nullable CommandSpec spec;

    public HistCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        int groupsMax = form() == OutputFormat.TABLE ? LINES_MAX : RequestBuilder.GROUPS_MAX;
        return builder.histogram(
                sourceName,
                field,
                where.texts(),
                by.contains(By.VALUE),
                groupsMax,
                by.contains(By.TIME),
                TypedOptions.usable(by.contains(By.TIME), spec, "--step", step),
                console.columns());
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ListedResults(console, form(), times);
    }
}
