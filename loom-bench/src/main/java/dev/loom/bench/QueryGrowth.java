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
        "warm-up", "2",
        "rounds", "7",
        "results", ""
    };
    private static final long INTERVAL_NS = 1_000;
    private static final double SECOND_NS = 1e9;
    private static final String WITH_RUNS = "with-runs";
    private static final String WITHOUT_RUNS = "without-runs";
    private static final String INGEST = "ingest";
    private static final double PER_MICROSECOND = 1e3;

    private final Arguments options;
    private final PrintStream out;
    private final boolean hollow;
    private final FigureResult result;

    private QueryGrowth(Arguments options, PrintStream out, FigureResult result) {
        this.options = options;
        this.out = out;
        this.result = result;
        hollow = options.flag("hollow");
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        out.println("QueryGrowth " + options);
        final Map<String, String> machine = Machine.describe(Path.of(options.text("dir")));
        machine.forEach((name, value) -> out.println(name + ": " + value));
        final FigureResult result = new FigureResult(
                        "growth", "How questions grow with the records", "QueryGrowth " + options, machine)
                .panel(FigurePanel.lines(WITH_RUNS, "Runs of chunks summed up", "records", "ms")
                        .logX()
                        .logY())
                .panel(FigurePanel.lines(WITHOUT_RUNS, "Each chunk by itself", "records", "ms")
                        .logX()
                        .logY())
                .panel(FigurePanel.lines(
                                INGEST,
                                "Records generated, pushed, on the disk and summed up",
                                "records",
                                "M records/s")
                        .logX());
        new QueryGrowth(options, out, result).run();
        result.write(options.text("results"));
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    /** The first size is written and asked once before, as it would else be the only one to wait for the compiler. */
    private void run() throws Exception {
        final List<String> sizes = options.list("records");
        with(sizes.get(0), this::warmUp);
        out.println(
                "| records | question | ms with runs | ms without | runs | chunks read | rollup, percent of chunk index |");
        out.println("|---|---|---|---|---|---|---|");
        for (final String records : sizes) {
            with(records, this::measure);
        }
    }

    /**
     * A store of a size.
     *
     * @param rollupPercent the runs' length, of that of the index by chunks
     */
    private record Sized(SimulatedCapture telemetry, TelemetryStore store, double rollupPercent) {
        private String records() {
            return Long.toString(telemetry.records());
        }

        private Question.Answer ask(Question question) {
            return question.loom().ask(store.snapshot(), store.latency());
        }
    }

    /** What is done with a store. */
    @FunctionalInterface
    private interface Use {
        void accept(Sized sized) throws Exception;
    }

    private void with(String records, Use use) throws Exception {
        final SimulatedCapture telemetry = SimulatedCapture.ofCalls(Long.parseLong(records), INTERVAL_NS);
        try (ScratchDirectory loom =
                        ScratchDirectory.onDisk(Path.of(options.text("dir")), options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                TelemetryStore store = new TelemetryStore(
                        loom.path(), staging.path(), telemetry, Bins.parse(options.text("bins")), false, hollow)) {
            use.accept(new Sized(telemetry, store, 100.0 * bytes(loom.path(), "rollup") / bytes(loom.path(), "chunk")));
        }
    }

    private List<Question> questions(Sized sized, boolean rollups) {
        return Question.ofIndex(sized.telemetry(), rollups).stream()
                .filter(question ->
                        !hollow || !question.name().endsWith(" of the time")) // the records at its ends are gone
                .toList();
    }

    private void warmUp(Sized sized) {
        final double eachNs = SECOND_NS * Double.parseDouble(options.text("warm-up"));
        for (final boolean rollups : new boolean[] {true, false}) {
            for (final Question question : questions(sized, rollups)) {
                final long beginNs = System.nanoTime();
                do {
                    sized.ask(question);
                } while (System.nanoTime() - beginNs < eachNs);
            }
        }
    }

    private void measure(Sized sized) throws Exception {
        final double rate =
                PER_MICROSECOND * sized.telemetry().records() / sized.store().pushNs();
        result.row(INGEST, "loom", sized.records(), rate);
        out.printf("| %s | generate and push, %.2f M records/s | - | - | - | - | - |%n", sized.records(), rate);
        final List<Question> with = questions(sized, true);
        final List<Question> without = questions(sized, false);
        for (int i = 0; i < with.size(); i++) {
            measure(sized, with.get(i), without.get(i));
        }
    }

    private void measure(Sized sized, Question with, Question without) throws Exception {
        final Question.Answer answer = sized.ask(with);
        final List<BigInteger> plain = sized.ask(without).values();
        if (!plain.equals(answer.values())) {
            throw new IllegalStateException(
                    "answers differ: question=" + with.name() + ", " + plain + ", " + answer.values());
        }
        final double[] withMs = new double[options.number("rounds")];
        final double[] withoutMs = new double[withMs.length];
        for (int round = 0; round < withMs.length; round++) {
            withMs[round] = QueryTimer.repeated(() -> sized.ask(with)).millis();
            withoutMs[round] = QueryTimer.repeated(() -> sized.ask(without)).millis();
        }
        result.row(WITH_RUNS, with.name(), sized.records(), withMs)
                .row(WITHOUT_RUNS, with.name(), sized.records(), withoutMs);
        out.printf(
                "| %s | %s | %s | %s | %d | %d | %.2f |%n",
                sized.records(),
                with.name(),
                Spread.of(withMs).text(3),
                Spread.of(withoutMs).text(3),
                answer.statistics().runs(),
                answer.statistics().chunksRead(),
                sized.rollupPercent());
    }

    /** Of a folder, which a small store may lack. */
    private static long bytes(Path store, String folder) {
        try (Stream<Path> files = Files.walk(store.resolve("store"))) {
            return files.filter(file ->
                            file.startsWith(store.resolve("store").resolve(folder)) && Files.isRegularFile(file))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
