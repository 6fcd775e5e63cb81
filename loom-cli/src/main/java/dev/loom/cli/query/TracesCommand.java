package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.WhereOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.service.QueryRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SpanTexts;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom traces}: the traces that have a span as described. */
@Command(
        name = "traces",
        description = "Lists the traces of which one span meets all conditions, those with the newest such span first.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom traces --service checkout --error --since 1h",
            "  loom traces --name 'GET /cart' --min-duration 500ms --limit 5",
            "  loom traces --attribute http.route=/cart --where 'kind == \"server\"'"
        })
public final class TracesCommand extends StoreQuery {
    @Option(names = "--service", paramLabel = "NAME", description = "A span of this service.")
    private @Nullable String service;

    @Option(names = "--name", paramLabel = "NAME", description = "A span of this name.")
    private @Nullable String name;

    @Option(names = "--min-duration", paramLabel = "DURATION", description = "A span that took at least this long.")
    private @Nullable String minDuration;

    @Option(names = "--max-duration", paramLabel = "DURATION", description = "A span that took at most this long.")
    private @Nullable String maxDuration;

    @Option(names = "--error", fallbackValue = "true", description = "A span whose status is an error.")
    private boolean error;

    @Option(
            names = "--attribute",
            paramLabel = "KEY=VALUE",
            description = "A span with this attribute, of its own or of its resource; repeatable.")
    private List<String> attributes = new ArrayList<>();

    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Looks only here; by default in all sources that declare the fields of spans; repeatable.")
    private List<String> sources = new ArrayList<>();

    @Option(
            names = "--json",
            fallbackValue = "true",
            description = "Prints all spans of these traces as OTLP/JSON, a request a line.")
    private boolean json;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most N traces, by default 20, at most 1000.")
    private @Nullable Long limit;

    public TracesCommand(Console console) {
        super(console);
    }

    @Override
    OutputFormat form() {
        OutputFormat form = json ? OutputFormat.JSON : super.form();
        if (form == OutputFormat.RAW) {
            throw CommandFailure.usage("traces have no raw form; use -o table, json or csv");
        }
        return form;
    }

    @Override
    UnaryOperator<String> hints(Snapshot snapshot) {
        return field -> "";
    }

    @Override
    QueryRequest request(RequestBuilder builder) {
        SpanTexts spans = new SpanTexts(service, name, minDuration, maxDuration, error, attributes, where.texts());
        return builder.traces(spans, sources, json, limit);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times) {
        return new TraceResults(console, form(), times, json);
    }
}
