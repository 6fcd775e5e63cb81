package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom top}: the records with the largest values of a field. */
@Command(
        name = "top",
        description = "Prints the records with the largest values of a field, or with --asc the"
                + " smallest; among equal values the newest.",
        mixinStandardHelpOptions = true)
public final class TopCommand extends FieldQuery {
    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of records, at most 16384; by default ${DEFAULT-VALUE}.")
    private int count = 10;

    @Option(names = "--asc", fallbackValue = "true", description = "The smallest values, smallest first.")
    private boolean smallest;

    @Mixin
    private FieldsOption fields = new FieldsOption();

    public TopCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.top(sourceName, field, where.texts(), count, smallest);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ConsoleResults(console, form(), times, fields, false)
                .highlight(request.records().conditions());
    }
}
