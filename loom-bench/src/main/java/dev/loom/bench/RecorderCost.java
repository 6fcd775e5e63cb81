package dev.loom.bench;

import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.recording.RecordingKind;
import dev.loom.bench.recording.RecordingRun;
import dev.loom.bench.recording.RecordingTarget;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Records events of 64 bytes from 1, 2, 4 and 8 threads with Loom's recorder and its peers, alternating in rounds, at a rate that
 * all of them sustain and then as fast as each can. Reports a call's cost to its thread and a record's cost to the process. Every
 * run's events are read back and checked.
 */
public final class RecorderCost {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "targets", "loom,loom-claim,log4j,chronicle,jfr",
        "producers", "1,2,4,8",
        "rates", "500000,0",
        "records", "2000000",
        "ring", "8m",
        "rounds", "5"
    };
    private static final double MILLION = 1e6;
    private static final int BURST = 100;

    private RecorderCost() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        final List<RecordingKind> kinds =
                options.list("targets").stream().map(RecordingKind::parse).toList();
        out.println("RecorderCost " + options);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            for (final String rate : options.list("rates")) {
                for (final String producers : options.list("producers")) {
                    final Map<RecordingKind, List<RecordingRun>> runs = measure(
                            options,
                            kinds,
                            disk.path(),
                            staging.path(),
                            Integer.parseInt(producers),
                            Double.parseDouble(rate));
                    print(out, producers, rate, runs);
                }
            }
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    /** The rounds after the first, which warms up the compiler. */
    private static Map<RecordingKind, List<RecordingRun>> measure(
            Arguments options, List<RecordingKind> kinds, Path disk, Path staging, int producers, double rate) {
        final long each = Math.max(1L, options.number("records") / producers / BURST) * BURST;
        final Map<RecordingKind, List<RecordingRun>> runs = new EnumMap<>(RecordingKind.class);
        for (int round = 0; round <= options.number("rounds"); round++) {
            final List<RecordingKind> order = new ArrayList<>(kinds);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (final RecordingKind kind : order) {
                try (ScratchDirectory directory = ScratchDirectory.in(disk);
                        RecordingTarget target = kind.open(directory.path(), staging, (int) options.bytes("ring"))) {
                    final RecordingRun run = RecordingRun.of(target, producers, each, rate);
                    if (round > 0) {
                        runs.computeIfAbsent(kind, unused -> new ArrayList<>()).add(run);
                    }
                }
            }
        }
        return runs;
    }

    private static void print(
            PrintStream out, String producers, String rate, Map<RecordingKind, List<RecordingRun>> runs) {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Producers: " + producers + (rate.equals("0") ? ", as fast as it takes" : ", records/s: " + rate),
                "target",
                "ns a call",
                "slowest 100 calls, ns each",
                "process' CPU ns a record",
                "B a record allocated",
                "M records/s",
                "lost, %");
        runs.forEach((kind, of) -> table.row(
                kind.text(),
                spread(of, RecordingRun::callNs).text(1),
                spread(of, RecordingRun::callNsMax).text(0),
                spread(of, RecordingRun::cpuNs).text(1),
                spread(of, RecordingRun::allocatedBytes).text(2),
                spread(of, run -> run.recordsPerSecond() / MILLION).text(2),
                spread(of, run -> 100.0 * run.missing() / run.records()).text(2)));
    }

    private static Spread spread(List<RecordingRun> runs, ToDoubleFunction<RecordingRun> figure) {
        return Spread.of(runs.stream().mapToDouble(figure).toArray());
    }
}
