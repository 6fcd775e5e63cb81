package dev.loom.bench;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.bench.otlp.TraceSource;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.scan.PageCache;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceParts;
import dev.loom.server.time.EventTime;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Looks traces up by their ids among spans that came by OTLP, and puts them together: through token filters, an index by trace, and
 * neither, cold and warm. The number of spans is compared with what was sent.
 */
public final class TraceLookup {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "spans", "10000000",
        "trace-spans", "9",
        "open", "64",
        "keyed", "false",
        "traces", "50",
        "scans", "3"
    };

    private static final String SOURCE = "otlp.spans";

    /** A lookup: its time, and what it read. */
    private record Lookup(QueryTimer time, QueryReport report) {}

    private final PrintStream out;
    private final Path store;
    private final Map<String, Integer> traces;

    private TraceLookup(PrintStream out, Path store, Map<String, Integer> traces) {
        this.out = out;
        this.store = store;
        this.traces = traces;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("TraceLookup " + options);
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            final Path store = disk.path().resolve("store");
            final TraceSource source = new TraceSource(
                    Long.parseLong(options.text("spans")),
                    options.number("traces"),
                    options.number("trace-spans"),
                    options.number("open"));
            final LoomConfig config = LoomConfig.at(store)
                    .stagingDirectory(staging.path())
                    .maxBytes(LoomConfig.UNLIMITED)
                    .minFreeBytes(0)
                    .textIndexShare(1)
                    .build();
            long startNs = System.nanoTime();
            try (SharedWriter writer = new SharedWriter(Loom.open(config))) {
                final OtlpIngester ingester = new OtlpIngester(writer, IngestSettings.defaults());
                if (options.flag("keyed")) {
                    source.sendRequest(ingester);
                    indexByTrace(writer.loom());
                }
                source.send(ingester);
            }
            out.printf(Locale.ROOT, "sent in %.1f s%n", (System.nanoTime() - startNs) / 1e9);
            startNs = System.nanoTime();
            try (Loom loom = Loom.open(config)) {
                if (!loom.finishTextIndex((done, total) -> true)) {
                    throw new IllegalStateException("text index is not whole");
                }
            }
            out.printf(Locale.ROOT, "text index finished in %.1f s%n", (System.nanoTime() - startNs) / 1e9);
            new TraceLookup(out, store, source.chosen()).lookUp(options.number("scans"), options.flag("keyed"));
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private static void indexByTrace(Loom loom) {
        final Source spans = loom.sources().stream()
                .filter(each -> each.name().equals(SOURCE))
                .findAny()
                .orElseThrow();
        final IndexFunction duration = IndexFunction.field(spans.format(), "duration");
        loom.defineIndex(spans.id(), "duration:trace_id", duration, Bins.logLinear(), List.of("trace_id"));
    }

    private void lookUp(int scans, boolean keyed) throws Exception {
        final MarkdownTable table = new MarkdownTable(
                out, "A trace by its id", "what", "lookups", "ms", "CPU ms", "pages read", "MiB read, all logs");
        final QueryLimits withoutText =
                new QueryLimits(QueryBudget.UNLIMITED, Set.of(QueryIndex.TIME, QueryIndex.CHUNK));
        final QueryLimits without = new QueryLimits(QueryBudget.UNLIMITED, Set.of(QueryIndex.TIME));
        row(table, "token filters, cold", traces.size(), true, QueryLimits.NONE);
        row(table, "token filters, warm", traces.size(), false, QueryLimits.NONE);
        if (keyed) {
            row(table, "index by trace_id, cold", traces.size(), true, withoutText);
            row(table, "index by trace_id, warm", traces.size(), false, withoutText);
        }
        row(table, "neither, cold", scans, true, without);
        row(table, "neither, warm", scans, false, without);
    }

    private void row(MarkdownTable table, String name, int count, boolean cold, QueryLimits limits) throws Exception {
        final List<Lookup> lookups = new ArrayList<>();
        final List<Map.Entry<String, Integer>> chosen =
                traces.entrySet().stream().limit(count).toList();
        for (final Map.Entry<String, Integer> trace : chosen) {
            lookups.add(lookUp(trace.getKey(), trace.getValue(), cold, limits));
        }
        table.row(
                name,
                Integer.toString(lookups.size()),
                spread(lookups.stream()
                        .mapToDouble(each -> each.time().millis())
                        .toArray()),
                spread(lookups.stream()
                        .mapToDouble(each -> each.time().cpuMillis())
                        .toArray()),
                spread(lookups.stream()
                        .mapToDouble(each -> each.report().statistics().pagesRead())
                        .toArray()),
                spread(lookups.stream()
                        .mapToDouble(each -> each.report().statistics().bytesRead() / 1048576.0)
                        .toArray()));
    }

    private static String spread(double... values) {
        return Spread.of(values).text(1);
    }

    private Lookup lookUp(String id, int spans, boolean cold, QueryLimits limits) throws Exception {
        if (cold) {
            PageCache.drop(store);
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            final Source source = snapshot.source(SOURCE).orElseThrow();
            final TraceId trace = TraceId.parse(id);
            final TraceRequest request = new TraceRequest(
                    trace,
                    List.of(TraceRequest.records(trace, source, TimeRange.ALL, false)),
                    true,
                    TraceParts.RECORDS_MAX_DEFAULT,
                    limits);
            final List<Trace> found = new ArrayList<>();
            final QueryReport[] report = new QueryReport[1];
            final ResultHandler results = new ResultHandler() {
                @Override
                public void onTrace(TraceRequest asked, Trace whole) {
                    found.add(whole);
                }
            };
            if (!cold) {
                ask(snapshot, request, results);
            }
            final QueryTimer time = QueryTimer.once(() -> report[0] = ask(snapshot, request, results));
            for (final Trace each : found) {
                if (each.spans() != spans) {
                    throw new IllegalStateException(
                            "trace has other spans: id=" + id + ", expected=" + spans + ", actual=" + each.spans());
                }
            }
            if (found.isEmpty()) {
                throw new IllegalStateException("trace was not found: id=" + id);
            }
            return new Lookup(time, report[0]);
        }
    }

    private static QueryReport ask(Snapshot snapshot, TraceRequest request, ResultHandler results) {
        return new QueryService(EventTime::clock, QueryMemory.UNLIMITED, () -> false).run(snapshot, request, results);
    }
}
