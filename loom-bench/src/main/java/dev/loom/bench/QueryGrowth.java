package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.Question;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How costs grow with the records: the rate at which they are pushed, and the same questions to stores of different sizes, warm, with runs of
 * chunks summed up and without.
 */
public final class QueryGrowth {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "records", "1000000,10000000,100000000",
        "bins", "log-linear",
        "hollow", "false",
        "rounds", "7",
        "results", ""
    };
    private static final long INTERVAL_NS = 1_000;
    private static final int DISCARDED = 3;
    private static final double MILLI = 1e6;
    private static final String WITH_RUNS = "with-runs";
    private static final String WITHOUT_RUNS = "without-runs";
    private static final String INGEST = "ingest";
    private static final double PER_MICROSECOND = 1e3;

    private QueryGrowth() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("QueryGrowth " + options);
        final Map<String, String> machine = Machine.describe(parent);
        machine.forEach((name, value) -> out.println(name + ": " + value));
        final FigureResult result = new FigureResult(
                        "growth", "How questions grow with the records", "QueryGrowth " + options, machine)
                .panel(FigurePanel.lines(WITH_RUNS, "Runs of chunks summed up", "records", "ms")
                        .logX()
                        .logY())
                .panel(FigurePanel.lines(WITHOUT_RUNS, "Each chunk by itself", "records", "ms")
                        .logX()
                        .logY())
                .panel(FigurePanel.lines(INGEST, "Records generated and pushed", "records", "M records/s")
                        .logX());
        final boolean hollow = options.flag("hollow");
        out.println(
                "| records | question | ms with runs | ms without | runs | chunks read | rollup, percent of chunk index |");
        out.println("|---|---|---|---|---|---|---|");
        for (final String records : options.list("records")) {
            final SimulatedCapture telemetry = SimulatedCapture.ofCalls(Long.parseLong(records), INTERVAL_NS);
            try (ScratchDirectory loom = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                    ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                    TelemetryStore store = new TelemetryStore(
                            loom.path(), staging.path(), telemetry, Bins.parse(options.text("bins")), false, hollow)) {
                final double rate = PER_MICROSECOND * telemetry.records() / store.pushNs();
                result.row(INGEST, "loom", records, rate);
                out.printf("| %s | generate and push, %.2f M records/s | - | - | - | - | - |%n", records, rate);
                final double part = 100.0 * bytes(loom.path(), "rollup") / bytes(loom.path(), "chunk");
                final List<Question> with = Question.ofIndex(telemetry, true);
                final List<Question> without = Question.ofIndex(telemetry, false);
                for (int i = 0; i < with.size(); i++) {
                    if (hollow && with.get(i).name().endsWith(" of the time")) {
                        continue; // the records at its ends are gone
                    }
                    print(out, store, with.get(i), without.get(i), records, part, options.number("rounds"), result);
                }
            }
        }
        result.write(options.text("results"));
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private static void print(
            PrintStream out,
            TelemetryStore store,
            Question with,
            Question without,
            String records,
            double part,
            int rounds,
            FigureResult result) {
        final double[] withMs = new double[rounds];
        final double[] withoutMs = new double[rounds];
        Question.Answer answer = with.loom().ask(store.snapshot(), store.latency());
        for (int round = -DISCARDED; round < rounds; round++) {
            final long begin = System.nanoTime();
            answer = with.loom().ask(store.snapshot(), store.latency());
            final long middle = System.nanoTime();
            final List<BigInteger> plain =
                    without.loom().ask(store.snapshot(), store.latency()).values();
            final long end = System.nanoTime();
            if (!plain.equals(answer.values())) {
                throw new IllegalStateException(
                        "answers differ: question=" + with.name() + ", " + plain + ", " + answer.values());
            }
            if (round >= 0) {
                withMs[round] = (middle - begin) / MILLI;
                withoutMs[round] = (end - middle) / MILLI;
            }
        }
        result.row(WITH_RUNS, with.name(), records, withMs).row(WITHOUT_RUNS, with.name(), records, withoutMs);
        out.printf(
                "| %s | %s | %s | %s | %d | %d | %.2f |%n",
                records,
                with.name(),
                Spread.of(withMs).text(3),
                Spread.of(withoutMs).text(3),
                answer.statistics().runs(),
                answer.statistics().chunksRead(),
                part);
    }

    private static long bytes(Path store, String folder) {
        try (Stream<Path> files = Files.walk(store.resolve("store").resolve(folder))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
