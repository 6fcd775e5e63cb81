package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.BarChart;
import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.ColumnChart;
import dev.loom.cli.chart.HeatMap;
import dev.loom.cli.chart.TimeAxis;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.query.Histogram;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.HistogramRequest;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Draws a histogram: bars by value, columns by time, or a heatmap by both. */
final class HistogramChart {
    /** Stands for the values of empty bins. */
    private static final String GAP = "...";

    private final Console console;
    private final HistogramRequest request;
    private final Histogram.Counts counts;
    private final TimePrinter times;
    private final ValueUnit unit;
    private final ChartStyle style;

    HistogramChart(Console console, HistogramRequest request, Histogram.Counts counts, TimePrinter times) {
        this.console = console;
        this.request = request;
        this.counts = counts;
        this.times = times;
        this.unit = request.records().function(request.field()).unit();
        this.style = new ChartStyle(console.columns(), console.outColour());
    }

    /** Draws each group; returns the number of lines. */
    long draw(List<BinGroup> groups) {
        String chart = !request.byValue() ? byTime() : request.byTime() == null ? byValue(groups) : byBoth(groups);
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        return chart.lines().count();
    }

    private String byValue(List<BinGroup> groups) {
        List<BarChart.Bar> bars = groups.stream()
                .map(group -> new BarChart.Bar(label(group), group.count(counts, 0)))
                .toList();
        return BarChart.draw(Objects.requireNonNull(request.field()), bars, style);
    }

    private String byTime() {
        long[] steps =
                IntStream.range(0, counts.steps()).mapToLong(counts::count).toArray();
        return ColumnChart.draw(steps, axis(), style);
    }

    /** Each group has one bin. */
    private String byBoth(List<BinGroup> groups) {
        List<HeatMap.Row> rows = IntStream.range(0, counts.bins())
                .mapToObj(bin -> new HeatMap.Row(
                        groups.get(bin).gap() ? GAP : label(bin),
                        IntStream.range(0, counts.steps())
                                .mapToLong(step -> counts.count(step, bin))
                                .toArray()))
                .toList();
        return HeatMap.draw(rows, axis(), style);
    }

    /** Labels the group of the lowest values by its end, other groups by their start. */
    private String label(BinGroup group) {
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
}
