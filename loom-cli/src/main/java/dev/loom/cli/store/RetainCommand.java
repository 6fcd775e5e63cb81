package dev.loom.cli.store;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.StoreInfo;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.console.StoreProgress;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.where.Quantity;
import dev.loom.server.json.StoreRows;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loom retain}: sets what a store keeps, and deletes the rest. */
@Command(
        name = "retain",
        description = {
            "Sets what a store keeps and deletes the rest, oldest segments first; without a limit, prints the limits.",
            "The limits stay with the store: whoever writes it enforces them."
        },
        mixinStandardHelpOptions = true)
public final class RetainCommand implements Callable<Integer> {
    private static final String NONE = "none";
    private static final Duration NO_AGE = Duration.ofNanos(Long.MAX_VALUE);

    private final Console console;

    @Spec
    private @Nullable CommandSpec command;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--max-bytes",
            paramLabel = "SIZE",
            description = "The most that the files may take, such as 10GiB; at least four segments; or none.")
    private @Nullable String maxBytes;

    @Option(
            names = "--max-age",
            paramLabel = "DURATION",
            description = "Deletes segments whose records are all older, such as 36h; or none.")
    private @Nullable String maxAge;

    @Option(
            names = "--min-free",
            paramLabel = "SIZE",
            description = "Free space of the file system below which the oldest segments are deleted; or none.")
    private @Nullable String minFree;

    @Option(names = "--show", fallbackValue = "true", description = "Prints the limits and changes nothing.")
    private boolean show;

    @Mixin
    private OutputOption output = new OutputOption();

    public RetainCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        boolean typed = Stream.of("--max-bytes", "--max-age", "--min-free")
                .anyMatch(option -> TypedOptions.contains(command, option));
        boolean shows = show && (!typed || TypedOptions.contains(command, "--show"));
        boolean changes = !shows && (maxBytes != null || maxAge != null || minFree != null);
        if (shows && typed) {
            throw CommandFailure.usage("--show changes nothing; leave it out, or the limits");
        }
        OutputFormat form = output.reported(console);
        Path directory = store.directory();
        StoreInfo before = info(directory);
        String problem = null;
        if (changes) {
            try {
                problem = enforce(settings(directory), directory);
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage(String.valueOf(e.getMessage()));
            }
        }
        StoreInfo after = changes ? info(directory) : before;
        print(after, form);
        if (changes) {
            long deleted = after.records().begin() - before.records().begin();
            console.say("deleted " + ValueText.compact((double) deleted, ValueUnit.BYTES) + " of records");
        }
        if (problem != null) {
            console.warn("the limits are set, but not met: " + problem);
        }
        return problem == null ? ExitCode.OK : ExitCode.STORE;
    }

    /** Also keeps a directory without a store from becoming one. */
    private static StoreInfo info(Path directory) {
        try (LoomReader reader = LoomReader.attach(directory)) {
            return reader.info();
        }
    }

    private LoomConfig.Builder settings(Path directory) {
        LoomConfig.Builder settings = LoomConfig.at(directory);
        if (maxBytes != null) {
            settings.maxBytes(limit("--max-bytes", maxBytes, LoomConfig.UNLIMITED, Quantity::bytes));
        }
        if (maxAge != null) {
            settings.maxAge(limit("--max-age", maxAge, NO_AGE, Quantity::duration));
            // the user says what is too old now: the store's own clock would first wait whether this one lasts
            settings.clock(() -> TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()));
        }
        if (minFree != null) {
            settings.minFreeBytes(limit("--min-free", minFree, 0L, Quantity::bytes));
        }
        return settings;
    }

    private static <T> T limit(String option, String text, T none, Function<String, T> parse) {
        try {
            return text.equals(NONE) ? none : parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(option + ": " + e.getMessage());
        }
    }

    /** Returns why a limit is not met, or null. */
    private @Nullable String enforce(LoomConfig.Builder settings, Path directory) {
        try (StoreProgress opening = new StoreProgress(console);
                Loom loom = opening.open(settings);
                Progress progress = new Progress(console, "MiB deleted")) {
            return LimitEnforcement.run(
                    LimitEnforcement.of(loom, directory), progress::onProgress, console.interruption());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private void print(StoreInfo info, OutputFormat form) throws IOException {
        StoreInfo.Retention kept = info.retention();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("max_bytes", kept.maxBytes() == LoomConfig.UNLIMITED ? NONE : kept.maxBytes());
        values.put("max_age_ns", kept.maxAge().<Object>map(Duration::toNanos).orElse(NONE));
        values.put("min_free_bytes", kept.minFreeBytes() == 0 ? NONE : kept.minFreeBytes());
        values.put("disk_bytes", StoreRows.diskBytes(store.directory()));
        InfoCommand.print(console, form, values);
    }
}
