package dev.loom.cli.query;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Order;
import dev.loom.query.RawScan;
import dev.loom.query.SnapshotLookup;
import dev.loom.query.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom scan}: the records of a source. */
@Command(
        name = "scan",
        description = "Prints the records of a source in a time range, newest first.",
        mixinStandardHelpOptions = true)
public final class ScanCommand implements Callable<Integer> {
    /** Memory for the records that an order by event time holds back. */
    private static final long EVENT_ROOM_BYTES = 32L << 20;

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    private String sourceName = "";

    @Mixin
    private TimeOptions time = new TimeOptions();

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
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    public ScanCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (limit < 0) {
            throw CommandFailure.usage("--limit is negative: " + limit);
        }
        TimeRange range = time.range(console.nowNs());
        TimePrinter times = new TimePrinter(time.zone());
        QueryRun run = new QueryRun(console, query);
        try (LoomReader reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot();
                SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
            Source source = SourceLookup.find(snapshot, sourceName);
            RecordFilter filter = RecordFilter.of(where, source.format());
            EventTime.@Nullable Reader eventTime = time.event() ? QueryTarget.eventTime(source) : null;
            QueryTarget.tellRange(console, time, range, times);
            RecordOutput records = new RecordOutput(
                    output.format(console).records(console, source.name(), source.format(), times), limit);
            records.lookup(lookup);
            if (eventTime == null) {
                scanByArrival(run, RawScan.of(snapshot, source).range(range), filter, records);
            } else {
                EventScan scan = new EventScan(run, eventTime, lookup, records, EVENT_ROOM_BYTES);
                scanByEvent(snapshot, source, filter, scan, range);
            }
            records.flush();
            if (time.ends() && run.completeness().reachesFuture()) {
                console.say("the range reaches past the newest record; answered as of "
                        + times.text(snapshot.lastTimeNs()));
            }
            return QueryOutcome.tell(console, run, query, records.printed());
        }
    }

    private void scanByArrival(QueryRun run, RawScan scan, RecordFilter filter, RecordOutput records) {
        if (!records.full()) {
            run.scan(scan.order(order()), filter, new ArrivalScan(records));
        }
    }

    private void scanByEvent(Snapshot snapshot, Source source, RecordFilter filter, EventScan scan, TimeRange range) {
        scan.run(() -> RawScan.of(snapshot, source), filter, range, order());
        if (scan.withoutTime() > 0) {
            console.say(scan.withoutTime() + " records have no event time, and are left out");
        }
    }

    private Order order() {
        return ascending ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
    }
}
