package dev.loom.cli.store;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.SourceStatistics;
import dev.loom.api.Store;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom info}: the settings and state of a store. */
@Command(
        name = "info",
        description = "Tells a store's settings, watermarks, sizes, evictor and losses.",
        mixinStandardHelpOptions = true)
public final class InfoCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private OutputOption output = new OutputOption();

    public InfoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        OutputFormat form = output.format(console);
        Map<String, Object> values;
        try (Store reader = console.attach(store.directory())) {
            values = new LinkedHashMap<>(reader.info().values());
            addTotals(reader, values);
        }
        values.put("disk_bytes", diskBytes(store.directory()));
        Listing listing = new Listing("name", "value");
        if (form == OutputFormat.JSON) {
            listing.add(values);
        } else {
            values.forEach((name, value) -> listing.add(
                    Map.of("name", name, "value", form == OutputFormat.TABLE ? withUnit(name, value) : value)));
        }
        listing.print(console, form);
        return ExitCode.OK;
    }

    private static Object withUnit(String name, Object value) {
        ValueUnit unit = ValueUnit.ofName(name);
        return value instanceof Number number && unit != ValueUnit.NONE
                ? ValueText.compact(number.doubleValue(), unit)
                : value;
    }

    private static void addTotals(Store reader, Map<String, Object> values) {
        long records = 0;
        long bytes = 0;
        long lost = 0;
        try (Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                SourceStatistics statistics = snapshot.statistics(source.id());
                records += statistics.records();
                bytes += statistics.bytes();
                lost += statistics.lost();
            }
        }
        values.put("records", records);
        values.put("payload_bytes", bytes);
        values.put("lost", lost);
    }

    /** Files may appear and disappear while they are counted. */
    private static long diskBytes(Path directory) throws IOException {
        long[] bytes = {0};
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                bytes[0] += attributes.size();
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes[0];
    }
}
