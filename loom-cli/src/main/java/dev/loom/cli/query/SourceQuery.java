package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.schema.SeenFields;
import dev.loom.cli.time.StoreTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.TimeRange;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Common code of the commands that query one source in a time range. */
abstract class SourceQuery implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    private String sourceName = "";

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    SourceQuery(Console console) {
        this.console = console;
    }

    @Override
    public final Integer call() {
        check();
        time.range(console.nowNs()); // refuse an invalid range before looking for a store
        TimePrinter times = new TimePrinter(time.zone());
        QueryRun run = new QueryRun(console, query);
        try (Store reader = console.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            settleTime(snapshot);
            TimeRange range = time.range(nowNs(reader, snapshot));
            QueryTarget target = new QueryTarget(snapshot, sourceName, time, range);
            run.source(snapshot, target.source());
            long printed = SeenFields.hinting(run::hint, () -> {
                check(target);
                QueryTarget.tellRange(console, time, range, times);
                return answer(snapshot, target, run, times);
            });
            if (time.ends() && run.completeness().reachesFuture()) {
                console.say("the range reaches past the newest record; answered as of "
                        + times.text(snapshot.lastTimeNs()));
            }
            return QueryOutcome.tell(console, run, query, printed);
        }
    }

    /** Base of relative times: for arrival times the store's own now, if its clock is ahead of the machine's. */
    private long nowNs(Store reader, Snapshot snapshot) {
        long nowNs = console.nowNs();
        if (!time.relative() || time.event()) {
            return nowNs;
        }
        long aheadNs = snapshot.live() ? StoreTime.aheadNs(reader) : StoreTime.aheadNs(snapshot, nowNs);
        if (aheadNs > 0) {
            console.say(StoreTime.tell(aheadNs) + "; relative times count from its own now");
        }
        return nowNs + aheadNs;
    }

    /** Refuses options that are out of range or can't be combined. */
    void check() {}

    /** Chooses between arrival and event time if the user did not. */
    void settleTime(Snapshot snapshot) {}

    /** Refuses what the source can't answer. */
    abstract void check(QueryTarget target);

    /**
     * Finds the answer and prints it.
     *
     * @return the number of records or lines printed
     */
    abstract long answer(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times);

    final String sourceName() {
        return sourceName;
    }

    final Console console() {
        return console;
    }

    final OutputOption output() {
        return output;
    }

    final TimeOptions time() {
        return time;
    }
}
