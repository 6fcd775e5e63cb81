package dev.loom.cli.store;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.error.LoomException;
import dev.loom.error.StoreNotFoundException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom verify}: reads every page and entry of a store. */
@Command(
        name = "verify",
        description = "Reads every page and entry of a store and prints the file and offset of each problem.",
        mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--repair",
            description = "First recovers the store as its writer would, and adopts a copy of a live one;"
                    + " rebuilds damaged indexes.")
    private boolean repair;

    @Mixin
    private OutputOption output = new OutputOption();

    public VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = store.directory();
        if (repair) {
            requireStore(directory);
            Loom.open(LoomConfig.at(directory)
                            .adoptCopy(true)
                            .backgroundRebuildBytes(Long.MAX_VALUE)
                            .build())
                    .close();
            console.say("recovered");
        }
        Problems problems = new Problems(directory);
        StoreVerifier.Report report = verify(directory, problems);
        if (repair && report.complete() && problems.inIndexes > 0) {
            console.say("rebuilding the indexes: problems=" + problems.inIndexes);
            Loom.open(LoomConfig.at(directory)
                            .rebuildIndexes(true)
                            .backgroundRebuildBytes(Long.MAX_VALUE)
                            .build())
                    .close();
            problems = new Problems(directory);
            report = verify(directory, problems);
        }
        problems.listing.print(console, output.format(console));
        console.say((report.complete() ? "" : "interrupted; ") + "verified " + report.files() + " files, "
                + report.pages() + " pages, " + report.entries() + " entries, " + report.bytes() + " bytes: "
                + report.problems() + " problems");
        if (!report.complete()) {
            return ExitCode.INTERRUPTED;
        }
        return report.problems() == 0 ? ExitCode.OK : ExitCode.STORE;
    }

    /** Opening a directory without a store would create one. */
    private static void requireStore(Path directory) {
        try {
            LoomReader.attach(directory).close();
        } catch (StoreNotFoundException e) {
            throw e;
        } catch (LoomException e) {
            // Recovery deals with whatever else keeps readers out.
        }
    }

    private StoreVerifier.Report verify(Path directory, Problems problems) {
        try (Progress progress = new Progress(console, "pages verified", true)) {
            long[] pages = {0};
            return StoreVerifier.verify(directory, problems::add, () -> {
                progress.updateNow(pages[0]++);
                return console.interruption().requested();
            });
        }
    }

    /** What is wrong, and how much of it a repair can rewrite. */
    private static final class Problems {
        private static final Set<String> INDEX_FOLDERS = Set.of("time", "chunk");

        private final Path directory;
        private final Listing listing = new Listing("file", "offset", "problem");
        private long inIndexes;

        Problems(Path directory) {
            this.directory = directory;
        }

        void add(Path file, long offset, String message) {
            Path shown = file.startsWith(directory) ? directory.relativize(file) : file;
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("file", shown.toString());
            row.put("offset", offset);
            row.put("problem", message);
            listing.add(row);
            if (INDEX_FOLDERS.contains(shown.getName(0).toString())) {
                inIndexes++;
            }
        }
    }
}
