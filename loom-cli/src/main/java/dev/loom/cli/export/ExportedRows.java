package dev.loom.cli.export;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.TableStyle;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.ScanRequest;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.RecordResults;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;

/** Writes the records of sources as rows, as a scan prints them. For one thread. */
final class ExportedRows extends RecordResults {
    private final Console console;
    private final OutputFormat form;
    private final TimePrinter times;
    private final Progress progress;

    /** @param console whose output takes the rows */
    ExportedRows(Console console, ExportFormat format, TimePrinter times, Progress progress) {
        this.console = console;
        this.form = format == ExportFormat.CSV ? OutputFormat.CSV : OutputFormat.JSON;
        this.times = times;
        this.progress = progress;
    }

    /** Writes the records of one source. */
    ExportCommand.Outcome write(Snapshot snapshot, ScanRequest request) {
        long before = printed();
        QueryReport report = new QueryService(
                        EventTime::clock, QueryMemory.UNLIMITED, console.interruption()::requested)
                .run(snapshot, request, this);
        if (report.withoutTime() > 0) {
            console.say(report.withoutTime() + " records without an event time are left out");
        }
        Completeness completeness = report.completeness();
        return new ExportCommand.Outcome(printed() - before, completeness.damagedPages(), completeness.expired());
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return form.records(console, source.name(), source.format(), times, TableStyle.PLAIN, false);
    }

    @Override
    public void onPulse() {
        super.onPulse();
        progress.updateNow(printed());
    }

    @Override
    public void onNothing(String reason) {
        console.say(reason);
    }
}
