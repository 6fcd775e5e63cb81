package dev.loom.cli.store;

import dev.loom.LoomReader;
import dev.loom.api.Store;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.server.json.StoreRows;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom info}: the settings and state of a store. */
@Command(
        name = "info",
        description =
                "Prints a store's settings, watermarks, sizes, evictor and losses; or lists the stores of this host.",
        mixinStandardHelpOptions = true)
public final class InfoCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private StagedListing listing = new StagedListing();

    @Mixin
    private OutputOption output = new OutputOption();

    public InfoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        OutputFormat form = output.format(console);
        if (listing.requested()) {
            return listing.print(console, form);
        }
        Map<String, Object> values;
        try (Store reader = LoomReader.attach(store.directory())) {
            values = StoreRows.info(reader, store.directory());
        }
        print(console, form, values);
        return ExitCode.OK;
    }

    /** Prints named values: as one object, or one a line. */
    static void print(Console console, OutputFormat form, Map<String, Object> values) {
        Listing listing = new Listing("name", "value");
        if (form == OutputFormat.JSON) {
            listing.add(values);
        } else {
            values.forEach((name, value) -> listing.add(
                    Map.of("name", name, "value", form == OutputFormat.TABLE ? withUnit(name, value) : value)));
        }
        listing.print(console, form);
    }

    private static Object withUnit(String name, Object value) {
        ValueUnit unit = ValueUnit.ofName(name);
        return value instanceof Number number && unit != ValueUnit.NONE
                ? ValueText.compact(number.doubleValue(), unit)
                : value;
    }
}
