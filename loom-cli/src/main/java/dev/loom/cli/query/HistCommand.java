package dev.loom.cli.query;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKind;
import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Histogram;
import dev.loom.query.HistogramCounts;
import dev.loom.query.where.Quantity;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom hist}: the distribution of a field over values, over time, or both. */
@Command(
        name = "hist",
        description = "Counts a field's values by size, by time, or by both; draws them in a terminal.",
        mixinStandardHelpOptions = true)
public final class HistCommand extends FieldQuery {
    /** What the histogram counts by. */
    enum By {
        VALUE,
        TIME;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int LINES_MAX = 24;

    @Option(names = "--where", paramLabel = "EXPR", description = "Only records for which this holds; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = "--by",
            paramLabel = "BY",
            split = ",",
            description = "${COMPLETION-CANDIDATES}, or both as value,time; by default value.")
    private Set<By> by = EnumSet.of(By.VALUE);

    @Option(names = "--step", paramLabel = "DURATION", description = "Of time; by default as fits the terminal.")
    private @Nullable String step;

    public HistCommand(Console console) {
        super(console);
    }

    @Override
    boolean countsRecords() {
        if (by.contains(By.VALUE)) {
            throw CommandFailure.usage("hist by value needs a field; hist SOURCE --by time counts records without one");
        }
        return true;
    }

    @Override
    void check() {
        if (step != null && !by.contains(By.TIME)) {
            throw CommandFailure.usage("--step is for --by time");
        } else if (step != null && stepNs(step) == 0) {
            throw CommandFailure.usage("--step is zero");
        }
    }

    @Override
    long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        OutputFormat form = output().format(console());
        try (Progress progress = run.progress()) {
            HistogramSteps steps = null;
            if (by.contains(By.TIME)) {
                long stepNs = step == null ? 0 : stepNs(step);
                steps = HistogramSteps.of(
                        snapshot, target, run, progress, stepNs, console().columns());
                if (steps == null) {
                    console().say("no records in the range");
                    return 0;
                }
            }
            if (!by.contains(By.VALUE)) {
                HistogramCounts counts = count(query(snapshot, target).oneBin(), target, run, progress, steps);
                return output(target, form, counts, times).byTime();
            }
            HistogramCounts values = count(query(snapshot, target), target, run, progress, null);
            boolean chart = form == OutputFormat.TABLE;
            if (steps == null) {
                List<BinGroups.Group> groups = BinGroups.of(values, chart ? LINES_MAX : Integer.MAX_VALUE);
                return output(target, form, values, times).byValue(groups);
            }
            // first by value alone, to find the bins that are not empty
            int room = Math.min(Bins.EDGES_COUNT_MAX, Histogram.CELLS_MAX / steps.count());
            List<BinGroups.Group> groups = BinGroups.of(values, chart ? Math.min(room, LINES_MAX) : room);
            if (groups.isEmpty()) {
                console().say("no values in the range");
                return 0;
            }
            run.forgetMissing();
            Histogram query = query(snapshot, target).groups(BinGroups.ends(groups));
            return output(target, form, count(query, target, run, progress, steps), times)
                    .byBoth(groups);
        }
    }

    private HistogramOutput output(QueryTarget target, OutputFormat form, HistogramCounts counts, TimePrinter times) {
        return new HistogramOutput(console(), form, field(), function(target).unit(), counts, times);
    }

    private static long stepNs(String text) {
        return asked(() -> Quantity.durationNs(text));
    }

    private Histogram query(Snapshot snapshot, QueryTarget target) {
        IndexFunction function = function(target);
        Histogram query = Histogram.of(snapshot, target.source().id(), function);
        for (Index index : snapshot.indexes(target.source().id())) {
            if (index.kind() == IndexKind.VALUE && index.function().equals(function)) {
                query.bins(index.bins());
            }
        }
        RecordFilter.of(where, target.source().format()).applyTo(query);
        return query;
    }

    private HistogramCounts count(
            Histogram query, QueryTarget target, QueryRun run, Progress progress, @Nullable HistogramSteps steps) {
        if (steps != null) {
            return steps.count(query, target, run, progress);
        }
        HistogramCounts counts = asked(run.prepare(target.confine(query), progress, () -> {})::count);
        run.add(counts.statistics(), counts.completeness());
        return counts;
    }
}
