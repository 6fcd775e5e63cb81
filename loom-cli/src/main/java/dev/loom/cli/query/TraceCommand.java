package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.service.QueryRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom trace}: the waterfall of a trace. */
@Command(
        name = "trace",
        description = "Draws the spans of a trace, from all sources, with its log records between them;"
                + " in JSON prints both as OTLP/JSON.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom trace 5b8efff798038103d269b633813fc60c",
            "  loom trace 5b8efff798038103d269b633813fc60c --json > trace.jsonl",
            "  loom trace 5b8efff798038103d269b633813fc60c --rows -o csv"
        })
public final class TraceCommand extends StoreQuery {
    @Parameters(index = "0", paramLabel = "TRACE_ID", description = "The trace: 32 hexadecimal digits.")
    private String traceId = "";

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Looks only here; by default in all sources with a field trace_id; repeatable.")
    private List<String> sources = new ArrayList<>();

    @Option(
            names = "--no-logs",
            fallbackValue = "true",
            description = "Leaves out log records, and sources that have no spans.")
    private boolean withoutLogs;

    @Option(names = "--json", fallbackValue = "true", description = "As -o json: OTLP/JSON, a request a line.")
    private boolean json;

    @Option(
            names = "--rows",
            fallbackValue = "true",
            description =
                    "In JSON and CSV, a row for each span and log record in the order of the waterfall, with self time.")
    private boolean rows;

    @Option(
            names = "--records-max",
            paramLabel = "N",
            description = "The most spans and log records to put together, by default 100000; more are an error (exit"
                    + " code 4).")
    private @Nullable Long recordsMax;

    public TraceCommand(Console console) {
        super(console);
    }

    @Override
    OutputFormat form() {
        OutputFormat form = json ? OutputFormat.JSON : super.form();
        if (form == OutputFormat.RAW) {
            throw CommandFailure.usage("a trace has no raw form; use -o table, json or csv");
        }
        return form;
    }

    /** Whether the records are printed as they are. */
    private boolean asOtlp() {
        return form() == OutputFormat.JSON && !rows;
    }

    @Override
    UnaryOperator<String> hints(Snapshot snapshot) {
        return field -> "";
    }

    @Override
    QueryRequest request(RequestBuilder builder) {
        return builder.trace(traceId, sources, !withoutLogs, !asOtlp(), recordsMax);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times) {
        return new TraceResults(console, form(), times, asOtlp());
    }
}
