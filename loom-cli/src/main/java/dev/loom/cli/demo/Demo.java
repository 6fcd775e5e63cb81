package dev.loom.cli.demo;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.BooleanSupplier;
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
     * @param seed determines which requests are mangled, and how
     * @param keep whether to keep the store
     */
    record Options(@Nullable Path directory, int seconds, long seed, boolean keep) {}

    private static final int CLIENTS = 4;
    private static final int MANGLED = 6;

    /** Far longer than the stalls of a busy machine, so that every slow request has a cause. */
    private static final Duration REPLY_TIMEOUT = Duration.ofMillis(250);

    private final CliRunner cli;
    private final Narrator narrator;
    private final BooleanSupplier interrupted;

    /**
     * Creates a demo.
     *
     * @param interrupted whether the user wants to stop; asked from time to time
     */
    Demo(CliRunner cli, PrintStream out, boolean colour, BooleanSupplier interrupted) {
        this.cli = cli;
        this.narrator = new Narrator(out, colour);
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
        WorkloadPlan plan = WorkloadPlan.timed(
                options.seed(), CLIENTS, MANGLED, REPLY_TIMEOUT, Duration.ofSeconds(options.seconds()));
        CliSession session = new CliSession(cli, narrator, directory);

        narrator.heading("1. Capture: " + options.seconds() + " seconds of real requests, seed " + options.seed());
        narrator.say("  requests    each request, timed by its client");
        narrator.say("  socket_ops  each recv and send of the server, timed around the call");
        narrator.say("  packets     each message as the filter passed it on, with its first bytes");
        narrator.say("  The filter has a bug: %d times in the run it damages a request. Store: %s", MANGLED, directory);
        Capture.Captured captured = new Capture(plan, directory, session, narrator, interrupted).run();
        if (interrupted.getAsBoolean()) {
            narrator.say("Interrupted.%s", options.keep() ? " What was captured is in " + directory : "");
            return ExitCode.INTERRUPTED;
        }

        narrator.heading("2. Drill down: the commands, as you would type them, and what they answer");
        Findings findings = new DrillDown(session, narrator, plan).run();

        narrator.heading("3. Is it true? What was found, and what the clients and the filter had counted themselves");
        boolean holds = new Verdict(narrator).compare(findings, captured.ledger(), captured.recorded());

        narrator.say("");
        if (options.keep()) {
            narrator.say("The store stays in %s: try the commands above, or delete it.", directory);
        }
        if (!holds) {
            narrator.say("The commands did not find what had happened: seed=%d", options.seed());
        }
        return holds ? ExitCode.OK : ExitCode.INTERNAL;
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
                            "directory of the demo is not empty, give another by --dir: dir=" + directory);
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
