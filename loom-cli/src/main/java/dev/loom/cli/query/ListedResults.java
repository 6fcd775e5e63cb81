package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.ResultRows;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints aggregates and histograms: in a table or as a chart, or as the rows that JSON has. */
final class ListedResults extends ConsoleResults {
    /** Draws counts over the last estimate. */
    private final CountChart chart;

    ListedResults(Console console, OutputFormat form, TimePrinter times) {
        super(console, form, times, new FieldsOption(), false);
        this.chart = new CountChart(console, times);
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return RecordPrinter.NONE;
    }

    @Override
    public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
        Map<String, @Nullable Object> row = ResultRows.aggregate(request, result);
        List<String> values = new ArrayList<>(List.of("sum", "min", "max", "mean"));
        if (form != OutputFormat.JSON) {
            List.of("source", "from", "to", "complete", "lost").forEach(row::remove);
            if (row.remove("percentiles") instanceof Map<?, ?> percentiles) {
                percentiles.forEach((percentile, value) -> {
                    row.put("p" + percentile, value);
                    values.add("p" + percentile);
                });
            }
        }
        IndexFunction function = request.records().function(request.field());
        Listing listing = new Listing(row.keySet().toArray(String[]::new)).unit(function.unit(), values);
        listing.add(row);
        listing.print(console, form);
        printed(1);
    }

    @Override
    public void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
        if (form == OutputFormat.TABLE) {
            printed(new HistogramChart(console, request, counts, times).draw(groups));
            return;
        }
        Listing listing = new Listing(ResultRows.histogramColumns(request)).to(console, form);
        ResultRows.histogram(request, counts, groups, row -> {
            listing.add(row);
            printed(1);
        });
        listing.end();
    }

    @Override
    public boolean onEstimate(CountRequest request, ProgressiveCount.Counts counts) {
        if (form == OutputFormat.TABLE && console.outTerminal()) {
            chart.draw(counts);
        }
        return !console.interruption().requested();
    }

    @Override
    public void onCount(CountRequest request, ProgressiveCount.Counts counts) {
        if (form == OutputFormat.TABLE) {
            printed(chart.draw(counts));
            return;
        }
        Listing listing = new Listing(ResultRows.countColumns(counts)).to(console, form);
        ResultRows.counts(counts, row -> {
            listing.add(row);
            printed(1);
        });
        listing.end();
    }
}
