package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.KeyText;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.Difference;
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.ValuesRequest;
import dev.loom.server.json.DifferenceRows;
import dev.loom.server.json.GroupRows;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.ResultRows;
import dev.loom.server.table.AggregateColumns;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints aggregates, groups, values and histograms: in a table or as a chart, or as the rows that JSON has. */
class ListedResults extends ConsoleResults {
    /** Draws counts over the last estimate. */
    private final CountChart chart;

    ListedResults(Console console, OutputFormat form, TimePrinter times) {
        super(console, form, times, new FieldsOption(), false);
        this.chart = new CountChart(console, times);
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return inColumns() ? super.printer(source) : RecordPrinter.NONE;
    }

    @Override
    public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
        if (inColumns()) {
            super.onAggregate(request, result);
            return;
        }
        Map<String, @Nullable Object> row = ResultRows.aggregate(request, result);
        if (form != OutputFormat.JSON) {
            row = AggregateColumns.flat(row);
            List.of("source", "from", "to", "complete", "lost", "percentiles").forEach(row::remove);
        }
        List<String> values = new ArrayList<>(row.keySet());
        values.remove("count");
        IndexFunction function = request.records().function(request.field());
        Listing listing = new Listing(row.keySet().toArray(String[]::new)).unit(function.unit(), values);
        listing.add(row);
        listing.print(console, form);
        printed(1);
    }

    @Override
    public void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
        GroupRows rows = new GroupRows(request, covered, missing, groups);
        if (!groups.distinctExact()) {
            console.say("there are more distinct values than the cap, "
                    + request.caps().distinct() + "; their numbers are the least that there are");
        }
        if (request.order().percentile() != null && missing.limit() != Limit.NONE) {
            console.say("ended before the percentiles that groups are ordered by were found");
        }
        if (inColumns()) {
            super.onGroups(request, covered, missing, groups);
            return;
        }
        if (form == OutputFormat.TABLE && request.keys().steps() != null && groups.size() > 0) {
            printed(new GroupChart(console, request, covered, times).draw(groups, rows));
            return;
        }
        GroupListing flat = new GroupListing(request);
        Listing listing = flat.begin().to(console, form);
        rows.forEach(row -> {
            listing.add(form == OutputFormat.JSON ? row : flat.flat(row));
            printed(1);
        });
        listing.end();
    }

    @Override
    public void onValues(ValuesRequest request, Groups values) {
        if (inColumns()) {
            super.onValues(request, values);
            return;
        }
        boolean table = form == OutputFormat.TABLE;
        Listing listing =
                new Listing("value", "count", "share").numbers("share").to(console, form);
        double all = 0;
        if (table) {
            for (Group value : values) {
                all += value.count();
            }
        }
        double sum = all;
        GroupRows.values(request, values, row -> {
            if (table && row.get("count") instanceof Long count) {
                row.put("share", String.format(Locale.ROOT, "%.2f%%", 100 * count / sum));
                row.putIfAbsent("value", new Listing.Note(KeyText.OTHER));
            }
            listing.add(row);
            printed(1);
        });
        listing.end();
    }

    @Override
    public void onDifference(DifferenceRequest request, Difference.Result found) {
        if (found.hasMoreFields()) {
            console.say("there are more than " + Difference.FIELDS_MAX
                    + " fields; those beyond were not compared, --fields chooses");
        }
        super.onDifference(request, found);
        if (inColumns()) {
            return;
        }
        if (form == OutputFormat.TABLE) {
            printed(new DifferenceChart(console, request, found).draw());
            return;
        }
        Listing listing = new Listing().to(console, form);
        DifferenceRows.forEach(request, found, row -> {
            listing.add(row);
            printed(1);
        });
        listing.end();
    }

    @Override
    public void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
        if (inColumns()) {
            super.onHistogram(request, counts, groups);
            return;
        }
        if (form == OutputFormat.TABLE) {
            printed(new HistogramChart(console, request, counts, times).draw(groups));
            return;
        }
        Listing listing = new Listing().to(console, form);
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
        if (inColumns()) {
            super.onCount(request, counts);
            return;
        }
        if (form == OutputFormat.TABLE) {
            printed(chart.draw(counts));
            return;
        }
        Listing listing = new Listing().to(console, form);
        ResultRows.counts(counts, row -> {
            listing.add(row);
            printed(1);
        });
        listing.end();
    }
}
