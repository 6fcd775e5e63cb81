package dev.loom.cli.export;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.ScanRequest;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.RecordResults;
import dev.loom.server.time.EventTime;
import org.agrona.DirectBuffer;

/** Writes the records of sources in a form, one source after the other. For one thread. */
final class ExportedRecords extends RecordResults {
    private final Console console;
    private final RecordForm form;
    private final Progress progress;
    private final int sources;
    private int begun;
    private long address;

    /** @param sources how many there are, for the progress */
    ExportedRecords(Console console, RecordForm form, Progress progress, int sources) {
        this.console = console;
        this.form = form;
        this.progress = progress;
        this.sources = sources;
    }

    /** Writes the records of one source. */
    ExportCommand.Outcome write(Snapshot snapshot, ScanRequest request) {
        long before = printed();
        begun++;
        address = snapshot.beginAddress();
        progress.of(() -> share(snapshot));
        QueryReport report = new QueryService(
                        EventTime::clock, QueryMemory.UNLIMITED, console.interruption()::requested)
                .run(snapshot, request, this);
        if (report.withoutTime() > 0) {
            console.say(report.withoutTime() + " records without an event time are left out");
        }
        Completeness completeness = report.completeness();
        return new ExportCommand.Outcome(
                printed() - before, 0, completeness.damagedPages(), Deletion.of(completeness), completeness.lost());
    }

    /** As if all sources were as long, and their records spread evenly over the log. */
    private double share(Snapshot snapshot) {
        long begin = snapshot.beginAddress();
        double ofSource = (double) (address - begin) / Math.max(1, snapshot.tailAddress() - begin);
        return (begun - 1 + ofSource) / sources;
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return form.printer(source);
    }

    @Override
    public void onRecord(long timeNs, long recordAddress, DirectBuffer buffer, int offset, int length) {
        super.onRecord(timeNs, recordAddress, buffer, offset, length);
        address = recordAddress;
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
