package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.api.ValueUnit;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceSummary;
import dev.loom.server.json.OtlpLines;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.TraceRows;
import dev.loom.server.table.ResultTables;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints a trace as a waterfall, or traces in a table; or their records as OTLP/JSON; or rows. For one thread. */
final class TraceResults extends ConsoleResults {
    private static final List<String> SHOWN =
            List.of("trace_id", "start", "duration", "spans", "errors", "service", "name", "root", "services");

    private final @Nullable OtlpLines lines;

    /** @param otlp whether records are printed as OTLP/JSON */
    TraceResults(Console console, OutputFormat form, TimePrinter times, boolean otlp) {
        super(console, form, times, new FieldsOption(), false);
        lines = otlp ? new OtlpLines(console.out()) : null;
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return inColumns() ? super.printer(source) : lines == null ? RecordPrinter.NONE : lines.printer(source);
    }

    @Override
    public void onFlush() {
        if (lines != null) {
            lines.deliver();
            if (lines.leftOut() > 0) {
                console.warn("records that can't be read, or whose resource is lost, are left out: records="
                        + lines.leftOut());
            }
        }
        if (inColumns()) {
            super.onFlush();
        }
        console.out().flush();
    }

    @Override
    public void onTrace(TraceRequest request, Trace trace) {
        if (inColumns()) {
            super.onTrace(request, trace);
            return;
        }
        if (form == OutputFormat.TABLE) {
            printed(new Waterfall(console, trace, times).draw());
            return;
        }
        Listing listing = new Listing().to(console, form);
        TraceRows.forEach(trace, row -> {
            listing.add(row);
            printed(1);
        });
        listing.end();
    }

    @Override
    public void onTraces(TracesRequest request, List<TraceSummary> traces) {
        tellCounts(traces);
        if (inColumns()) {
            super.onTraces(request, traces);
            return;
        }
        boolean table = form == OutputFormat.TABLE;
        Listing listing = new Listing(SHOWN.toArray(String[]::new))
                .times("start")
                .unit(ValueUnit.NANOSECONDS, List.of("duration"));
        listing.to(console, form);
        for (TraceSummary trace : traces) {
            Map<String, @Nullable Object> row = TraceRows.summary(trace);
            if (table) {
                row.put("start", times.text(trace.startNs()));
                row.put("root", trace.rooted() ? null : "missing");
            }
            listing.add(table ? ResultTables.joined(row) : row);
            printed(1);
        }
        listing.end();
    }

    private void tellCounts(List<TraceSummary> traces) {
        if (form == OutputFormat.TABLE && !traces.stream().allMatch(TraceSummary::countsExact)) {
            console.say("these traces have too many spans to tell resent ones apart; they may be counted twice");
        }
    }
}
