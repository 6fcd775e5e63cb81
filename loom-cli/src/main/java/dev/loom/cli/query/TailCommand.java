package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.OutputFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom tail}: the newest records of a source, and those that arrive. */
@Command(
        name = "tail",
        description = "Prints the last records of a source, oldest first, and with -f those that arrive.",
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
            description = "Only records whose text has these words, as search finds them.")
    private @Nullable String text;

    @Option(
            names = {"-f", "--follow"},
            description = "Goes on with the records that arrive, until Ctrl-C.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Begins with the last N records; by default 20.")
    private long lines = 20;

    @Option(names = "--where", paramLabel = "EXPR", description = "Only records for which this holds; repeatable.")
    private List<String> where = new ArrayList<>();

    @Mixin
    private FieldsOption fields = new FieldsOption();

    @Mixin
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    public TailCommand(Console console) {
        this.console = console;
    }

    private RecordFilter filter(Source source) {
        RecordFilter filter = RecordFilter.of(where, source.format());
        return text == null ? filter : filter.matching(text, TextField.of(source, null), source.format());
    }

    @Override
    public Integer call() {
        if (lines < 0) {
            throw CommandFailure.usage("-n is negative: " + lines);
        }
        QueryRun run = new QueryRun(console, query);
        OutputFormat form = output.format(console);
        Tail tail = new Tail(console, run, store.directory(), sourceName, this::filter, form, fields);
        tail.run(lines, follow);
        return QueryOutcome.tell(console, run, query, tail.printed());
    }
}
