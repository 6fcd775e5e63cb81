package dev.loom.cli.store;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.ValueUnit;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.column.Column;
import dev.loom.server.json.StoreRows;
import dev.loom.server.table.StoreTables;
import dev.loom.server.table.TableForm;
import dev.loom.server.time.TimePrinter;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom sources}: the sources of a store. */
@Command(name = "sources", description = "Lists the sources of a store.", mixinStandardHelpOptions = true)
public final class SourcesCommand implements Callable<Integer> {
    private static final List<String> TIMES = List.of("first", "last");

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
        TableForm table = form.table(console, times);
        if (table != null) {
            try (Store reader = LoomReader.attach(store.directory());
                    Snapshot snapshot = reader.snapshot()) {
                StoreTables.sources(snapshot, snapshot.sources(), table);
                table.end(Map.of());
            }
            return ExitCode.OK;
        }
        Listing listing = new Listing(
                        StoreTables.SOURCES.stream().map(Column::name).toArray(String[]::new))
                .times(TIMES.toArray(String[]::new))
                .unit(ValueUnit.BYTES, List.of("bytes"))
                .to(console, form);
        try (Store reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                listing.add(row(source, snapshot.statistics(source.id()), form));
            }
        }
        listing.end();
        return ExitCode.OK;
    }

    private Map<String, @Nullable Object> row(Source source, Source.Statistics statistics, OutputFormat form) {
        if (form != OutputFormat.TABLE) {
            return StoreRows.source(source, statistics);
        }
        Map<String, @Nullable Object> row = StoreTables.source(source, statistics);
        row.replaceAll((name, value) -> TIMES.contains(name) && value instanceof Long ns ? times.text(ns) : value);
        return row;
    }
}
