package dev.loom.bench;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.bench.push.CpuTime;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.ValueRange;
import java.io.PrintStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a query of each kind over a store far larger than the heap; start it with {@code -Xmx32m}. Prints the most that each held
 * outside the heap, and its total heap allocation, of which it never holds more than a part.
 *
 * @see MemoryUse which reports what an idle open query holds
 */
public final class QueryFootprint {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench", "allow-tmpfs", "false", "staging", "/dev/shm", "bytes", "10g"
    };
    private static final long INTERVAL_NS = 1_000;
    private static final int RECORD_LENGTH = 16 + SimulatedCapture.PAYLOAD_LENGTH;
    private static final double MEBI = 1 << 20;
    private static final long SAMPLE_NS = 1_000_000;

    private static final List<BufferPoolMXBean> POOLS = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);

    private final PrintStream out;
    private final TelemetryStore store;
    private final SimulatedCapture telemetry;

    private QueryFootprint(PrintStream out, TelemetryStore store, SimulatedCapture telemetry) {
        this.out = out;
        this.store = store;
        this.telemetry = telemetry;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws InterruptedException {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws InterruptedException {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("QueryFootprint " + options);
        final SimulatedCapture telemetry =
                SimulatedCapture.ofCalls(options.bytes("bytes") / RECORD_LENGTH, INTERVAL_NS);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                TelemetryStore store = new TelemetryStore(disk.path(), staging.path(), telemetry)) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            out.printf(
                    Locale.ROOT,
                    "heap: %.0f MiB at most; store: %.0f MiB%n",
                    Runtime.getRuntime().maxMemory() / MEBI,
                    store.info().records().tail() / MEBI);
            new QueryFootprint(out, store, telemetry).run();
        }
    }

    /** Runs a query and returns the number of records it counted and its work. */
    @FunctionalInterface
    private interface Query {
        Counted run(Snapshot snapshot, Index latency);
    }

    private record Counted(long records, QueryStatistics statistics) {}

    private void run() throws InterruptedException {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Memory of queries",
                "query",
                "records",
                "pages read",
                "seconds",
                "outside the heap at most, MiB",
                "allocated in all, MiB");
        final long all = telemetry.records();
        measure(table, "totals", all, (snapshot, latency) -> aggregate(IndexedAggregate.of(snapshot, latency)));
        measure(
                table,
                "p50, p99, p99.99",
                all,
                (snapshot, latency) ->
                        aggregate(IndexedAggregate.of(snapshot, latency).percentiles(50, 99, 99.99)));
        measure(
                table,
                "the same, no index",
                all,
                (snapshot, latency) -> aggregate(IndexedAggregate.of(snapshot, latency)
                        .percentiles(50, 99, 99.99)
                        .use(QueryIndex.CHUNK, false)));
        final long aboveNs = telemetry.latencyExceededBy(0.01);
        measure(
                table,
                "rows above p99",
                telemetry.count(SimulatedCapture.BEGIN_NS, telemetry.endNs(), latency -> latency > aboveNs),
                (snapshot, latency) -> scan(IndexedScan.of(snapshot, latency)
                        .values(ValueRange.above(aboveNs))
                        .open()));
        measure(
                table,
                "all rows",
                all,
                (snapshot, latency) -> scan(RawScan.of(snapshot, store.calls()).open()));
    }

    private static Counted aggregate(IndexedAggregate query) {
        final var answer = query.run();
        return new Counted(answer.count(), answer.statistics());
    }

    private static Counted scan(QueryCursor opened) {
        try (QueryCursor cursor = opened) {
            long records = 0;
            while (cursor.next()) {
                records++;
            }
            return new Counted(records, cursor.statistics());
        }
    }

    private void measure(MarkdownTable table, String name, long expected, Query query) throws InterruptedException {
        final long before = outsideBytes();
        final long[] most = {0};
        final Thread sampler = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                most[0] = Math.max(most[0], outsideBytes() - before);
                LockSupport.parkNanos(SAMPLE_NS);
            }
        });
        sampler.start();
        final long allocated = CpuTime.threadAllocatedBytes();
        final long startNs = System.nanoTime();
        final Counted counted = query.run(store.snapshot(), store.latency());
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        final long allocatedBytes = CpuTime.threadAllocatedBytes() - allocated;
        sampler.interrupt();
        sampler.join();
        if (counted.records() != expected) {
            throw new IllegalStateException("query counted another number of records: query=" + name + ", expected="
                    + expected + ", actual=" + counted.records());
        }
        table.row(
                name,
                Long.toString(counted.records()),
                Long.toString(counted.statistics().pagesRead()),
                String.format(Locale.ROOT, "%.2f", seconds),
                String.format(Locale.ROOT, "%.2f", most[0] / MEBI),
                String.format(Locale.ROOT, "%.2f", allocatedBytes / MEBI));
    }

    /** Bytes of direct buffers and mapped files. */
    private static long outsideBytes() {
        return POOLS.stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
