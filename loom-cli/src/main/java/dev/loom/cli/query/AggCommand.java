package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Aggregate;
import dev.loom.query.IndexedAggregate;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom agg}: count, sum, minimum, maximum, mean and percentiles of a field. */
@Command(
        name = "agg",
        description =
                "Count, sum, minimum, maximum, mean and exact percentiles of a field; without one counts records.",
        mixinStandardHelpOptions = true)
public final class AggCommand extends FieldQuery {
    @Option(names = "--where", paramLabel = "EXPR", description = "Only records for which this holds; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = "--percentile",
            paramLabel = "P",
            split = ",",
            description = "Percentiles, as 50,99,99.99: the value of rank ceil(P/100 * count); repeatable.")
    private List<String> percentiles = new ArrayList<>();

    public AggCommand(Console console) {
        super(console);
    }

    @Override
    boolean countsRecords() {
        if (!percentiles.isEmpty()) {
            throw CommandFailure.usage("--percentile needs a field");
        }
        return true;
    }

    @Override
    long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        List<BigDecimal> wanted =
                asked(() -> percentiles.stream().map(NumberText::percentile).toList());
        IndexedAggregate query = IndexedAggregate.of(snapshot, target.source().id(), function(target));
        asked(() -> query.percentiles(wanted));
        RecordFilter.of(where, target.source().format()).applyTo(query);
        try (Progress progress = run.progress()) {
            Aggregate result =
                    run.prepare(target.confine(query), progress, () -> {}).run();
            run.add(result.statistics(), result.completeness());
            print(result, wanted, target);
        }
        return 1;
    }

    private void print(Aggregate result, List<BigDecimal> wanted, QueryTarget target) {
        IndexFunction function = function(target);
        OutputFormat form = output().format(console());
        boolean json = form == OutputFormat.JSON;
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("source", target.source().name());
        row.put("field", field());
        row.put(
                "from",
                target.range().fromNs() == Long.MIN_VALUE
                        ? null
                        : target.range().fromNs());
        row.put(
                "to",
                target.range().toNs() == Long.MAX_VALUE ? null : target.range().toNs());
        row.put("count", result.count());
        row.put("sum", NumberText.sum(result.sum()));
        row.put("min", NumberText.number(result.min().orElse(null), function));
        row.put("max", NumberText.number(result.max().orElse(null), function));
        row.put("mean", result.count() == 0 ? null : (Object) result.mean());
        Map<String, @Nullable Object> found = new LinkedHashMap<>();
        for (BigDecimal percentile : wanted) {
            Number value = NumberText.number(result.percentiles().get(percentile), function);
            found.put(json ? percentile.toPlainString() : "p" + percentile.toPlainString(), value);
        }
        if (!hasField()) {
            List.of("field", "sum", "min", "max", "mean").forEach(row::remove);
        } else if (json) {
            row.put("percentiles", found);
        }
        if (json) {
            row.put("complete", result.completeness().complete());
            row.put("lost", result.completeness().lost());
        } else {
            row.putAll(found);
            List.of("source", "from", "to").forEach(row::remove);
        }
        Listing listing = new Listing(row.keySet().toArray(String[]::new));
        List<String> values = new ArrayList<>(List.of("sum", "min", "max", "mean"));
        values.addAll(found.keySet());
        listing.unit(function.unit(), values).add(row);
        listing.print(console(), form);
    }
}
