package dev.loom.bench;

import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.replay.GroundTruth;
import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplayResult;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.RunningSink;
import dev.loom.bench.replay.SinkKind;
import dev.loom.bench.replay.SinkPrograms;
import dev.loom.bench.replay.SinkSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** What the parts of the evaluation have in common: options, plans, and runs in new directories. */
final class EvaluationRuns {
    private static final long MICRO_NS = 1_000;
    private static final long SECOND_MS = 1_000;

    private final Arguments options;
    private final PrintStream out;
    private final SinkPrograms programs;
    private final boolean quick;
    private final Map<String, String> notes = new LinkedHashMap<>();
    private final List<String> failed = new ArrayList<>();
    private final Set<SinkKind> described = EnumSet.noneOf(SinkKind.class);

    EvaluationRuns(Arguments options, PrintStream out) throws IOException {
        this.options = options;
        this.out = out;
        programs = Peers.programs(options);
        quick = options.flag("quick");
        Files.createDirectories(Path.of(options.text("dir")));
    }

    PrintStream out() {
        return out;
    }

    /** An option's value, or what stands for it in the full and in the quick form. */
    String option(String name, String full, String inQuick) {
        final String given = options.text(name);
        return given.isEmpty() ? (quick ? inQuick : full) : given;
    }

    List<String> list(String name) {
        return options.list(name);
    }

    /** A plan by the options: as long as the paper's run and at a tenth of its rates, or short and slow. */
    ReplayPlan plan(ReplayWorkload workload, int phase) {
        return new ReplayPlan(
                workload,
                phase,
                Double.parseDouble(option("scale", "0.1", "0.05")),
                Math.round(Double.parseDouble(option("seconds", "800", "6")) * SECOND_MS),
                Long.parseLong(options.text("seed")),
                1);
    }

    /** Begins a figure. */
    FigureResult figure(String number, String title) {
        return new FigureResult(number, title, "Evaluation " + options, Machine.describe(Path.of(options.text("dir"))));
    }

    /** Writes a figure where the options say, with all notes so far. */
    void write(FigureResult figure) {
        notes.forEach(figure::note);
        figure.write(options.text("results"));
    }

    /** Writes what was planted beside the figures, if the plan has something and the options say where. */
    void writeTruth(ReplayPlan plan) throws IOException {
        final String results = options.text("results");
        if (!results.isEmpty() && plan.workload() == ReplayWorkload.REDIS) {
            Files.createDirectories(Path.of(results));
            GroundTruth.write(plan, Path.of(results, "truth-" + plan.workload().text() + "-p" + plan.phase() + ".csv"));
        }
    }

    /** The systems of the options; one that can't be had here is left out, and why is said there and with every figure. */
    List<SinkKind> kinds() {
        final List<SinkKind> kinds = new ArrayList<>();
        for (final String system : options.list("systems")) {
            final SinkKind kind = SinkKind.parse(system);
            final String missing = kind.missing(programs);
            if (missing.isEmpty()) {
                kinds.add(kind);
            } else {
                note(system, "skipped: " + missing);
            }
        }
        return kinds;
    }

    /** Says something about a system or a run, here and with the figures. */
    void note(String about, String text) {
        out.println(about + ": " + text);
        notes.put(about, text);
    }

    /** Does one of many runs. If it fails, that is noted, and the others go on. */
    <T> Optional<T> attempt(String run, Callable<T> work) throws InterruptedException {
        try {
            return Optional.of(work.call());
        } catch (final InterruptedException e) {
            throw e;
        } catch (final Exception e) {
            e.printStackTrace();
            note(run, "failed: " + e);
            failed.add(run);
            return Optional.empty();
        }
    }

    /** Throws if a run has failed. */
    void check() {
        if (!failed.isEmpty()) {
            throw new IllegalStateException("runs failed: " + failed);
        }
    }

    /** What is done with a sink that runs. */
    @FunctionalInterface
    interface Use<T> {
        T apply(RunningSink run) throws Exception;
    }

    /** Starts a sink in directories of its own, and ends it. The first time, prints its version and settings. */
    <T> T with(SinkKind kind, ReplayPlan plan, Use<T> use) throws Exception {
        try (ScratchDirectory disk =
                        ScratchDirectory.onDisk(Path.of(options.text("dir")), options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            final Path files = Files.createDirectory(disk.path().resolve("files"));
            final Path errors = disk.path().resolve("errors");
            try (RunningSink run =
                    new RunningSink(kind, new SinkSettings(plan, files, staging.path(), programs), errors, out)) {
                if (described.add(kind)) {
                    out.println(kind.text() + ": " + run.description());
                }
                return use.apply(run);
            } catch (final IllegalStateException e) {
                out.print(Files.readString(errors));
                throw e;
            }
        }
    }

    /** Starts a replay. */
    CompletableFuture<ReplayResult> replay(RunningSink run, boolean paced) throws IOException {
        return run.replay(options.number("slice-us") * MICRO_NS, options.number("queue"), paced);
    }

    /** The end of a replay on the schedule; says so if it was not kept. */
    static ReplayResult await(CompletableFuture<ReplayResult> replay, PrintStream out) throws Exception {
        final ReplayResult result = replay.get();
        if (!result.valid()) {
            out.println("INVALID: the replay fell behind its schedule: ms=" + result.behindMs());
        }
        return result;
    }

    /** The part of the machine's processors that some CPU time is, percent. */
    static double cpuPercent(long cpuNs, long elapsedNs) {
        return 100.0 * cpuNs / elapsedNs / Runtime.getRuntime().availableProcessors();
    }

    /** Drops by source, as text. */
    static String drops(ReplayResult result) {
        final StringBuilder text = new StringBuilder();
        for (final Map.Entry<String, Long> source : result.dropped().entrySet()) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(source.getKey())
                    .append(' ')
                    .append(source.getValue());
        }
        return text.toString();
    }
}
