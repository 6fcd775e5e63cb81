package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.ValueUnit;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Histogram;
import dev.loom.query.HistogramCounts;
import dev.loom.query.where.Quantity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom search}: the records whose text matches words. */
@Command(
        name = "search",
        description = "Prints the records whose text has some words, newest first, or counts them.",
        mixinStandardHelpOptions = true)
public final class SearchCommand extends RecordQuery {
    @Parameters(
            index = "1",
            paramLabel = "QUERY",
            description = "The words, as 'error AND (timeout OR refused*) NOT \"retry later\"', whatever their case.")
    private String text = "";

    @Option(names = "--field", paramLabel = "FIELD", description = "The field to search; by default the source's text.")
    private @Nullable String field;

    @Option(names = "--count", description = "Counts the records in steps of time, instead of printing them.")
    private boolean count;

    @Option(
            names = "--step",
            paramLabel = "DURATION",
            description = "Of time for --count; by default as fits the terminal.")
    private @Nullable String step;

    public SearchCommand(Console console) {
        super(console);
    }

    @Override
    RecordFilter filter(List<String> expressions, Source source) {
        return RecordFilter.of(expressions, source.format())
                .matching(text, TextField.of(source, field), source.format());
    }

    @Override
    void check() {
        super.check();
        if (step != null && !count) {
            throw CommandFailure.usage("--step is for --count");
        } else if (step != null && stepNs() == 0) {
            throw CommandFailure.usage("--step is zero");
        }
    }

    private long stepNs() {
        String asked = step;
        return asked == null ? 0 : FieldQuery.asked(() -> Quantity.durationNs(asked));
    }

    @Override
    long answer(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        if (!count) {
            return super.answer(snapshot, target, run, times);
        }
        try (Progress progress = run.progress()) {
            HistogramSteps steps = HistogramSteps.of(
                    snapshot, target, run, progress, stepNs(), console().columns());
            if (steps == null) {
                console().say("no records in the range");
                target.tellLeftOut(console());
                return 0;
            }
            Histogram query =
                    Histogram.of(snapshot, target.source().id(), FieldQuery.ONE).oneBin();
            filter(target.source()).applyTo(query);
            HistogramCounts counts = steps.count(query, target, run, progress);
            target.tellLeftOut(console());
            return print(counts, run.completeness().complete(), times);
        }
    }

    private long print(HistogramCounts counts, boolean exact, TimePrinter times) {
        OutputFormat form = output().format(console());
        if (form == OutputFormat.TABLE) {
            return new HistogramOutput(console(), form, text, ValueUnit.NONE, counts, times).byTime();
        }
        Listing listing = new Listing("from", "to", "count", "exact").to(console(), form);
        for (int i = 0; i < counts.steps(); i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("from", counts.range(i).fromNs());
            row.put("to", counts.range(i).toNs());
            row.put("count", counts.count(i));
            row.put("exact", exact);
            listing.add(row);
        }
        listing.end();
        return counts.steps();
    }
}
