package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.ExactChain;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * System calls above a latency that was known when they were written (paper, Figure 17): Loom with an index whose one bin is the answer,
 * Loom with an index for any latency, and a chain of back-pointers through the answer without an index over time, as FishStore keeps
 * for a predicate. The capture and the windows are those of {@link Ablation}.
 *
 * <p>Each answer is compared with the records that the capture was generated from.
 */
public final class ExactMatch {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "results", "",
        "quick", "false",
        "bytes", "4g",
        "lookbacks", "60,120,300,600",
        "exceeded-by", "0.00001,0.001",
        "rounds", "5",
        "cold", "false"
    };
    private static final String[] QUICK = {"bytes", "256m", "rounds", "3"};
    private static final long SECOND_NS = 1_000_000_000;
    private static final long CAPTURE_NS = 720 * SECOND_NS;
    private static final long WINDOW_NS = 120 * SECOND_NS;
    private static final int REQUESTS = 47;
    private static final int PERIOD = 79;
    private static final int RECORD_LENGTH = 16 + SimulatedCapture.PAYLOAD_LENGTH;

    /** What is asked. */
    private enum Side {
        ONE_BIN("loom, one bin"),
        LOG_LINEAR("loom, log-linear bins"),
        CHAIN("chain of back-pointers");

        private final String text;

        Side(String text) {
            this.text = text;
        }
    }

    /** The first is what the others are compared with. */
    private static final Side[] SIDES = Side.values();

    /**
     * The answer to one question.
     *
     * @param rows number of rows
     * @param sum of their numbers
     */
    private record Rows(long rows, long sum) {}

    private final Arguments arguments;
    private final PrintStream out;
    private final FigureResult result;
    private final SimulatedCapture telemetry;

    private ExactMatch(Arguments arguments, PrintStream out, FigureResult result, SimulatedCapture telemetry) {
        this.arguments = arguments;
        this.out = out;
        this.result = result;
        this.telemetry = telemetry;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS).quick(QUICK);
        final Path parent = Path.of(options.text("dir"));
        out.println("ExactMatch " + options);
        Files.createDirectories(parent);
        final Map<String, String> machine = Machine.describe(parent);
        machine.forEach((name, value) -> out.println(name + ": " + value));
        final FigureResult result = new FigureResult("17", "Exact match by lookback", "ExactMatch " + options, machine);
        final long records = options.bytes("bytes") / RECORD_LENGTH;
        final ExactMatch match = new ExactMatch(
                options, out, result, new SimulatedCapture(records, CAPTURE_NS / records, REQUESTS, PERIOD));
        for (final String part : options.list("exceeded-by")) {
            match.ask(parent, part);
        }
        result.write(options.text("results"));
        out.printf("%nload at the end: %s%n", Machine.loadAverage());
    }

    private void ask(Path parent, String part) throws Exception {
        final long aboveNs = telemetry.latencyExceededBy(Double.parseDouble(part));
        final String panel = "exceeded-by-" + part;
        result.panel(FigurePanel.lines(
                        panel, "System calls above a latency that " + part + " of all exceed", "lookback, s", "ms")
                .logY());
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, arguments.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(arguments.text("staging")));
                TelemetryStore store = new TelemetryStore(
                        disk.path(), staging.path(), telemetry, Bins.logLinear(), Bins.edges(aboveNs + 1));
                ExactChain chain = new ExactChain(disk.path(), telemetry, aboveNs)) {
            final MarkdownTable table = new MarkdownTable(
                    out,
                    "Rows above " + aboveNs + " ns, milliseconds; in brackets how often as long as with one bin",
                    "lookback, s",
                    "rows",
                    Side.ONE_BIN.text,
                    Side.LOG_LINEAR.text,
                    Side.CHAIN.text);
            for (final String lookback : arguments.list("lookbacks")) {
                final TimeRange window = window(Integer.parseInt(lookback));
                final Rows expected = expected(window, aboveNs);
                final double[][] millis = measure(store, chain, window, aboveNs, expected);
                final double oneBin = Spread.of(millis[0]).median();
                final List<String> cells = new ArrayList<>(List.of(lookback, Long.toString(expected.rows())));
                for (int i = 0; i < SIDES.length; i++) {
                    final Spread spread = Spread.of(millis[i]);
                    cells.add(spread.text(2) + String.format(Locale.ROOT, " (%.2f)", spread.median() / oneBin));
                    result.row(panel, SIDES[i].text, lookback, millis[i]);
                }
                table.row(cells.toArray(String[]::new));
            }
        }
    }

    /** The times of each side, in the order of {@link #SIDES}. */
    private double[][] measure(TelemetryStore store, ExactChain chain, TimeRange window, long aboveNs, Rows expected)
            throws Exception {
        final boolean cold = arguments.flag("cold");
        final int rounds = arguments.number("rounds");
        final double[][] millis = new double[SIDES.length][rounds];
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i < SIDES.length; i++) {
                final Side side = SIDES[i];
                if (cold) {
                    store.chill();
                    chain.chill();
                }
                final Callable<?> query = () -> checked(side, answer(store, chain, side, window, aboveNs), expected);
                final QueryTimer timer = cold ? QueryTimer.once(query) : QueryTimer.repeated(query);
                if (round >= 0) {
                    millis[i][round] = timer.millis();
                }
            }
        }
        return millis;
    }

    private static Rows checked(Side side, Rows actual, Rows expected) {
        if (!actual.equals(expected)) {
            throw new IllegalStateException(
                    "answers differ: side=" + side.text + ", expected=" + expected + ", actual=" + actual);
        }
        return actual;
    }

    private static Rows answer(TelemetryStore store, ExactChain chain, Side side, TimeRange window, long aboveNs) {
        return switch (side) {
            case ONE_BIN -> scan(store, store.exact(), window, aboveNs);
            case LOG_LINEAR -> scan(store, store.latency(), window, aboveNs);
            case CHAIN -> walk(chain, window);
        };
    }

    private static Rows scan(TelemetryStore store, Index index, TimeRange window, long aboveNs) {
        try (QueryCursor cursor = IndexedScan.of(store.snapshot(), index)
                .range(window)
                .values(ValueRange.above(aboveNs))
                .open()) {
            long rows = 0;
            long sum = 0;
            while (cursor.next()) {
                rows++;
                sum += cursor.buffer()
                        .getLong(
                                cursor.offset() + SimulatedCapture.PAYLOAD_LENGTH - Long.BYTES,
                                ByteOrder.LITTLE_ENDIAN);
            }
            return new Rows(rows, sum);
        }
    }

    private static Rows walk(ExactChain chain, TimeRange window) {
        final long[] answer = new long[2];
        chain.walk(window.fromNs(), window.toNs(), number -> {
            answer[0]++;
            answer[1] += number;
        });
        return new Rows(answer[0], answer[1]);
    }

    private Rows expected(TimeRange window, long aboveNs) {
        final long[] sum = {0};
        long rows = 0;
        for (long number = 0; number < telemetry.records(); number++) {
            final long timeNs = telemetry.timeNs(number);
            if (timeNs >= window.fromNs()
                    && timeNs < window.toNs()
                    && !telemetry.isRequest(number)
                    && telemetry.latencyNs(number) > aboveNs) {
                rows++;
                sum[0] += number;
            }
        }
        return new Rows(rows, sum[0]);
    }

    private TimeRange window(int lookbackSeconds) {
        final long fromNs = telemetry.endNs() - lookbackSeconds * SECOND_NS;
        return new TimeRange(fromNs, Math.min(telemetry.endNs(), fromNs + WINDOW_NS));
    }
}
