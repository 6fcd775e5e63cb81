package dev.loom.cli.demo;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.Recorder;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The demonstration: capture, drill-down, and a comparison of what was found with what happened. For the command line's thread.
 */
final class Demo {
    /**
     * What to run.
     *
     * @param directory where to put the store, empty or missing; null for a new temporary directory
     * @param seconds how long to capture
     * @param seed determines the requests and the damage
     * @param keep whether to keep the store
     */
    record Options(@Nullable Path directory, int seconds, long seed, boolean keep) {}

    private static final int DAMAGED = 4;
    private static final long POLL_MS = 100;

    private final Narrator narrator;
    private final Function<Path, Shell> shells;
    private final BooleanSupplier interrupted;

    /**
     * Creates a demo.
     *
     * @param shells opens a shell on a store
     * @param interrupted whether the user wants to stop; asked from time to time
     */
    Demo(Narrator narrator, Function<Path, Shell> shells, BooleanSupplier interrupted) {
        this.narrator = narrator;
        this.shells = shells;
        this.interrupted = interrupted;
    }

    /**
     * Runs the demo and prints its progress.
     *
     * @return the exit code: 0; 1 if the commands did not find what happened; or 130 on interruption
     * @throws CommandFailure if the directory is not empty
     */
    int run(Options options) throws IOException, InterruptedException {
        Path directory = directory(options);
        try {
            return run(options, directory);
        } finally {
            if (!options.keep()) {
                delete(directory);
            }
        }
    }

    private int run(Options options, Path directory) throws IOException, InterruptedException {
        narrator.say(
                "A small key-value service: a client, a server, and between them a packet filter, which has a bug."
                        + " Loom records every request, every recv and send of the server, and every"
                        + " packet, for %d s.",
                options.seconds());
        narrator.gap();
        narrator.say("To type the commands below yourself, now or later, first run:");
        narrator.gap();
        narrator.line("  export LOOM_DIR=" + Narrator.quoted(directory.toString()));
        Shell shell = shells.apply(directory);
        Recorder recorder =
                Recorder.on(Loom.open(LoomConfig.at(directory).build())).start();
        Telemetry telemetry = new Telemetry(recorder);
        Workload.Plan plan = new Workload.Plan(options.seed(), DAMAGED, Duration.ofSeconds(options.seconds()));
        Workload workload;
        // the workload ends before the recorder, which has then received the last record
        try (recorder) {
            workload = capture(plan, telemetry);
        }
        if (interrupted.getAsBoolean()) {
            narrator.say("Interrupted.%s", options.keep() ? " The capture is kept." : "");
            return ExitCode.INTERRUPTED;
        }
        shell.show("sources");
        Story.Findings findings = new Story(shell, narrator, options.seconds()).tell();
        narrator.heading("Is it true? The client and the filter kept their own counts:");
        boolean holds =
                Verdict.of(narrator, telemetry.sources(), findings, workload).holds();
        if (!holds) {
            narrator.say("The commands did not find what happened: seed=%d", options.seed());
        }
        if (options.keep()) {
            suggest();
        }
        return holds ? ExitCode.OK : ExitCode.INTERNAL;
    }

    private Workload capture(Workload.Plan plan, Telemetry telemetry) throws IOException, InterruptedException {
        try (Workload workload = Workload.start(plan, telemetry)) {
            boolean over = false;
            while (!over && !interrupted.getAsBoolean()) {
                over = workload.await(POLL_MS, TimeUnit.MILLISECONDS);
            }
            workload.finish();
            return workload;
        }
    }

    private void suggest() {
        narrator.heading("What to try next");
        narrator.suggest(
                "The work of a query, without its chunk index:",
                "top",
                "requests",
                "latency_ns",
                "-n",
                "3",
                "--explain",
                "--disable-index",
                "chunk");
        narrator.suggest(
                "Conditions and exact percentiles:",
                "agg",
                "requests",
                "latency_ns",
                "--where",
                "op == \"SET\"",
                "--percentile",
                "50,99,99.99");
        narrator.suggest(
                "Your own data, here a line of text per record:",
                "import",
                "--dir",
                "/tmp/mine",
                "--source",
                "app",
                "--format",
                "lines",
                "app.log");
        narrator.suggest("A receiver for OpenTelemetry, with queries over HTTP:", "serve", "--dir", "/tmp/mine");
        narrator.gap();
        narrator.say("docs/cli.md has all commands. The store stays until you delete it.");
    }

    private static Path directory(Options options) throws IOException {
        Path directory = options.directory();
        if (directory == null) {
            return Files.createTempDirectory("loom-demo-");
        }
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw CommandFailure.usage(
                            "demo directory is not empty, choose another with --dir: dir=" + directory);
                }
            }
        }
        return directory;
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
