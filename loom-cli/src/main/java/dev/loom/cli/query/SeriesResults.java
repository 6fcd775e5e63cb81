package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.MetricCatalog;
import dev.loom.query.SeriesStep;
import dev.loom.query.column.Column;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.SeriesTally;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.SeriesRows;
import dev.loom.server.table.SeriesColumns;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints metrics and series: in a table or as a chart, or as the rows that JSON has. */
final class SeriesResults extends ConsoleResults {
    private @Nullable Listing listing;
    private @Nullable SeriesChart chart;

    SeriesResults(Console console, OutputFormat form, TimePrinter times) {
        super(console, form, times, new FieldsOption(), false);
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return inColumns() ? super.printer(source) : RecordPrinter.NONE;
    }

    @Override
    public void onMetrics(MetricsRequest request, List<MetricCatalog.Metric> metrics) {
        if (inColumns()) {
            super.onMetrics(request, metrics);
            return;
        }
        Listing table = new Listing(
                        "name", "kind", "unit", "temporality", "monotonic", "points", "series", "first", "last")
                .times("first", "last")
                .to(console, form);
        for (MetricCatalog.Metric metric : metrics) {
            Map<String, @Nullable Object> row = SeriesRows.metric(metric);
            if (form == OutputFormat.TABLE) {
                row.put("first", times.text(metric.firstNs()));
                row.put("last", times.text(metric.lastNs()));
            }
            table.add(row);
            printed(1);
        }
        table.end();
    }

    @Override
    public void onSeries(SeriesRequest request, SeriesStep step) {
        if (inColumns()) {
            super.onSeries(request, step);
            return;
        }
        if (form == OutputFormat.TABLE && request.steps() != null) {
            if (chart == null) {
                chart = new SeriesChart(console, request, times);
            }
            chart.add(step);
            return;
        }
        if (listing == null) {
            listing = begin(request);
        }
        Map<String, @Nullable Object> row = SeriesRows.step(request, step);
        listing.add(form == OutputFormat.JSON ? row : SeriesColumns.flat(row));
        printed(1);
    }

    @Override
    public void onSeriesEnd(SeriesRequest request, SeriesTally tally) {
        super.onSeriesEnd(request, tally);
        if (chart != null) {
            printed(chart.draw());
        } else if (listing != null) {
            listing.end();
        }
        if (tally.duplicates() > 0) {
            console.say(tally.duplicates() + " points are left out, as their series have others of the same times");
        }
        if (tally.withoutValue() > 0) {
            console.say(tally.withoutValue() + " records without a value are left out");
        }
    }

    private Listing begin(SeriesRequest request) {
        List<String> columns = SeriesColumns.columns(request).stream()
                .map(Column::name)
                .filter(name -> !name.equals("from") && !name.equals("to"))
                .toList();
        return new Listing(columns.toArray(String[]::new)).to(console, form);
    }
}
