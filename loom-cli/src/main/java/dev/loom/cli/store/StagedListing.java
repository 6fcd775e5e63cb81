package dev.loom.cli.store;

import dev.loom.StagedStores;
import dev.loom.api.StagedStore;
import dev.loom.api.StagedStore.State;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.error.LoomException;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.TimePrinter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The part of {@code loom info} that lists all stores of this host by their staging, and removes what is left over. */
final class StagedListing {
    private static final Path MEMORY = Path.of("/dev/shm");

    /** A listing answers soon; a removal has to be certain. */
    private static final long LISTED_FILES_MAX = 100_000;

    /** What {@code --remove} takes. */
    enum Removal {
        ORPHANED,
        MISSING;

        boolean takes(State state) {
            return state == State.ORPHANED || (this == MISSING && state == State.MISSING);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--all",
            fallbackValue = "true",
            description = "Lists all stores of this host that have staging, in use or left over.")
    private boolean all;

    @Option(
            names = "--staging",
            paramLabel = "DIR",
            description = "With --all: where to look for staging, instead of /dev/shm; repeatable.")
    private @Nullable List<Path> places;

    @Option(
            names = "--remove",
            paramLabel = "STATE",
            description = {
                "With --all: removes staging of stores that are gone: orphaned, those surely deleted;",
                "missing, also those that were deleted or moved. A moved one loses its newest records."
            })
    private @Nullable Removal removal;

    boolean requested() {
        if (!all && (TypedOptions.contains(command, "--staging") || TypedOptions.contains(command, "--remove"))) {
            throw CommandFailure.usage("--staging and --remove go with --all");
        }
        return all;
    }

    int print(Console console, OutputFormat form) {
        Listing listing = new Listing(
                        "state", "directory", "owner_pid", "bytes", "age_ns", "created", "removed", "reason", "staging")
                .times("created")
                .unit(ValueUnit.BYTES, List.of("bytes"))
                .to(console, form);
        TimePrinter times = new TimePrinter(ZoneOffset.UTC);
        boolean failed = false;
        long freed = 0;
        for (Path place : places == null ? List.of(MEMORY) : places) {
            if (places != null && !Files.isDirectory(place)) {
                throw CommandFailure.usage("--staging: no such directory: " + place);
            }
            for (StagedStore each : find(console, place)) {
                Map<String, @Nullable Object> row = row(console, each);
                if (removal != null
                        && removal.takes(each.state())
                        && !console.interruption().requested()) { // which makes of what is only moved what is missing
                    boolean removed = remove(console, each);
                    failed |= !removed;
                    freed += removed ? each.bytes() : 0;
                    row.put("removed", removed);
                }
                if (form == OutputFormat.TABLE) {
                    row.put("created", times.text(EpochTime.of(each.created())));
                    row.computeIfPresent(
                            "age_ns",
                            (name, age) -> ValueText.compact(((Long) age).doubleValue(), ValueUnit.NANOSECONDS));
                }
                listing.add(row);
            }
        }
        listing.end();
        if (removal != null) {
            console.say("removed " + ValueText.compact((double) freed, ValueUnit.BYTES) + " of staging");
        }
        return failed ? ExitCode.STORE : ExitCode.OK;
    }

    private List<StagedStore> find(Console console, Path place) {
        try (Progress progress = new Progress(console, "files searched for a moved store")) {
            return StagedStores.find(place, removal == null ? LISTED_FILES_MAX : Long.MAX_VALUE, files -> {
                progress.update(files);
                return !console.interruption().requested();
            });
        }
    }

    private static boolean remove(Console console, StagedStore staged) {
        try {
            if (StagedStores.remove(staged)) {
                return true;
            }
            console.say("staging is in use, or another user's, or gone: directory=" + staged.staging());
        } catch (LoomException e) {
            console.say(String.valueOf(e.getMessage()));
        }
        return false;
    }

    private static Map<String, @Nullable Object> row(Console console, StagedStore staged) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("directory", staged.directory().map(Path::toString).orElse(null));
        row.put("store_id", Long.toHexString(staged.storeId()));
        row.put("state", staged.state().name().toLowerCase(Locale.ROOT));
        staged.owner().ifPresent(owner -> {
            row.put("owner_pid", owner.pid());
            if (!owner.near()) {
                row.put("owner_pid_namespace", "another");
            }
            row.put("owner_host", owner.host());
        });
        row.put("bytes", staged.bytes() < 0 ? null : staged.bytes());
        long created = EpochTime.of(staged.created());
        row.put("created", created);
        row.put("age_ns", Math.max(0, console.nowNs() - created));
        row.put("own", staged.own());
        row.put("reason", staged.reason());
        row.put("staging", staged.staging().toString());
        return row;
    }
}
