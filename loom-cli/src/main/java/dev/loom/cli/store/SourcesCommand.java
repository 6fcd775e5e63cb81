package dev.loom.cli.store;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.SourceStatistics;
import dev.loom.api.Store;
import dev.loom.api.ValueUnit;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom sources}: the sources of a store. */
@Command(name = "sources", description = "Lists the sources of a store.", mixinStandardHelpOptions = true)
public final class SourcesCommand implements Callable<Integer> {
    private final Console console;
    private final TimePrinter times = new TimePrinter(ZoneOffset.UTC);

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private OutputOption output = new OutputOption();

    public SourcesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        OutputFormat form = output.format(console);
        Listing listing = new Listing(
                        "name", "id", "records", "bytes", "first", "last", "lost", "closed", "event_time", "format")
                .times("first", "last")
                .unit(ValueUnit.BYTES, List.of("bytes"))
                .to(console, form);
        try (Store reader = console.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                listing.add(row(source, snapshot.statistics(source.id()), form));
            }
        }
        listing.end();
        return ExitCode.OK;
    }

    /** JSON keeps the keys that scripts rely on. */
    private Map<String, @Nullable Object> row(Source source, SourceStatistics statistics, OutputFormat form) {
        boolean table = form == OutputFormat.TABLE;
        boolean empty = statistics.records() == 0;
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", source.name());
        row.put("id", source.id());
        row.put("format", source.format().text());
        row.put("records", statistics.records());
        row.put("bytes", statistics.bytes());
        row.put("first", empty ? null : time(statistics.firstTimeNs(), table));
        row.put("last", empty ? null : time(statistics.lastTimeNs(), table));
        row.put("lost", statistics.lost());
        EventTime eventTime = EventTime.of(source);
        if (eventTime != null && form != OutputFormat.JSON) {
            row.put("event_time", eventTime.text());
        }
        if (source.closed()) {
            row.put("closed", true);
        }
        return row;
    }

    private Object time(long epochNs, boolean table) {
        return table ? times.text(epochNs) : (Object) epochNs;
    }
}
