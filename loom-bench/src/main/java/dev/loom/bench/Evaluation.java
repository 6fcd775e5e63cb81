package dev.loom.bench;

import dev.loom.bench.replay.SinkKind;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The paper's end-to-end evaluation: Redis' and RocksDB's telemetry replayed on a schedule into a store and its peers, which are asked
 * meanwhile. Figures 2 and 3 are about what is dropped and what sampling misses, 11 to 13 about drops, missing answers and the time that
 * answers take. Each figure is printed, and written as JSON.
 */
public final class Evaluation {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "results", "",
        "figures", "2,3,11,12,13",
        "quick", "false",
        "systems", "loom,rawfile,rocksdb,lmdb,chronicle,questdb,duckdb,clickhouse,influxdb",
        "phases", "1,2,3",
        "scale", "",
        "seconds", "",
        "warm-up", "",
        "pause", "",
        "rates", "",
        "rate-seconds", "",
        "rate-rounds", "",
        "samples", "",
        "seed", "1",
        "slice-us", "2000",
        "queue", "256",
        "python", Peers.AUTO,
        "peers", Peers.FOLDER,
        "influxd", Peers.AUTO,
        "prototype", "",
        "fishstore", ""
    };

    private Evaluation() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final String command = "Evaluation " + options;
        out.println(command);
        final EvaluationRuns runs = new EvaluationRuns(options, out);
        Machine.describe(Path.of(options.text("dir"))).forEach((name, value) -> out.println(name + ": " + value));
        final List<SinkKind> kinds = runs.kinds();
        final List<String> figures = options.list("figures");
        if (figures.contains("2")) {
            new RateSweep(runs, kinds).run();
        }
        if (figures.contains("3")) {
            runs.attempt("figure 3", () -> {
                new SampledTruth(runs).run();
                return true;
            });
        }
        if (figures.contains("11") || figures.contains("12") || figures.contains("13")) {
            new EndToEnd(runs, kinds, figures).run();
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
        runs.check();
    }
}
