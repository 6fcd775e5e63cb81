package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.api.StoreInfo;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongPredicate;

/**
 * The cost of queries per chunk, and the pages that indexed scans read: warm, from the page cache, and cold, from the disk.
 *
 * <p>Measures aggregates over the whole time and over a tenth of it, which separates a query's fixed cost from the cost per
 * chunk; percentiles; and scans that return one record in 10,000 and in 1,000,000, above a value and within a narrow range in the
 * middle. Every answer is compared with the generated capture.
 */
public final class QueryCost {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "records", "100000000",
        "bins", "log-linear",
        "rounds", "5",
        "warm-up", "2"
    };
    private static final long INTERVAL_NS = 1_000;
    private static final int PAGE_SHIFT = 16;

    private final Arguments arguments;
    private final PrintStream out;
    private final SimulatedCapture telemetry;
    private final TelemetryStore store;

    private QueryCost(Arguments arguments, PrintStream out, SimulatedCapture telemetry, TelemetryStore store) {
        this.arguments = arguments;
        this.out = out;
        this.telemetry = telemetry;
        this.store = store;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("QueryCost " + options);
        final SimulatedCapture telemetry =
                SimulatedCapture.ofCalls(Long.parseLong(options.text("records")), INTERVAL_NS);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                TelemetryStore store = new TelemetryStore(
                        disk.path(), staging.path(), telemetry, Bins.parse(options.text("bins")), false, false)) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            final StoreInfo info = store.info();
            printLog(out, "record", info.records(), info);
            printLog(out, "time", info.times(), info);
            printLog(out, "chunk", info.chunks(), info);
            final QueryCost cost = new QueryCost(options, out, telemetry, store);
            cost.aggregates();
            cost.scans();
            out.printf("load at the end: %s%n", Machine.loadAverage());
        }
    }

    private static void printLog(PrintStream out, String name, StoreInfo.LogInfo log, StoreInfo info) {
        out.printf(
                Locale.ROOT,
                "%s log: %d bytes, %.3f %% of the record log%n",
                name,
                log.tail(),
                100.0 * log.tail() / info.records().tail());
    }

    private void aggregates() throws Exception {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Count, sum, minimum and maximum together, and percentiles",
                "what",
                "chunks",
                "warm, ms",
                "CPU ns a chunk",
                "cold, ms",
                "CPU ns a chunk",
                "pages read",
                "of all logs, MiB");
        final long tenthNs = (telemetry.endNs() - SimulatedCapture.BEGIN_NS) / 10;
        final long middleNs = SimulatedCapture.BEGIN_NS + 4 * tenthNs;
        aggregate(table, "totals, all", TimeRange.ALL);
        aggregate(table, "totals, a tenth of the time", new TimeRange(middleNs, middleNs + tenthNs));
        for (final double percentile : new double[] {99.99, 99, 50}) {
            aggregate(table, "p" + percentile, TimeRange.ALL, percentile);
        }
    }

    private void aggregate(MarkdownTable table, String name, TimeRange range, double... percentiles) throws Exception {
        check(range, query(range, percentiles).run(), percentiles);
        final List<IndexedAggregate.Result> answers = new ArrayList<>();
        final Callable<?> run = () -> answers.add(query(range, percentiles).run());
        final Timed warm = warm(run);
        final Timed cold = cold(run);
        final QueryStatistics statistics = answers.get(0).statistics();
        // percentiles take several passes; count the chunks of one
        final double chunks = percentiles.length == 0
                ? statistics.chunksFromTotals() + statistics.chunksRead()
                : (double) store.info().records().tail() / (1 << PAGE_SHIFT);
        table.row(
                name,
                String.format(Locale.ROOT, "%.0f", chunks),
                warm.wall().text(3),
                perChunk(warm.cpu(), chunks),
                cold.wall().text(3),
                perChunk(cold.cpu(), chunks),
                Long.toString(statistics.pagesRead()),
                mebibytes(statistics.bytesRead()));
    }

    private IndexedAggregate query(TimeRange range, double... percentiles) {
        return IndexedAggregate.of(store.snapshot(), store.latency())
                .range(range)
                .percentiles(percentiles);
    }

    private void check(TimeRange range, IndexedAggregate.Result answer, double... percentiles) {
        final long[] maxNs = {Long.MIN_VALUE};
        final long[] sumNs = {0};
        final long toNs = Math.min(range.toNs(), telemetry.endNs());
        final long count = telemetry.count(Math.max(range.fromNs(), SimulatedCapture.BEGIN_NS), toNs, latency -> {
            maxNs[0] = Math.max(maxNs[0], latency);
            sumNs[0] += latency;
            return true;
        });
        final long max = answer.max().orElseThrow().toBigDecimal().longValueExact();
        if (answer.count() != count
                || max != maxNs[0]
                || !new BigInteger(answer.sum()).equals(BigInteger.valueOf(sumNs[0]))) {
            throw new IllegalStateException("aggregate is wrong: expected=" + count + ", " + sumNs[0] + ", " + maxNs[0]
                    + ", actual=" + answer.count() + ", " + answer.sum() + ", " + max);
        }
        for (final double percentile : percentiles) {
            final long value =
                    answer.percentile(percentile).orElseThrow().toBigDecimal().longValueExact();
            final long less = telemetry.count(SimulatedCapture.BEGIN_NS, toNs, latency -> latency < value);
            final long notMore = telemetry.count(SimulatedCapture.BEGIN_NS, toNs, latency -> latency <= value);
            final double rank = percentile / 100 * count;
            if (less >= rank || notMore < rank - 0.5) {
                throw new IllegalStateException("percentile is wrong: p=" + percentile + ", value=" + value
                        + ", records=" + count + ", less=" + less + ", not more=" + notMore);
            }
        }
    }

    private void scans() throws Exception {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Indexed scans",
                "what",
                "rows",
                "pages with rows",
                "pages read",
                "read : with rows",
                "of all logs, MiB",
                "warm, ms",
                "cold, ms");
        for (final double part : new double[] {1e-4, 1e-6}) {
            final String text = "one in " + Math.round(1 / part);
            final long aboveNs = telemetry.latencyExceededBy(part);
            scan(table, "above, " + text, ValueRange.above(aboveNs), latency -> latency > aboveNs);
            final long lowNs = telemetry.latencyExceededBy(0.5 + part / 2);
            final long highNs = telemetry.latencyExceededBy(0.5 - part / 2);
            scan(
                    table,
                    "in the middle, " + text,
                    ValueRange.atLeast(lowNs).to(ValueRange.atMost(highNs)),
                    latency -> latency >= lowNs && latency <= highNs);
        }
    }

    private void scan(MarkdownTable table, String name, ValueRange values, LongPredicate wanted) throws Exception {
        final Scanned first = scan(values);
        final long expected = telemetry.count(SimulatedCapture.BEGIN_NS, telemetry.endNs(), wanted);
        if (first.rows() != expected) {
            throw new IllegalStateException(
                    "scan gave another number of rows: expected=" + expected + ", actual=" + first.rows());
        }
        final Timed warm = warm(() -> scan(values));
        final Timed cold = cold(() -> scan(values));
        table.row(
                name,
                Long.toString(first.rows()),
                Long.toString(first.pages()),
                Long.toString(first.statistics().pagesRead()),
                first.pages() == 0
                        ? "-"
                        : String.format(
                                Locale.ROOT, "%.2f", (double) first.statistics().pagesRead() / first.pages()),
                mebibytes(first.statistics().bytesRead()),
                warm.wall().text(2),
                cold.wall().text(2));
    }

    /**
     * The result of a scan.
     *
     * @param pages pages that hold one of the rows
     */
    private record Scanned(long rows, long pages, QueryStatistics statistics) {}

    private Scanned scan(ValueRange values) {
        try (QueryCursor cursor =
                IndexedScan.of(store.snapshot(), store.latency()).values(values).open()) {
            long rows = 0;
            long pages = 0;
            long page = -1;
            while (cursor.next()) {
                rows++;
                pages += page == cursor.address() >>> PAGE_SHIFT ? 0 : 1;
                page = cursor.address() >>> PAGE_SHIFT;
            }
            return new Scanned(rows, pages, cursor.statistics());
        }
    }

    /** Wall time and the thread's CPU time, milliseconds. */
    private record Timed(Spread wall, Spread cpu) {
        static Timed of(List<QueryTimer> times) {
            return new Timed(
                    Spread.of(times.stream().mapToDouble(QueryTimer::millis).toArray()),
                    Spread.of(times.stream().mapToDouble(QueryTimer::cpuMillis).toArray()));
        }
    }

    private Timed warm(Callable<?> query) throws Exception {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < arguments.number("warm-up") * 1_000_000_000L) {
            QueryTimer.repeated(query);
        }
        final List<QueryTimer> times = new ArrayList<>();
        for (int i = 0; i < arguments.number("rounds"); i++) {
            times.add(QueryTimer.repeated(query));
        }
        return Timed.of(times);
    }

    private Timed cold(Callable<?> query) throws Exception {
        final List<QueryTimer> times = new ArrayList<>();
        for (int i = 0; i < arguments.number("rounds"); i++) {
            store.chill();
            times.add(QueryTimer.once(query));
        }
        return Timed.of(times);
    }

    private static String perChunk(Spread millis, double chunks) {
        return String.format(Locale.ROOT, "%.1f", millis.median() * 1e6 / chunks);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / 1048576.0);
    }
}
