package dev.loom.cli.store;

import dev.loom.StoreVerifier;
import dev.loom.api.Index;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
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
            fallbackValue = "true",
            description =
                    "First recovers the store as its writer would, and adopts a copy of a live one; rebuilds wrong"
                            + " indexes; sets aside, in the store, what can't be rebuilt, and deletes nothing.")
    private boolean repair;

    @Mixin
    private OutputOption output = new OutputOption();

    public VerifyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        OutputFormat form = output.reported(console);
        Path directory = store.directory();
        if (repair && !repair(directory)) {
            return ExitCode.INTERRUPTED;
        }
        StoreVerifier.Report report = verify(directory, form);
        for (Index index : report.uncompared()) {
            console.say("not compared with its records, by a function of the writing program: index=" + index.name()
                    + ", function=" + index.function().text());
        }
        console.say((report.complete() ? "" : "interrupted; ") + "verified " + report.files() + " files, "
                + report.pages() + " pages, " + report.entries() + " entries, " + report.bytes() + " bytes: "
                + report.problems() + " problems"
                + (report.known() > 0 ? ", and " + report.known() + " set aside before" : ""));
        if (!report.complete()) {
            return ExitCode.INTERRUPTED;
        }
        return report.problems() == 0 ? ExitCode.OK : ExitCode.STORE;
    }

    /** Returns false if it was interrupted. */
    private boolean repair(Path directory) {
        try (Progress progress = new Progress(console, "MiB read")) {
            StoreVerifier.Repaired repaired = StoreVerifier.repair(
                    directory,
                    (file, offset, reason, copy) ->
                            console.say("set aside: file=" + shown(directory, file) + ", offset=" + offset + ", copy="
                                    + (copy == null ? "none" : shown(directory, copy)) + ", reason=" + reason),
                    progress::onProgress);
            console.say(
                    repaired.directory() == null
                            ? "recovered"
                            : "recovered; what could not be rebuilt is in " + repaired.directory());
            if (repaired.rebuilt()) {
                console.say("the indexes were rebuilt from the records");
            }
            return true;
        } catch (CancellationException e) {
            console.say("interrupted; " + e.getMessage());
            return false;
        }
    }

    private static String shown(Path directory, Path file) {
        Path real = file;
        try {
            Path store = directory.toRealPath();
            real = file.startsWith(store) ? store.relativize(file) : file;
        } catch (IOException e) {
            // shown in full
        }
        return real.toString();
    }

    private StoreVerifier.Report verify(Path directory, OutputFormat form) {
        try (Progress progress = new Progress(console, "MiB read")) {
            Problems problems = new Problems(directory, form);
            StoreVerifier.Report report = StoreVerifier.verify(directory, problems, progress::onProgress);
            problems.listing().end();
            return report;
        }
    }

    /** Prints what is wrong as it is found: each page of a store may be. */
    private final class Problems implements StoreVerifier.ProblemHandler {
        private final Path directory;
        private final OutputFormat form;
        private @Nullable Listing listing;

        Problems(Path directory, OutputFormat form) {
            this.directory = directory;
            this.form = form;
        }

        /** Begun when there is a store for sure. */
        Listing listing() {
            Listing begun = listing;
            if (begun == null) {
                begun = new Listing("file", "offset", "problem").uniform().to(console, form);
                listing = begun;
            }
            return begun;
        }

        @Override
        public void onProblem(Path file, long offset, String message) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("file", shown(directory, file));
            row.put("offset", offset);
            row.put("problem", message);
            listing().add(row);
            console.out().flush();
        }

        @Override
        public void onKnown(Path file, long offset, String message) {
            onProblem(file, offset, "known, was set aside: " + message);
        }
    }
}
