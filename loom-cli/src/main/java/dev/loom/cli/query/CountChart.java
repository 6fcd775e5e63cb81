package dev.loom.cli.query;

import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.ColumnChart;
import dev.loom.cli.chart.TimeAxis;
import dev.loom.cli.console.Console;
import dev.loom.query.ProgressiveCount;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.util.Locale;
import java.util.stream.IntStream;

/** Draws counts over time, and better ones over those drawn before. */
final class CountChart {
    private final Console console;
    private final TimePrinter times;
    private final ChartStyle style;
    private long linesDrawn;

    CountChart(Console console, TimePrinter times) {
        this.console = console;
        this.times = times;
        this.style = new ChartStyle(console.columns(), console.outColour());
    }

    /** Draws counts in place of the last ones; returns the number of lines. */
    long draw(ProgressiveCount.Counts counts) {
        long[] steps =
                IntStream.range(0, counts.steps()).mapToLong(counts::count).toArray();
        String chart = ColumnChart.draw(steps, axis(counts), style) + sum(counts);
        if (linesDrawn > 0) {
            chart = "\u001b[" + linesDrawn + "A\u001b[J" + chart;
        }
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        linesDrawn = chart.lines().count();
        return linesDrawn;
    }

    private static String sum(ProgressiveCount.Counts counts) {
        if (counts.isExact()) {
            return "";
        }
        String most = counts.round() == 0 ? "at most %,d" : "about %,d, %,d to %,d with a probability of 95 %%";
        return String.format(Locale.ROOT, most, counts.count(), counts.low(), counts.high()) + System.lineSeparator();
    }

    private TimeAxis axis(ProgressiveCount.Counts counts) {
        return new TimeAxis(
                times.text(counts.range(0).fromNs()),
                times.text(counts.range(counts.steps() - 1).toNs()),
                counts.steps());
    }
}
