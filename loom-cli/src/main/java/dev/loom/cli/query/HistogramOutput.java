package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.BarChart;
import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.ColumnChart;
import dev.loom.cli.chart.HeatMap;
import dev.loom.cli.chart.TimeAxis;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.text.TextBuffer;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.HistogramCounts;
import dev.loom.query.TimeRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Prints a histogram: as a chart if a table is wanted, else one line per bin, step or cell. */
final class HistogramOutput {
    /** Stands for the values of empty bins. */
    private static final String GAP = "...";

    private final Console console;
    private final OutputFormat form;
    private final String field;
    private final ValueUnit unit;
    private final HistogramCounts counts;
    private final TimePrinter times;
    private final ChartStyle style;

    HistogramOutput(
            Console console,
            OutputFormat form,
            String field,
            ValueUnit unit,
            HistogramCounts counts,
            TimePrinter times) {
        this.console = console;
        this.form = form;
        this.field = field;
        this.unit = unit;
        this.counts = counts;
        this.times = times;
        this.style = new ChartStyle(console.columns(), console.outColour());
    }

    /** Prints each group or, without a chart, each of its bins; returns the number of lines. */
    long byValue(List<BinGroups.Group> groups) {
        if (form == OutputFormat.TABLE) {
            List<BarChart.Bar> bars = groups.stream()
                    .map(group -> new BarChart.Bar(label(group), group.count(counts, 0)))
                    .toList();
            return draw(BarChart.draw(field, bars, style));
        }
        Listing listing = new Listing("low", "high", "count").to(console, form);
        long lines = 0;
        for (BinGroups.Group group : groups) {
            long count = group.count(counts, 0);
            if (count > 0) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                putBin(row, group.from());
                row.put("count", count);
                listing.add(row);
                lines++;
            }
        }
        listing.end();
        return lines;
    }

    /** Prints each step. */
    long byTime() {
        if (form == OutputFormat.TABLE) {
            long[] steps =
                    IntStream.range(0, counts.steps()).mapToLong(counts::count).toArray();
            return draw(ColumnChart.draw(steps, axis(), style));
        }
        Listing listing = new Listing("from", "to", "count", "min", "max").to(console, form);
        for (int step = 0; step < counts.steps(); step++) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            putStep(row, step);
            row.put("count", counts.count(step));
            row.put("min", NumberText.number(counts.min(step), counts.isExact()));
            row.put("max", NumberText.number(counts.max(step), counts.isExact()));
            listing.add(row);
        }
        listing.end();
        return counts.steps();
    }

    /** Prints the cells of each step; each group has one bin. */
    long byBoth(List<BinGroups.Group> groups) {
        if (form == OutputFormat.TABLE) {
            List<HeatMap.Row> rows = IntStream.range(0, counts.bins())
                    .mapToObj(bin -> new HeatMap.Row(
                            groups.get(bin).gap() ? GAP : label(bin),
                            IntStream.range(0, counts.steps())
                                    .mapToLong(step -> counts.count(step, bin))
                                    .toArray()))
                    .toList();
            return draw(HeatMap.draw(rows, axis(), style));
        }
        Listing listing = new Listing("from", "to", "low", "high", "count").to(console, form);
        long lines = 0;
        for (int step = 0; step < counts.steps(); step++) {
            for (int bin = 0; bin < counts.bins(); bin++) {
                if (counts.count(step, bin) > 0) {
                    Map<String, @Nullable Object> row = new LinkedHashMap<>();
                    putStep(row, step);
                    putBin(row, bin);
                    row.put("count", counts.count(step, bin));
                    listing.add(row);
                    lines++;
                }
            }
        }
        listing.end();
        return lines;
    }

    private void putStep(Map<String, @Nullable Object> row, int step) {
        row.put("from", counts.range(step).fromNs());
        row.put("to", counts.range(step).toNs());
    }

    private void putBin(Map<String, @Nullable Object> row, int bin) {
        row.put("low", NumberText.number(counts.low(bin), counts.isExact()));
        row.put("high", NumberText.number(counts.high(bin), counts.isExact()));
    }

    /** Labels the group of the lowest values by its end, other groups by their start. */
    private String label(BinGroups.Group group) {
        if (group.gap()) {
            return GAP;
        }
        boolean endless = group.from() == 0 && group.to() < counts.bins();
        boolean one = counts.low(0).key() == counts.high(0).key();
        return endless && !one ? "< " + ValueText.of(counts.low(group.to()).doubleValue(), unit) : label(group.from());
    }

    private String label(int bin) {
        return ValueText.of(counts.low(bin).doubleValue(), unit);
    }

    private TimeAxis axis() {
        TimeRange first = counts.range(0);
        TimeRange last = counts.range(counts.steps() - 1);
        return new TimeAxis(times.text(first.fromNs()), times.text(last.toNs()), counts.steps());
    }

    private long draw(String chart) {
        TextBuffer text = new TextBuffer(chart.length());
        text.put(chart);
        console.out().write(text);
        console.out().flush();
        return chart.lines().count();
    }
}
