package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Order;
import dev.loom.query.RawScan;
import dev.loom.query.SnapshotLookup;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Common code of the commands that print records of one source. */
abstract class RecordQuery extends SourceQuery {
    /** Memory for the records that event-time order holds back. */
    private static final long EVENT_ROOM_BYTES = 32L << 20;

    private static final long EVENT_ROOM_BYTES_MIN = 1 << 20;

    @Option(
            names = "--where",
            paramLabel = "EXPR",
            description = "Only records for which this holds, as 'latency_ns > 50ms and op == \"GET\"'; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most N records.")
    private long limit = Long.MAX_VALUE;

    @Option(names = "--asc", description = "Oldest first.")
    private boolean ascending;

    @Mixin
    private FieldsOption fields = new FieldsOption();

    RecordQuery(Console console) {
        super(console);
    }

    /** Builds the filter; the source knows the expressions' fields. */
    abstract RecordFilter filter(List<String> expressions, Source source);

    @Override
    void check() {
        if (limit < 0) {
            throw CommandFailure.usage("--limit is negative: " + limit);
        }
    }

    @Override
    final void check(QueryTarget target) {
        filter(target.source());
    }

    final RecordFilter filter(Source source) {
        return filter(where, source);
    }

    @Override
    long answer(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        Source source = target.source();
        RecordFilter filter = filter(source);
        try (SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
            OutputFormat form = output().format(console());
            RecordOutput records = new RecordOutput(
                    form.records(
                            console(),
                            source.name(),
                            fields.of(source.format(), form),
                            times,
                            fields.style(source).matching(filter.matches()),
                            false),
                    limit);
            records.lookup(lookup);
            EventTime.Reader eventTime = target.eventTime();
            if (eventTime != null) {
                long room = console().memory().reserveShare(EVENT_ROOM_BYTES_MIN, EVENT_ROOM_BYTES);
                EventScan scan = new EventScan(run, eventTime, lookup, records, room);
                scanByEvent(snapshot, target, filter, scan);
            } else if (!records.full()) {
                RawScan scan =
                        RawScan.of(snapshot, source).range(target.range()).order(order());
                run.scan(scan, filter, new ArrivalScan(records));
            }
            records.flush();
            return records.printed();
        }
    }

    private void scanByEvent(Snapshot snapshot, QueryTarget target, RecordFilter filter, EventScan scan) {
        scan.run(() -> RawScan.of(snapshot, target.source()), filter, target.range(), order());
        if (scan.withoutTime() > 0) {
            console().say(scan.withoutTime() + " records have no event time, and are left out");
        }
    }

    private Order order() {
        return ascending ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
    }
}
