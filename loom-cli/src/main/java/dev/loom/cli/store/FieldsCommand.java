package dev.loom.cli.store;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.server.json.StoreRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code loom fields}: what the records of a source have. */
@Command(
        name = "fields",
        description = "Lists the fields of a source: those declared, and those that its newest records name.",
        mixinStandardHelpOptions = true)
public final class FieldsCommand implements Callable<Integer> {
    private static final String INDEXES = "indexes";

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    private String source = "";

    @Mixin
    private OutputOption output = new OutputOption();

    public FieldsCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        OutputFormat form = output.format(console);
        Listing listing = new Listing("name", "type", "unit", "declared", INDEXES).to(console, form);
        try (Store reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            StoreRows.fields(snapshot, source, row -> listing.add(form == OutputFormat.JSON ? row : flat(row)));
        }
        listing.end();
        return ExitCode.OK;
    }

    private static Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        String indexes = String.join(
                " ",
                ((List<?>) Objects.requireNonNull(row.get(INDEXES)))
                        .stream().map(String::valueOf).toList());
        flat.put(INDEXES, indexes.isEmpty() ? null : indexes);
        return flat;
    }
}
