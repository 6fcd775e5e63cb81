package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.time.TimePrinter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Common code of the commands that print records of one source. */
abstract class RecordQuery extends SourceQuery {
    @Mixin
    WhereOption where = new WhereOption();

    @Option(names = "--limit", paramLabel = "N", description = "At most N records.")
    long limit = Long.MAX_VALUE;

    @Option(names = "--asc", fallbackValue = "true", description = "Oldest first.")
    boolean ascending;

    @Mixin
    private FieldsOption fields = new FieldsOption();

    RecordQuery(Console console) {
        super(console);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ConsoleResults(console, form(), times, fields, false)
                .highlight(request.records().conditions());
    }
}
