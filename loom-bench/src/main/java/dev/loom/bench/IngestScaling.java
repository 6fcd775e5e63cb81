package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.scaling.ExternalIngest;
import dev.loom.bench.scaling.Neighbour;
import dev.loom.bench.scaling.NeighbourProcess;
import dev.loom.bench.scaling.NeighbourProcess.Reading;
import dev.loom.bench.scaling.ScalingKind;
import dev.loom.bench.scaling.ScalingPlan;
import dev.loom.bench.scaling.ScalingProcess;
import dev.loom.bench.scaling.ScalingRun;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Ingest of records of 8 to 1,024 bytes into Loom, stores of other makers and a raw file, by one thread and by several, in turns (paper,
 * Figure 15); then how much an application beside them loses.
 *
 * <p>Each run has a JVM and files of its own, and reads back and checks all that it stored.
 */
public final class IngestScaling {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "results", "",
        "quick", "false",
        "payload", "8,64,256,1024",
        "targets", "limit,limit-batch,raw-file,loom,loom-batch,loom-recorder,rocksdb,lmdb,chronicle",
        "threads", "1,2",
        "warm-up", "2",
        "seconds", "5",
        "rounds", "5",
        "ring", "128m",
        "segment", "1g",
        "direct", "true",
        "prototype", "",
        "fishstore", "",
        "neighbours", "loop,rocksdb",
        "neighbour-threads", "2",
        "neighbour-payload", "64",
        "neighbour-rates", "0,200000"
    };
    private static final String[] QUICK = {"warm-up", "0.5", "seconds", "1", "rounds", "1"};
    private static final String PROTOTYPE = "prototype";
    private static final String FISHSTORE = "fishstore";
    private static final double PERCENT = 100;

    private final Arguments arguments;
    private final PrintStream out;
    private final Path disk;
    private final Path staging;
    private final FigureResult result;
    private final List<String> targets;
    private final Map<String, ExternalIngest> externals = new LinkedHashMap<>();

    private IngestScaling(Arguments arguments, PrintStream out, Path disk, Path staging, FigureResult result) {
        this.arguments = arguments;
        this.out = out;
        this.disk = disk;
        this.staging = staging;
        this.result = result;
        targets = new ArrayList<>();
        for (final String name : arguments.list("targets")) {
            final String missing = ScalingKind.parse(name).missing();
            if (missing.isEmpty()) {
                targets.add(name);
            } else {
                out.println("skipped: " + name + ": " + missing);
                result.note(name, "skipped: " + missing);
            }
        }
        for (final String name : List.of(PROTOTYPE, FISHSTORE)) {
            if (!arguments.text(name).isEmpty()) {
                externals.put(name, ExternalIngest.in(Path.of(arguments.text(name))));
                targets.add(name);
            }
        }
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS).quick(QUICK);
        final Path parent = Path.of(options.text("dir"));
        out.println("IngestScaling " + options);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            final Map<String, String> machine = Machine.describe(parent);
            machine.forEach((name, value) -> out.println(name + ": " + value));
            final FigureResult result =
                    new FigureResult("15", "Ingest by size of records", "IngestScaling " + options, machine);
            final IngestScaling scaling = new IngestScaling(options, out, disk.path(), staging.path(), result);
            for (final String threads : options.list("threads")) {
                scaling.compare(Integer.parseInt(threads));
            }
            for (final String rate : options.list("neighbour-rates")) {
                scaling.disturb(Double.parseDouble(rate));
            }
            result.write(options.text("results"));
        }
        out.printf("%nload at the end: %s%n", Machine.loadAverage());
    }

    /** Every target that takes this number of threads, at every size. */
    private void compare(int threads) {
        final List<String> names = ofThreads(threads);
        final String suffix = "-" + threads;
        final String by = threads == 1 ? "one thread" : threads + " threads";
        result.panel(FigurePanel.lines("rate" + suffix, "Ingest, " + by, "payload, B", "M records/s")
                .logX()
                .logY());
        result.panel(
                FigurePanel.lines("settled" + suffix, "Ingest until on the disk, " + by, "payload, B", "M records/s")
                        .logX()
                        .logY());
        result.panel(FigurePanel.lines("cpu" + suffix, "CPU time, " + by, "payload, B", "CPU ns a record")
                .logX()
                .logY());
        for (final String payload : arguments.list("payload")) {
            final PushSettings settings = settings(Integer.parseInt(payload));
            final Map<String, List<ScalingRun>> runs = new LinkedHashMap<>();
            names.forEach(name -> runs.put(name, new ArrayList<>())); // in the order of the targets
            for (int round = 0; round < arguments.number("rounds"); round++) {
                for (final String name : inTurns(names, round)) {
                    runs.computeIfAbsent(name, unused -> new ArrayList<>())
                            .add(ingest(name, settings, threads, 0, () -> {}, () -> {}));
                }
            }
            print(payload, by, runs);
            runs.forEach((name, of) -> {
                result.row("rate" + suffix, name, payload, values(of, ScalingRun::millionPerSecond));
                result.row("settled" + suffix, name, payload, values(of, ScalingRun::millionSettledPerSecond));
                result.row("cpu" + suffix, name, payload, values(of, ScalingRun::cpuNsPerRecord));
            });
        }
    }

    private List<String> ofThreads(int threads) {
        return targets.stream()
                .filter(name -> externals.containsKey(name)
                        ? threads == 1 || name.equals(FISHSTORE)
                        : ScalingKind.parse(name).takes(threads))
                .toList();
    }

    /** Every second round goes the other way, so that a machine that slows down affects all alike. */
    private static List<String> inTurns(List<String> names, int round) {
        final List<String> order = new ArrayList<>(names);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    private PushSettings settings(int payloadLength) {
        return new PushSettings(
                disk,
                staging,
                payloadLength,
                (int) arguments.bytes("ring"),
                arguments.bytes("segment"),
                arguments.flag("direct"));
    }

    private ScalingRun ingest(
            String name, PushSettings settings, int threads, double rate, Runnable atBegin, Runnable atEnd) {
        final double seconds = Double.parseDouble(arguments.text("seconds"));
        final ExternalIngest external = externals.get(name);
        if (external != null) {
            try (ScratchDirectory files = ScratchDirectory.in(disk)) {
                return external.run(settings.payloadLength(), threads, seconds, files.path(), atBegin, atEnd);
            }
        }
        final double warmUp = Double.parseDouble(arguments.text("warm-up"));
        return ScalingProcess.run(
                new ScalingPlan(ScalingKind.parse(name), settings, threads, warmUp, seconds, rate), atBegin, atEnd);
    }

    private void print(String payload, String by, Map<String, List<ScalingRun>> runs) {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Payload " + payload + " bytes, " + by,
                "target",
                "M records/s",
                "until on the disk",
                "CPU ns a record");
        runs.forEach((name, of) -> table.row(
                name,
                spread(of, ScalingRun::millionPerSecond).text(2),
                spread(of, ScalingRun::millionSettledPerSecond).text(2),
                spread(of, ScalingRun::cpuNsPerRecord).text(1)));
    }

    /** How much each application loses while each target takes records from one thread, at a rate or as fast as it can. */
    private void disturb(double rate) {
        final List<String> names = targets.stream()
                .filter(name -> rate == 0 || !externals.containsKey(name))
                .toList();
        final String at = rate == 0 ? "as fast as each takes them" : "at " + (long) rate + " records/s";
        final String panel = rate == 0 ? "slow-down" : "slow-down-" + (long) rate;
        result.panel(FigurePanel.bars(
                panel, "An application beside the ingest, " + at, "application", "slow-down of the application, %"));
        for (final String application : arguments.list("neighbours")) {
            if (application.isEmpty()) {
                continue;
            }
            final Map<String, List<Disturbance>> all = new LinkedHashMap<>();
            names.forEach(name -> all.put(name, new ArrayList<>()));
            try (NeighbourProcess neighbour = NeighbourProcess.start(
                    Neighbour.parse(application), arguments.number("neighbour-threads"), staging)) {
                for (int round = 0; round < arguments.number("rounds"); round++) {
                    for (final String name : inTurns(names, round)) {
                        all.computeIfAbsent(name, unused -> new ArrayList<>()).add(disturb(neighbour, name, rate));
                    }
                }
            }
            final MarkdownTable table = new MarkdownTable(
                    out,
                    "Application " + application + " beside records of " + arguments.text("neighbour-payload")
                            + " bytes, " + at,
                    "target",
                    "slow-down, %",
                    "M records/s");
            all.forEach((name, of) -> {
                final double[] lost =
                        of.stream().mapToDouble(Disturbance::slowDown).toArray();
                final double[] rates = of.stream()
                        .mapToDouble(disturbance -> disturbance.run().millionPerSecond())
                        .toArray();
                table.row(name, Spread.of(lost).text(1), Spread.of(rates).text(3));
                result.row(panel, name, application, lost);
            });
        }
    }

    /**
     * One run beside an application.
     *
     * @param slowDown what the application lost against the time just before, percent
     */
    private record Disturbance(ScalingRun run, double slowDown) {}

    private Disturbance disturb(NeighbourProcess neighbour, String name, double rate) {
        final double alone = alone(neighbour);
        final AtomicReference<@Nullable Reading> begin = new AtomicReference<>();
        final AtomicReference<@Nullable Reading> end = new AtomicReference<>();
        final ScalingRun run = ingest(
                name,
                settings(arguments.number("neighbour-payload")),
                1,
                rate,
                () -> begin.set(neighbour.read()),
                () -> end.set(neighbour.read()));
        final Reading first = begin.get();
        final Reading last = end.get();
        if (first == null || last == null) {
            throw new IllegalStateException("run told neither its begin nor its end: target=" + name);
        }
        return new Disturbance(run, PERCENT * (1 - last.rateSince(first) / alone));
    }

    private double alone(NeighbourProcess neighbour) {
        final Reading begin = neighbour.read();
        try {
            Thread.sleep((long) (1e3 * Double.parseDouble(arguments.text("seconds"))));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the application runs alone", e);
        }
        return neighbour.read().rateSince(begin);
    }

    private static Spread spread(List<ScalingRun> runs, ToDoubleFunction<ScalingRun> figure) {
        return Spread.of(values(runs, figure));
    }

    private static double[] values(List<ScalingRun> runs, ToDoubleFunction<ScalingRun> figure) {
        return runs.stream().mapToDouble(figure).toArray();
    }
}
