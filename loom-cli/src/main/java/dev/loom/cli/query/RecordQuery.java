package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.query.service.QueryRequest;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Common code of the commands that print records of one source. */
abstract class RecordQuery extends SourceQuery {
    @Option(
            names = "--where",
            paramLabel = "EXPR",
            description = "Only records that match this expression, such as 'latency_ns > 50ms and op =="
                    + " \"GET\"'; repeatable.")
    List<String> where = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most N records.")
    long limit = Long.MAX_VALUE;

    @Option(names = "--asc", description = "Oldest first.")
    boolean ascending;

    @Mixin
    private FieldsOption fields = new FieldsOption();

    RecordQuery(Console console) {
        super(console);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times) {
        return new ConsoleResults(console, form(), times, fields, false)
                .highlight(request.records().conditions());
    }
}
