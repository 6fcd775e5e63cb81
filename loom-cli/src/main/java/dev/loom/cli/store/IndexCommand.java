package dev.loom.cli.store;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.console.StoreProgress;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.SidecarOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.column.Column;
import dev.loom.server.json.StoreRows;
import dev.loom.server.schema.IndexEntry;
import dev.loom.server.table.StoreTables;
import dev.loom.server.table.TableForm;
import dev.loom.server.time.TimePrinter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom index add}, {@code loom index close} and {@code loom index list}. */
@Command(
        name = "index",
        description = "Defines, closes or lists indexes over fields of sources.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(add | close | list)")
public final class IndexCommand {
    /** The records that are indexed before the store is open, and between two reports. */
    private static final long REBUILD_BYTES = 64L << 20;

    private static final Duration POLL = Duration.ofMillis(50);

    private final Console console;

    public IndexCommand(Console console) {
        this.console = console;
    }

    @Command(
            name = "add",
            description = "Defines an index over a field for records from now on.",
            mixinStandardHelpOptions = true)
    int add(
            @Mixin StoreOption store,
            @Mixin SidecarOption sidecar,
            @Parameters(paramLabel = "SOURCE", description = "Name of the source.") String sourceName,
            @Parameters(paramLabel = "FIELD", description = "The field; also the name of the index.") String field,
            @Option(
                            names = "--bins",
                            paramLabel = "BINS",
                            defaultValue = "log-linear",
                            description = "log-linear[:SCALE], linear:MIN,MAX,N, edges:A,B,... or match:V;"
                                    + " by default log-linear.")
                    String bins,
            @Option(
                            names = "--values",
                            fallbackValue = "true",
                            description = "Also keeps all values, about 2 bytes each: percentiles, ranges and"
                                    + " histograms then read no records.")
                    boolean values,
            @Option(
                            names = "--by",
                            paramLabel = "FIELD",
                            split = ",",
                            description = "Keeps totals and bins apart by these fields' values, for agg --by with"
                                    + " some or all of them.")
                    @Nullable
                    List<String> by,
            @Option(
                            names = "--backfill",
                            fallbackValue = "true",
                            description =
                                    "Also indexes existing records: rebuilds all indexes at the speed of the disk, in"
                                            + " a sidecar in the background.")
                    boolean backfill) {
        long before = sidecar.given() ? 0 : records(store, sourceName);
        String binned = values ? withValues(bins) : bins;
        boolean existed;
        try (OpenSchema open = OpenSchema.open(store, sidecar, false, console)) {
            IndexEntry index = open.schema()
                    .defineIndex(sourceName, field, binned, by == null ? List.of() : by, backfill && sidecar.given());
            console.say((index.existed() ? "index is already defined: " : "defined index ") + sourceName + '.'
                    + index.name() + ": id=" + index.id() + ", function=" + index.function() + ", bins="
                    + index.bins());
            existed = index.existed();
        }
        if (backfill && sidecar.given()) {
            console.say("the sidecar is rebuilding all indexes in the background, to cover existing"
                    + " records; info shows its progress: rebuilt, of rebuild_to");
        } else if (backfill) {
            if (!rewriteIndexes(store.directory(), REBUILD_BYTES)) {
                console.say("interrupted; a sidecar or a longer import completes the indexes, --backfill starts again");
                return ExitCode.INTERRUPTED;
            }
            console.say(
                    "rebuilt all indexes; " + sourceName + '.' + field + " covers the " + before + " existing records");
        } else if (before > 0 && !existed) {
            console.say("the index does not cover the " + before
                    + " existing records, which queries read instead; --backfill covers them");
        } else if (sidecar.given() && !existed) {
            console.say(
                    "the index does not cover existing records, which queries read instead; --backfill covers them");
        }
        return ExitCode.OK;
    }

    private static String withValues(String bins) {
        try {
            return Bins.parse(bins).withValues().text();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--bins: " + e.getMessage());
        }
    }

    private static long records(StoreOption store, String sourceName) {
        try (LoomReader reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.sources().stream()
                    .filter(source -> source.name().equals(sourceName) && !source.closed())
                    .mapToLong(source -> snapshot.statistics(source.id()).records())
                    .sum();
        }
    }

    /**
     * Rebuilds the indexes, and waits for it.
     *
     * @param stepBytes the records between two reports of the progress
     * @return false if it was interrupted
     */
    boolean rewriteIndexes(Path directory, long stepBytes) {
        try (StoreProgress opening = new StoreProgress(console);
                Loom loom = opening.open(
                        LoomConfig.at(directory).rebuildIndexes(true).backgroundRebuildBytes(stepBytes));
                Progress progress = new Progress(console, "MiB indexed")) {
            StoreInfo info = loom.info();
            while (info.rebuild().isPresent()) {
                Optional<String> failure = info.writer().flatMap(StoreInfo.Writer::rebuildFailure);
                if (failure.isPresent()) {
                    throw new CommandFailure(ExitCode.STORE, "indexes are not rebuilt yet: " + failure.get());
                }
                StoreInfo.RebuildProgress rebuild = info.rebuild().get();
                long begin = info.records().begin();
                if (!progress.onProgress(Math.max(0, rebuild.done() - begin), rebuild.to() - begin)
                        || console.interruption().await(POLL)) {
                    return false;
                }
                info = loom.info();
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Command(
            name = "close",
            description = "Closes an index: it keeps the records that it covers and takes no more.",
            mixinStandardHelpOptions = true)
    int close(
            @Mixin StoreOption store,
            @Mixin SidecarOption sidecar,
            @Parameters(paramLabel = "SOURCE", description = "Name of the source.") String sourceName,
            @Parameters(paramLabel = "INDEX", description = "Name of the index: its field, or event-time.")
                    String name) {
        try (OpenSchema open = OpenSchema.open(store, sidecar, false, console)) {
            IndexEntry index = open.schema().closeIndex(sourceName, name);
            console.say("closed index " + sourceName + '.' + index.name() + ": id=" + index.id());
        }
        return ExitCode.OK;
    }

    @Command(
            name = "list",
            description = "Lists the indexes of a source or of all sources.",
            mixinStandardHelpOptions = true)
    int list(
            @Mixin StoreOption store,
            @Parameters(paramLabel = "SOURCE", arity = "0..1", description = "Name of the source, or # and its id.")
                    @Nullable
                    String sourceName,
            @Mixin OutputOption output) {
        OutputFormat form = output.format(console);
        TableForm table = form.table(console, new TimePrinter(ZoneOffset.UTC));
        try (Store reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            if (table != null) {
                StoreTables.indexes(snapshot, sourceName, table);
                table.end(Map.of());
            } else {
                Listing listing = new Listing(
                        StoreTables.INDEXES.stream().map(Column::name).toArray(String[]::new));
                StoreRows.indexes(snapshot, sourceName, listing::add);
                listing.print(console, form);
            }
        }
        return ExitCode.OK;
    }
}
