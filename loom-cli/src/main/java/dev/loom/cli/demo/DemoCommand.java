package dev.loom.cli.demo;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.Recorder;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom demo}: captures a real workload of its own, and finds with commands what made a few requests slow. */
@Command(
        name = "demo",
        description = "Captures a real workload in this process, and finds what made a few of its requests slow.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    /** Runs one command on a console, and returns its exit code. */
    @FunctionalInterface
    public interface CommandRunner {
        int run(Console console, String... arguments);
    }

    /** The form of the demo's output. */
    enum Form {
        STORY,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int SECONDS_MAX = 600;
    private static final int DAMAGED = 4;
    private static final long POLL_MS = 100;

    private final Console console;
    private final CommandRunner runner;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory of the store, empty or missing; by default a new temporary one.")
    private @Nullable Path directory;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How many seconds to capture; by default ${DEFAULT-VALUE}.")
    private int seconds = 4;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the requests and the damage; by default ${DEFAULT-VALUE}.")
    private long seed = 2025;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            description =
                    "${COMPLETION-CANDIDATES}; json prints only the answers to standard output; by default story.")
    private Form form = Form.STORY;

    @Option(
            names = "--no-keep",
            negatable = true,
            description = "Deletes the store at the end; by default it is kept, to try commands on.")
    private boolean keep = true;

    public DemoCommand(Console console, CommandRunner runner) {
        this.console = console;
        this.runner = runner;
    }

    /**
     * Runs the demo and prints its progress.
     *
     * @return the exit code: 0; 1 if the commands did not find what happened; or 130 on interruption
     */
    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw CommandFailure.usage("seconds must be 1 to " + SECONDS_MAX + ": seconds=" + seconds);
        }
        Path store = store();
        try {
            return run(store);
        } finally {
            if (!keep) {
                delete(store);
            }
        }
    }

    private int run(Path store) throws IOException, InterruptedException {
        boolean json = form == Form.JSON;
        Narrator narrator = json
                ? new Narrator(console.err(), console.columns(), false)
                : new Narrator(
                        new PrintStream(console.out(), false, StandardCharsets.UTF_8),
                        console.columns(),
                        console.outColour());
        narrator.say(
                "A small key-value service: a client, a server, and between them a packet filter, which has a bug."
                        + " Loom records every request, every recv and send of the server, and every"
                        + " packet, for %d s.",
                seconds);
        narrator.gap();
        narrator.say("To type the commands below yourself, now or later, first run:");
        narrator.gap();
        narrator.line("  export LOOM_DIR=" + Narrator.quoted(store.toString()));
        Shell shell = new Shell(runner, console, narrator, json, store);
        Recorder recorder = Recorder.on(Loom.open(LoomConfig.at(store).build())).start();
        Telemetry telemetry = new Telemetry(recorder);
        Workload workload;
        // the workload ends before the recorder, which has then received the last record
        try (recorder) {
            workload = capture(telemetry);
        }
        if (console.interruption().requested()) {
            narrator.say("Interrupted.%s", keep ? " The capture is kept." : "");
            return ExitCode.INTERRUPTED;
        }
        shell.show("sources");
        Story.Findings findings = new Story(shell, narrator, seconds).tell();
        narrator.heading("Is it true? The client and the filter kept their own counts:");
        Verdict verdict = new Verdict(narrator);
        telemetry.sources().forEach(source -> verdict.records(source.name(), source.recorded(), findings));
        boolean holds = verdict.slow(workload.slowIds(), findings)
                .damaged(workload.damagedIds(), findings)
                .holds();
        if (!holds) {
            narrator.say("The commands did not find what happened: seed=%d", seed);
        }
        if (keep) {
            suggest(narrator);
        }
        return holds ? ExitCode.OK : ExitCode.INTERNAL;
    }

    private Workload capture(Telemetry telemetry) throws IOException, InterruptedException {
        try (Workload workload = Workload.start(seed, DAMAGED, Duration.ofSeconds(seconds), telemetry)) {
            boolean over = false;
            while (!over && !console.interruption().requested()) {
                over = workload.await(POLL_MS, TimeUnit.MILLISECONDS);
            }
            workload.finish();
            return workload;
        }
    }

    private static void suggest(Narrator narrator) {
        narrator.heading("What to try next");
        narrator.suggest("All of it in a browser, from a heatmap to the cause:", "ui");
        narrator.suggest(
                "The work of a query, without its chunk index:",
                "top requests latency_ns -n 3 --explain --disable-index chunk");
        narrator.suggest(
                "What differs about the slow requests:",
                "diff requests --where 'latency_ns > " + Workload.SLOW.toMillis() + "ms'");
        narrator.suggest(
                "Conditions and exact percentiles:",
                "agg requests latency_ns --where 'op == \"SET\"' --percentile 50,99,99.99");
        narrator.suggest(
                "Your own data, here a line of text per record:",
                "import --dir /tmp/mine --source app --format lines app.log");
        narrator.suggest("A receiver for OpenTelemetry, with queries over HTTP:", "serve --dir /tmp/mine");
        narrator.gap();
        narrator.say("docs/cli.md has all commands. The store stays until you delete it.");
    }

    private Path store() throws IOException {
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

    private static void delete(Path store) throws IOException {
        if (Files.exists(store)) {
            try (Stream<Path> files = Files.walk(store)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
