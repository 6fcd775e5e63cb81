package dev.loom.cli.query;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.option.WhereOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.TailRequest;
import dev.loom.server.json.ReportRows;
import dev.loom.server.json.RunTime;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeenFields;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;
import java.time.ZoneOffset;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loom tail}: the newest records of a source, and those that arrive. */
@Command(
        name = "tail",
        description = "Prints the last records of a source, oldest first, and with -f new ones as they arrive.",
        mixinStandardHelpOptions = true)
public final class TailCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    private String sourceName = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "QUERY",
            description = "Only records whose text matches this query, as in search.")
    private @Nullable String text;

    @Option(
            names = "--field",
            paramLabel = "FIELD",
            description = "The field that QUERY searches; by default the source's text.")
    private @Nullable String field;

    @Option(
            names = {"-f", "--follow"},
            fallbackValue = "true",
            description = "Continues with new records as they arrive, until Ctrl-C.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Starts with the last N records; by default 20.")
    private long lines = 20;

    @Mixin
    private WhereOption where = new WhereOption();

    @Mixin
    private FieldsOption fields = new FieldsOption();

    @Mixin
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    @Spec
    private @Nullable CommandSpec spec;

    public TailCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        QueryLimits limits = query.limits();
        RunTime runTime = new RunTime();
        OutputFormat form = output.format(console);
        ConsoleResults results = new ConsoleResults(console, form, new TimePrinter(ZoneOffset.UTC), fields, false);
        QueryReport report;
        try (Progress progress = new Progress(console, "pages read")) {
            if (!follow) {
                results.progress(progress);
            }
            report = new QueryService(EventTime::clock, QueryMemory.UNLIMITED, console.interruption()::requested)
                    .tail(
                            () -> LoomReader.attach(store.directory()),
                            snapshot -> request(snapshot, limits, form, results),
                            results);
        }
        ReportRows end = new ReportRows(report, limits, results, runTime);
        results.end(end);
        return QueryOutcome.tell(console, end, query, field -> "");
    }

    private TailRequest request(Snapshot snapshot, QueryLimits limits, OutputFormat form, ConsoleResults results) {
        return SeenFields.hinting(SeenFields.hints(snapshot, sourceName), () -> {
            TailRequest request = RequestBuilder.tail(
                    snapshot,
                    limits,
                    sourceName,
                    where.texts(),
                    text,
                    TypedOptions.usable(text != null, spec, "--field", field),
                    lines,
                    follow);
            fields.of(request.source().format(), form);
            results.highlight(request.conditions());
            return request;
        });
    }
}
