package dev.loom.cli.query;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.SourceRequest;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.server.json.ReportRows;
import dev.loom.server.json.RunTime;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.SeenFields;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;

/** Common code of the commands that query a store in a time range. */
abstract class StoreQuery implements Callable<Integer> {
    final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    StoreQuery(Console console) {
        this.console = console;
    }

    @Override
    public final Integer call() {
        RequestTimes asked = time.asked();
        asked.check(console.nowNs()); // before looking for a store, whose clock may be ahead
        QueryLimits limits = query.limits();
        RunTime runTime = new RunTime();
        try (Store reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            RequestBuilder builder = new RequestBuilder(reader, snapshot, asked, console.nowNs(), limits, console::say);
            UnaryOperator<String> hints = hints(snapshot);
            TimePrinter times = new TimePrinter(asked.zone());
            ReportRows end = SeenFields.hinting(hints, () -> {
                QueryRequest request = request(builder);
                tellRange(selection(request), times);
                ConsoleResults results = results(snapshot, request, times);
                results.asked(request);
                ReportRows report = new ReportRows(run(snapshot, request, results), limits, results, runTime);
                results.end(report);
                if (asked.ends() && report.report().completeness().reachesFuture()) {
                    tellFuture(selection(request), snapshot.lastTimeNs(), times);
                }
                return report;
            });
            return QueryOutcome.tell(console, end, query, hints);
        }
    }

    private QueryReport run(Snapshot snapshot, QueryRequest request, ConsoleResults results) {
        QueryReport report;
        try (Progress progress = new Progress(console, "pages read")) {
            results.progress(progress);
            report = new QueryService(EventTime::clock, memory(), console.interruption()::requested)
                    .run(snapshot, request, results);
        }
        results.onFlush();
        if (report.withoutTime() > 0) {
            console.say(
                    report.withoutTimeCounted()
                            ? report.withoutTime() + " records without an event time are left out"
                            : "records without an event time are left out");
        }
        return report;
    }

    /** Outside the heap, the JVM has as much memory as its heap may take; some is left for reading. */
    private static QueryMemory memory() {
        return new QueryMemory(Runtime.getRuntime().maxMemory() / 4 * 3);
    }

    /** Records of any event time may still arrive, but only a range that ends in the future asks for them. */
    private void tellFuture(RecordSelection records, long lastTimeNs, TimePrinter times) {
        if (!records.eventTime() || records.range().toNs() > lastTimeNs) {
            console.say("the range ends after the newest record; answered as of " + times.text(lastTimeNs));
        }
    }

    private static RecordSelection selection(QueryRequest request) {
        if (request instanceof SourceRequest ofSource) {
            return ofSource.records();
        }
        return request instanceof TraceRequest trace
                ? trace.records().get(0)
                : ((TracesRequest) request).records().get(0);
    }

    private void tellRange(RecordSelection records, TimePrinter times) {
        if (!records.range().equals(TimeRange.ALL)) {
            console.say(times.text(records.range(), records.eventTime()));
        }
    }

    /** What the user may have meant by a field that there is not. */
    abstract UnaryOperator<String> hints(Snapshot snapshot);

    /** Makes the request of the options. */
    abstract QueryRequest request(RequestBuilder builder);

    /** Prints what the request finds. */
    abstract ConsoleResults results(Snapshot snapshot, QueryRequest request, TimePrinter times);

    OutputFormat form() {
        return output.format(console);
    }
}
