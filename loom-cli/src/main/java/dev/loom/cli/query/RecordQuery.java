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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the commands have in common that print records of one source. */
abstract class RecordQuery implements Callable<Integer> {
    /** Memory for the records that an order by event time holds back. */
    private static final long EVENT_ROOM_BYTES = 32L << 20;

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
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

    RecordQuery(Console console) {
        this.console = console;
    }

    /** The filter of the records; the source has the expressions' fields. */
    abstract RecordFilter filter(List<String> expressions, Source source);

    /** Refuses options that are out of range, or don't go together. */
    void check() {
        if (limit < 0) {
            throw CommandFailure.usage("--limit is negative: " + limit);
        }
    }

    final Console console() {
        return console;
    }

    final OutputOption output() {
        return output;
    }

    @Override
    public final Integer call() {
        check();
        TimeRange range = time.range(console.nowNs());
        TimePrinter times = new TimePrinter(time.zone());
        QueryRun run = new QueryRun(console, query);
        try (LoomReader reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            QueryTarget target = new QueryTarget(snapshot, sourceName, time, range);
            RecordFilter filter = filter(where, target.source());
            QueryTarget.tellRange(console, time, range, times);
            long printed = answer(snapshot, target, filter, run, times);
            if (time.ends() && run.completeness().reachesFuture()) {
                console.say("the range reaches past the newest record; answered as of "
                        + times.text(snapshot.lastTimeNs()));
            }
            return QueryOutcome.tell(console, run, query, printed);
        }
    }

    /**
     * Prints the records.
     *
     * @return how many records or lines were printed
     */
    long answer(Snapshot snapshot, QueryTarget target, RecordFilter filter, QueryRun run, TimePrinter times) {
        Source source = target.source();
        try (SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
            RecordOutput records = new RecordOutput(
                    output.format(console).records(console, source.name(), source.format(), times), limit);
            records.lookup(lookup);
            EventTime.Reader eventTime = target.eventTime();
            if (eventTime != null) {
                EventScan scan = new EventScan(run, eventTime, lookup, records, EVENT_ROOM_BYTES);
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
            console.say(scan.withoutTime() + " records have no event time, and are left out");
        }
    }

    private Order order() {
        return ascending ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
    }
}
