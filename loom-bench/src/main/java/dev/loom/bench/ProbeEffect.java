package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.probe.ProbeApplication;
import dev.loom.bench.probe.ProbeSink;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.replay.ReplayQuestion;
import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.replay.RunningSink;
import dev.loom.bench.replay.SinkKind;
import dev.loom.bench.replay.SinkPrograms;
import dev.loom.bench.replay.SinkSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What an application loses when all that it does is stored (paper, Figure 14): RocksDB in memory, and Redis, with a record of 48 bytes for each
 * request and, where the kernel may be asked, for each system call and each page put into the page cache. Records go to sinks in another
 * process over TCP, to Loom within the application, or nowhere: the last is what the others are compared with, in the same round.
 */
public final class ProbeEffect {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "memory", "/dev/shm",
        "results", "",
        "quick", "false",
        "sinks",
                "nothing,rawfile,loom-unindexed,loom,loom-embedded,rocksdb,lmdb,chronicle,questdb,duckdb,clickhouse,influxdb",
        "applications", "rocksdb,redis",
        "keys", "1000000",
        "threads", "1",
        "trace", "auto",
        "warm-up", "15",
        "seconds", "120",
        "rounds", "5",
        "python", Peers.AUTO,
        "peers", Peers.FOLDER,
        "influxd", Peers.AUTO,
        "prototype", "",
        "fishstore", ""
    };
    private static final String[] QUICK = {"warm-up", "2", "seconds", "4", "rounds", "1"};
    private static final double MILLION = 1e6;
    private static final double PERCENT = 100;

    private final Arguments arguments;
    private final PrintStream out;
    private final Path disk;
    private final Path staging;
    private final SinkPrograms programs;
    private final boolean traced;
    private final List<ProbeSink> sinks = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();

    private ProbeEffect(Arguments arguments, PrintStream out, Path disk, Path staging) {
        this.arguments = arguments;
        this.out = out;
        this.disk = disk;
        this.staging = staging;
        programs = Peers.programs(arguments);
        final String trace = arguments.text("trace");
        traced = trace.equals("auto") ? ProbeApplication.canTrace() : Boolean.parseBoolean(trace);
    }

    /**
     * One run.
     *
     * @param sinkCpuNsPerRecord CPU time of the sink's processes for each record that came; 0 without a process
     * @param laterNsPerRecord what they have put off until the end, for each record since their start
     */
    private record Run(ProbeApplication.Result application, double sinkCpuNsPerRecord, double laterNsPerRecord) {
        double ratePerSecond() {
            return application.requestsPerSecond();
        }

        double recordsPerSecond() {
            return application.records() * 1e9 / application.elapsedNs();
        }

        double droppedPercent() {
            return application.records() == 0 ? 0 : PERCENT * application.dropped() / application.records();
        }

        double cpuNsPerRequest() {
            return (double) application.cpuNs() / application.requests();
        }
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS).quick(QUICK);
        final Path parent = Path.of(options.text("dir"));
        out.println("ProbeEffect " + options);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            final Map<String, String> machine = Machine.describe(parent);
            machine.forEach((name, value) -> out.println(name + ": " + value));
            final FigureResult result = new FigureResult("14", "Probe effect", "ProbeEffect " + options, machine);
            final ProbeEffect effect = new ProbeEffect(options, out, disk.path(), staging.path());
            effect.chooseSinks(result);
            effect.addPanels(result);
            for (final String name : options.list("applications")) {
                final ProbeApplication.Kind application = ProbeApplication.Kind.parse(name);
                if (application.isAvailable()) {
                    effect.print(application, effect.measure(application, result), result);
                } else {
                    out.println("skipped: " + name);
                    result.note(name, "skipped: not installed");
                }
            }
            result.write(options.text("results"));
            if (!effect.failed.isEmpty()) {
                throw new IllegalStateException("runs failed: " + effect.failed);
            }
        }
        out.printf("%nload at the end: %s%n", Machine.loadAverage());
    }

    private void chooseSinks(FigureResult result) {
        for (final String name : arguments.list("sinks")) {
            final ProbeSink sink = ProbeSink.parse(name);
            if (sink.missing(programs).isEmpty()) {
                sinks.add(sink);
            } else {
                out.println("skipped: " + name + ": " + sink.missing(programs));
                result.note(name, "skipped: " + sink.missing(programs));
            }
        }
        if (!sinks.contains(ProbeSink.NOTHING)) {
            throw new IllegalArgumentException("sinks lack the one to compare with: name=" + ProbeSink.NOTHING.text());
        }
    }

    /** The runs of each sink, round by round, every second round the other way; without a sink that has failed. */
    private Map<ProbeSink, List<Run>> measure(ProbeApplication.Kind application, FigureResult figure) {
        final List<ProbeSink> left = new ArrayList<>(sinks);
        final Map<ProbeSink, List<Run>> runs = new LinkedHashMap<>();
        for (int round = 0; round < arguments.number("rounds"); round++) {
            final List<ProbeSink> order = new ArrayList<>(left);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (final ProbeSink sink : order) {
                try {
                    runs.computeIfAbsent(sink, unused -> new ArrayList<>()).add(run(application, sink));
                } catch (final IllegalStateException | UncheckedIOException e) {
                    if (sink.equals(ProbeSink.NOTHING)) {
                        throw e;
                    }
                    e.printStackTrace();
                    figure.note(sink.text() + ", " + application.title(), "failed: " + e);
                    left.remove(sink);
                    failed.add(sink.text() + ", " + application.title());
                }
            }
        }
        runs.keySet().retainAll(left);
        return runs;
    }

    private Run run(ProbeApplication.Kind application, ProbeSink sink) {
        try (ScratchDirectory files = ScratchDirectory.in(disk);
                ScratchDirectory memory = ScratchDirectory.in(Path.of(arguments.text("memory")))) {
            final ProbeApplication.Plan plan = new ProbeApplication.Plan(
                    application,
                    sink,
                    memory.path(),
                    files.path(),
                    staging,
                    arguments.number("keys"),
                    arguments.number("threads"),
                    Double.parseDouble(arguments.text("warm-up")),
                    Double.parseDouble(arguments.text("seconds")),
                    traced);
            return sink.kind() == null
                    ? new Run(ProbeApplication.run(plan, 0, () -> {}, () -> {}), 0, 0)
                    : run(plan, sink.kind(), files.path());
        }
    }

    /** Compares the sink's own count with what came. */
    private Run run(ProbeApplication.Plan plan, SinkKind kind, Path folder) {
        try (ScratchDirectory memory = ScratchDirectory.in(staging)) {
            final Path files = Files.createDirectory(folder.resolve("files"));
            final Path errors = folder.resolve("errors");
            final SinkSettings settings = new SinkSettings(ProbeSink.PLAN, files, memory.path(), programs);
            try (RunningSink process = new RunningSink(kind, settings, errors, out)) {
                final long[] cpuNs = new long[2];
                final ProbeApplication.Result result = ProbeApplication.run(
                        plan, process.port(), () -> cpuNs[0] = cpuNs(process), () -> cpuNs[1] = cpuNs(process));
                final long received = process.records();
                process.settle();
                final long settledNs = process.cpuNs();
                long stored = 0;
                for (final ReplaySource source : ProbeSink.SOURCES) {
                    stored += process.ask(ReplayQuestion.ofAll(source)).answer().count();
                }
                if (stored != received) {
                    throw new IllegalStateException("sink has another number of records: name=" + kind.text()
                            + ", expected=" + received + ", actual=" + stored);
                }
                return new Run(
                        result,
                        (double) (cpuNs[1] - cpuNs[0]) / Math.max(1, result.records() - result.dropped()),
                        (double) (settledNs - cpuNs[1]) / Math.max(1, received));
            } catch (final IllegalStateException e) {
                out.print(Files.readString(errors));
                throw e;
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long cpuNs(RunningSink process) {
        try {
            return process.cpuNs();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addPanels(FigureResult result) {
        result.panel(FigurePanel.bars(
                        "effect", "Loss of the application's throughput", "application", "probe effect, %"))
                .panel(FigurePanel.bars("rate", "The application's throughput", "application", "M requests/s")
                        .logY())
                .panel(FigurePanel.bars("dropped", "Telemetry that found no room", "application", "dropped, %"))
                .panel(FigurePanel.bars("cpu-time", "The sink's CPU time", "application", "CPU ns a record"))
                .panel(FigurePanel.bars("later", "What sinks put off until the end", "application", "CPU ns a record"))
                .note("telemetry", telemetry());
    }

    private String telemetry() {
        return traced ? "requests, system calls, page cache" : "requests";
    }

    private void print(ProbeApplication.Kind application, Map<ProbeSink, List<Run>> runs, FigureResult result) {
        final MarkdownTable table = new MarkdownTable(
                out,
                application.title() + ", threads: " + arguments.text("threads") + ", telemetry: " + telemetry(),
                "sink",
                "probe effect, %",
                "M requests/s",
                "M records of telemetry/s",
                "dropped, %",
                "application's CPU ns a request",
                "sink's CPU ns a record",
                "later");
        final double[] baseline = values(runs.getOrDefault(ProbeSink.NOTHING, List.of()), Run::ratePerSecond);
        runs.forEach((sink, of) -> {
            final double[] rates = values(of, Run::ratePerSecond);
            final double[] effects = new double[rates.length];
            for (int i = 0; i < rates.length; i++) {
                effects[i] = PERCENT * (1 - rates[i] / baseline[i]);
            }
            final double[] millions = values(of, run -> run.ratePerSecond() / MILLION);
            final double[] dropped = values(of, Run::droppedPercent);
            table.row(
                    sink.text(),
                    Spread.of(effects).text(1),
                    Spread.of(millions).text(3),
                    Spread.of(values(of, run -> run.recordsPerSecond() / MILLION))
                            .text(3),
                    Spread.of(dropped).text(2),
                    Spread.of(values(of, Run::cpuNsPerRequest)).text(0),
                    Spread.of(values(of, Run::sinkCpuNsPerRecord)).text(0),
                    Spread.of(values(of, Run::laterNsPerRecord)).text(0));
            if (sink.kind() != null) {
                result.row("cpu-time", sink.text(), application.title(), values(of, Run::sinkCpuNsPerRecord));
                result.row("later", sink.text(), application.title(), values(of, Run::laterNsPerRecord));
            }
            result.row("rate", sink.text(), application.title(), millions);
            if (!sink.equals(ProbeSink.NOTHING)) {
                result.row("effect", sink.text(), application.title(), effects);
                result.row("dropped", sink.text(), application.title(), dropped);
            }
        });
        final long lost = runs.values().stream()
                .flatMap(List::stream)
                .mapToLong(run -> run.application().lost())
                .sum();
        if (lost > 0) {
            out.printf("%nevents that the kernel's tracer lost, all runs together: %d%n", lost);
            result.note("lost by the tracer, " + application.title(), lost + " events of all runs together");
        }
    }

    private static double[] values(List<Run> runs, ToDoubleFunction<Run> figure) {
        return runs.stream().mapToDouble(figure).toArray();
    }
}
