package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.MetricCatalog;
import dev.loom.query.SeriesStep;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.SeriesTally;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.SeriesRows;
import dev.loom.server.time.TimePrinter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        return RecordPrinter.NONE;
    }

    @Override
    public void onMetrics(MetricsRequest request, List<MetricCatalog.Metric> metrics) {
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
        listing.add(form == OutputFormat.JSON ? row : flat(row));
        printed(1);
    }

    @Override
    public void onSeriesEnd(SeriesRequest request, SeriesTally tally) {
        super.onSeriesEnd(request, tally);
        if (chart != null) {
            printed(chart.draw());
        } else if (form != OutputFormat.TABLE || listing != null) {
            (listing == null ? begin(request) : listing).end();
        }
        if (tally.duplicates() > 0) {
            console.say(tally.duplicates() + " points are left out, as their series have others of the same times");
        }
        if (tally.withoutValue() > 0) {
            console.say(tally.withoutValue() + " records without a value are left out");
        }
    }

    private Listing begin(SeriesRequest request) {
        List<String> columns =
                new ArrayList<>(request.by().stream().map(SeriesResults::column).toList());
        columns.addAll(form == OutputFormat.TABLE ? List.of() : List.of("from", "to"));
        columns.addAll(List.of("series", "points"));
        columns.addAll(request.functions().last() ? List.of("last") : List.of());
        columns.addAll(request.functions().increase() ? List.of("increase") : List.of());
        columns.addAll(request.functions().rate() ? List.of("rate") : List.of());
        for (BigDecimal p : request.functions().percentiles()) {
            String name = "p" + p.toPlainString();
            columns.addAll(List.of(name, name + ".lower", name + ".upper"));
        }
        return new Listing(columns.toArray(String[]::new)).to(console, form);
    }

    /** The name of a field's column, which is none of the others. */
    private static String column(String field) {
        boolean taken = List.of("from", "to", "series", "points", "last", "increase", "rate")
                        .contains(field)
                || field.matches("p\\d.*");
        return taken ? "by." + field : field;
    }

    private static Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        ((Map<?, ?>) Objects.requireNonNull(row.get("by")))
                .forEach((field, value) -> flat.put(column(String.valueOf(field)), value));
        if (row.get("percentiles") instanceof Map<?, ?> percentiles) {
            percentiles.forEach((p, estimate) -> {
                if (estimate instanceof Map<?, ?> parts) {
                    flat.put("p" + p, parts.get("estimate"));
                    flat.put("p" + p + ".lower", parts.get("lower"));
                    flat.put("p" + p + ".upper", parts.get("upper"));
                }
            });
        }
        return flat;
    }
}
