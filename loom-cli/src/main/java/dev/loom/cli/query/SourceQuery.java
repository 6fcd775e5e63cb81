package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeenFields;
import dev.loom.server.time.TimePrinter;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Parameters;

/** Common code of the commands that query one source in a time range. */
abstract class SourceQuery extends StoreQuery {
    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    String sourceName = "";

    SourceQuery(Console console) {
        super(console);
    }

    @Override
    final UnaryOperator<String> hints(Snapshot snapshot) {
        return SeenFields.hints(snapshot, sourceName);
    }

    @Override
    abstract SourceRequest request(RequestBuilder builder);

    @Override
    final ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times) {
        return results(snapshot, (SourceRequest) request, times);
    }

    /** Prints what the request finds. */
    abstract ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times);
}
