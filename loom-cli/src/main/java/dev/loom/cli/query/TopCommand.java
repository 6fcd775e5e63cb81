package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.RecordPrinter;
import dev.loom.cli.time.EventTime;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.SnapshotLookup;
import dev.loom.query.TopCursor;
import dev.loom.query.TopRecords;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom top}: the records with the largest values of a field. */
@Command(
        name = "top",
        description =
                "Prints the records with the largest values of a field, or with --asc the smallest; of equal ones the newest.",
        mixinStandardHelpOptions = true)
public final class TopCommand extends FieldQuery {
    @Option(names = "--where", paramLabel = "EXPR", description = "Only records for which this holds; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "How many, at most 16384; by default ${DEFAULT-VALUE}.")
    private int count = 10;

    @Option(names = "--asc", description = "The smallest values, smallest first.")
    private boolean smallest;

    @Mixin
    private FieldsOption fields = new FieldsOption();

    public TopCommand(Console console) {
        super(console);
    }

    @Override
    void check() {
        if (count < 1 || count > TopRecords.COUNT_MAX) {
            throw CommandFailure.usage("-n must be 1 to " + TopRecords.COUNT_MAX + ": " + count);
        }
    }

    @Override
    long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        TopRecords query = TopRecords.of(snapshot, target.source().id(), target.number(field()), count);
        if (smallest) {
            query.smallest();
        }
        RecordFilter filter = RecordFilter.of(where, target.source().format());
        filter.applyTo(query);
        OutputFormat form = output().format(console());
        RecordPrinter records = form.records(
                console(),
                target.source().name(),
                fields.of(target.source().format(), form),
                times,
                fields.style(target.source()).matching(filter.matches()),
                false);
        EventTime.Reader eventTime = target.eventTime();
        long printed = 0;
        try (Progress progress = run.progress();
                SnapshotLookup lookup = SnapshotLookup.of(snapshot);
                TopCursor cursor =
                        run.prepare(target.confine(query), progress, () -> {}).open()) {
            records.lookup(lookup);
            while (cursor.next()) {
                run.holds(cursor);
                lookup.from(cursor.address());
                long timeNs = eventTime == null
                        ? cursor.timeNs()
                        : eventTime.epochNs(lookup, cursor.buffer(), cursor.offset(), cursor.length());
                records.print(timeNs, cursor.address(), cursor.buffer(), cursor.offset(), cursor.length());
                printed++;
            }
            run.add(cursor);
        }
        records.flush();
        return printed;
    }
}
