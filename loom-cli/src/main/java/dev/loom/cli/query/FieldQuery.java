package dev.loom.cli.query;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.OutputOption;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.TimeRange;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What the commands have in common that ask about a number in a source's records. */
abstract class FieldQuery implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "Name of the source, or # and its id.")
    private String sourceName = "";

    @Parameters(index = "1", paramLabel = "FIELD", description = "A field that is a number.")
    private String field = "";

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Mixin
    private QueryOptions query = new QueryOptions();

    FieldQuery(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        check();
        TimeRange range = time.range(console.nowNs());
        TimePrinter times = new TimePrinter(time.zone());
        QueryRun run = new QueryRun(console, query);
        try (LoomReader reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot()) {
            QueryTarget target = new QueryTarget(snapshot, sourceName, time, range);
            target.number(field);
            QueryTarget.tellRange(console, time, range, times);
            long printed = answer(snapshot, target, run, times);
            EventTime.Reader eventTime = target.eventTime();
            if (eventTime != null && eventTime.withoutTime() > 0) {
                console.say("records without an event time are left out");
            }
            if (time.ends() && run.completeness().reachesFuture()) {
                console.say("the range reaches past the newest record; answered as of "
                        + times.text(snapshot.lastTimeNs()));
            }
            return QueryOutcome.tell(console, run, query, printed);
        }
    }

    /** Refuses options that don't go together. */
    void check() {}

    /**
     * Finds the answer and prints it.
     *
     * @return how many records or lines were printed
     */
    abstract long answer(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times);

    final Console console() {
        return console;
    }

    final String field() {
        return field;
    }

    final OutputOption output() {
        return output;
    }

    final TimeOptions time() {
        return time;
    }

    /** Runs what may refuse what was asked for. */
    static <T> T asked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }
}
