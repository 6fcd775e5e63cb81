package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The value of each index (paper, Figure 16): finds system calls above a high latency in a window of 120 s that starts at
 * different distances back, without indexes, with either, and with both.
 *
 * <p>The capture is phase 2 of the paper's RocksDB workload, 4.7 M requests/s and 3.2 M system calls/s of 48 bytes each for 720
 * s, scaled down to a given size. Each answer is compared with the records that the capture was generated from.
 */
public final class Ablation {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "bytes", "10g",
        "lookbacks", "20,60,120,300,600",
        "exceeded-by", "0.00001",
        "rounds", "5",
        "cold", "false",
        "results", ""
    };
    private static final long SECOND_NS = 1_000_000_000;
    private static final long CAPTURE_NS = 720 * SECOND_NS;
    private static final long WINDOW_NS = 120 * SECOND_NS;
    private static final int REQUESTS = 47;
    private static final int PERIOD = 79;
    private static final int RECORD_LENGTH = 16 + SimulatedCapture.PAYLOAD_LENGTH;

    /** The indexes that a query may use. */
    private enum Mode {
        NEITHER("no index", false, false),
        TIME("time index", true, false),
        RANGE("range index", false, true),
        BOTH("both", true, true);

        private final String text;
        private final boolean time;
        private final boolean range;

        Mode(String text, boolean time, boolean range) {
            this.text = text;
            this.time = time;
            this.range = range;
        }
    }

    private final Arguments arguments;
    private final PrintStream out;
    private final SimulatedCapture telemetry;
    private final TelemetryStore store;
    private final long aboveNs;

    private Ablation(Arguments arguments, PrintStream out, SimulatedCapture telemetry, TelemetryStore store) {
        this.arguments = arguments;
        this.out = out;
        this.telemetry = telemetry;
        this.store = store;
        aboveNs = telemetry.latencyExceededBy(Double.parseDouble(arguments.text("exceeded-by")));
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("Ablation " + options);
        final long records = options.bytes("bytes") / RECORD_LENGTH;
        final SimulatedCapture telemetry = new SimulatedCapture(records, CAPTURE_NS / records, REQUESTS, PERIOD);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                TelemetryStore store = new TelemetryStore(disk.path(), staging.path(), telemetry)) {
            final Map<String, String> machine = Machine.describe(parent);
            machine.forEach((name, value) -> out.println(name + ": " + value));
            final FigureResult result =
                    new FigureResult("16", "The value of each index", "Ablation " + options, machine);
            new Ablation(options, out, telemetry, store).run(result);
            result.write(options.text("results"));
        }
    }

    /**
     * One query.
     *
     * @param millis wall time
     * @param cpuMillis CPU time
     * @param rows number of rows returned
     */
    private record Times(double millis, double cpuMillis, long rows, QueryStatistics statistics) {}

    private void run(FigureResult result) throws Exception {
        final List<Integer> lookbacks =
                arguments.list("lookbacks").stream().map(Integer::parseInt).toList();
        final List<List<Times>> samples = new ArrayList<>();
        for (int i = 0; i < lookbacks.size() * Mode.values().length; i++) {
            samples.add(new ArrayList<>());
        }
        for (int round = 0; round <= arguments.number("rounds"); round++) {
            int column = 0;
            for (final int lookback : lookbacks) {
                final TimeRange window = window(lookback);
                for (final Mode mode : Mode.values()) {
                    final Times times = ask(window, mode);
                    if (round == 0) {
                        check(window, mode, times);
                    } else {
                        samples.get(column).add(times);
                    }
                    column++;
                }
            }
        }
        print(lookbacks, samples);
        keep(lookbacks, samples, result);
    }

    private static void keep(List<Integer> lookbacks, List<List<Times>> samples, FigureResult result) {
        result.panel(FigurePanel.lines("latency", "System calls above a latency, by indexes", "lookback, s", "ms")
                .logY());
        final Mode[] modes = Mode.values();
        for (int mode = 0; mode < modes.length; mode++) {
            for (int i = 0; i < lookbacks.size(); i++) {
                result.row(
                        "latency",
                        modes[mode].text,
                        Integer.toString(lookbacks.get(i)),
                        samples.get(i * modes.length + mode).stream()
                                .mapToDouble(Times::millis)
                                .toArray());
            }
        }
    }

    private TimeRange window(int lookbackSeconds) {
        final long fromNs = telemetry.endNs() - lookbackSeconds * SECOND_NS;
        return new TimeRange(fromNs, Math.min(telemetry.endNs(), fromNs + WINDOW_NS));
    }

    private Times ask(TimeRange window, Mode mode) throws Exception {
        final List<Times> answer = new ArrayList<>();
        final Callable<?> query = () -> answer.add(scan(window, mode));
        final boolean cold = arguments.flag("cold");
        if (cold) {
            store.chill();
        }
        final QueryTimer time = cold ? QueryTimer.once(query) : QueryTimer.repeated(query);
        return new Times(
                time.millis(),
                time.cpuMillis(),
                answer.get(0).rows(),
                answer.get(0).statistics());
    }

    private Times scan(TimeRange window, Mode mode) {
        try (QueryCursor cursor = IndexedScan.of(store.snapshot(), store.latency())
                .range(window)
                .values(ValueRange.above(aboveNs))
                .use(QueryIndex.TIME, mode.time)
                .use(QueryIndex.CHUNK, mode.range)
                .open()) {
            long rows = 0;
            while (cursor.next()) {
                final long number = cursor.buffer()
                        .getLong(
                                cursor.offset() + SimulatedCapture.PAYLOAD_LENGTH - Long.BYTES,
                                ByteOrder.LITTLE_ENDIAN);
                if (telemetry.timeNs(number) != cursor.timeNs() || telemetry.latencyNs(number) <= aboveNs) {
                    throw new IllegalStateException(
                            "row is not one of the question: number=" + number + ", time=" + cursor.timeNs());
                }
                rows++;
            }
            return new Times(0, 0, rows, cursor.statistics());
        }
    }

    private void check(TimeRange window, Mode mode, Times answer) {
        final long expected = telemetry.count(window.fromNs(), window.toNs(), latency -> latency > aboveNs);
        if (answer.rows() != expected) {
            throw new IllegalStateException("query gave another number of rows: window=" + window + ", mode=" + mode
                    + ", expected=" + expected + ", actual=" + answer.rows());
        }
    }

    private void print(List<Integer> lookbacks, List<List<Times>> samples) {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Rows above " + aboveNs + " ns, milliseconds; in brackets how often as long as with both; pages read",
                "lookback, s",
                "rows",
                "no index",
                "pages",
                "time index",
                "pages",
                "range index",
                "pages",
                "both",
                "pages",
                "both, CPU");
        double least = Double.MAX_VALUE;
        double most = 0;
        final int modes = Mode.values().length;
        for (int i = 0; i < lookbacks.size(); i++) {
            final List<List<Times>> ofModes = samples.subList(i * modes, (i + 1) * modes);
            final Spread both = spread(ofModes.get(modes - 1));
            final List<String> cells = new ArrayList<>(List.of(
                    Integer.toString(lookbacks.get(i)),
                    Long.toString(ofModes.get(0).get(0).rows())));
            for (final List<Times> times : ofModes) {
                final Spread millis = spread(times);
                cells.add(millis.text(2) + String.format(Locale.ROOT, " (%.1f)", millis.median() / both.median()));
                cells.add(Long.toString(times.get(0).statistics().pagesRead()));
            }
            final Spread cpu = Spread.of(ofModes.get(modes - 1).stream()
                    .mapToDouble(Times::cpuMillis)
                    .toArray());
            cells.add(cpu.text(2));
            table.row(cells.toArray(String[]::new));
            least = Math.min(least, cpu.median());
            most = Math.max(most, cpu.median());
        }
        out.printf(
                Locale.ROOT,
                "%nboth, CPU, slowest lookback : fastest: %.2f; load at the end: %s%n",
                most / least,
                Machine.loadAverage());
    }

    private static Spread spread(List<Times> times) {
        return Spread.of(times.stream().mapToDouble(Times::millis).toArray());
    }
}
