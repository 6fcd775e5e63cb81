package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.SparkLines;
import dev.loom.cli.chart.SparkLines.Join;
import dev.loom.cli.chart.TimeAxis;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.KeyText;
import dev.loom.cli.output.TextWidth;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.PercentileEstimate;
import dev.loom.query.service.SeriesRequest;
import dev.loom.server.json.SeriesRows;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Draws series over time, a line for each group, in a block for each function that has values. An increase is not drawn beside its
 * rate, which has the same form.
 */
final class SeriesChart {
    /** A label gets at most this part of the width. */
    private static final int LABEL_SHARE = 3;

    private final Console console;
    private final SeriesRequest request;
    private final TimePrinter times;
    private final long stepNs;
    private final Map<String, List<SeriesStep>> groups = new LinkedHashMap<>();
    private long fromNs = Long.MAX_VALUE;
    private long toNs = Long.MIN_VALUE;

    SeriesChart(Console console, SeriesRequest request, TimePrinter times) {
        this.console = console;
        this.request = request;
        this.times = times;
        stepNs = Objects.requireNonNull(Objects.requireNonNull(request.steps()).length())
                .toNanos();
    }

    void add(SeriesStep step) {
        String label =
                SeriesRows.key(request, step).values().stream().map(KeyText::of).collect(Collectors.joining(" "));
        groups.computeIfAbsent(label, each -> new ArrayList<>()).add(step);
        fromNs = Math.min(fromNs, step.range().fromNs());
        toNs = Math.max(toNs, step.range().toNs());
    }

    /** Draws all groups; returns the number of lines. */
    long draw() {
        long lines = 0;
        SeriesRequest.Functions functions = request.functions();
        if (functions.last()) {
            lines += draw("last", SeriesStep::last, Join.GREATEST);
        }
        if (functions.rate()) {
            lines += draw("rate", SeriesStep::rate, Join.GREATEST);
        } else if (functions.increase()) {
            lines += draw("increase", SeriesStep::increase, Join.SUM);
        }
        for (BigDecimal p : functions.percentiles()) {
            lines += draw("p" + p.toPlainString() + " (estimate)", step -> estimate(step, p), Join.GREATEST);
        }
        return lines;
    }

    private static @Nullable Number estimate(SeriesStep step, BigDecimal p) {
        PercentileEstimate estimate = step.percentiles().get(p);
        return estimate == null ? null : (Number) estimate.estimate();
    }

    private long draw(String name, Function<SeriesStep, @Nullable Number> function, Join join) {
        int steps = (int) (Long.divideUnsigned(toNs - fromNs - 1, stepNs) + 1);
        ChartStyle style = new ChartStyle(console.columns(), console.outColour());
        int width = Math.min(
                style.width() / LABEL_SHARE,
                groups.keySet().stream().mapToInt(TextWidth::of).max().orElse(0));
        List<SparkLines.Line> drawn = new ArrayList<>();
        groups.forEach((label, all) -> {
            SparkLines.Values values = new SparkLines.Values();
            boolean any = false;
            for (SeriesStep step : all) {
                Number value = function.apply(step);
                if (value != null && Double.isFinite(value.doubleValue())) {
                    values.add((int) Long.divideUnsigned(step.range().fromNs() - fromNs, stepNs), value.doubleValue());
                    any = true;
                }
            }
            if (any) {
                String cut = TextWidth.cut(label, 0, width);
                drawn.add(new SparkLines.Line(cut + " ".repeat(Math.max(0, width - TextWidth.of(cut))), values));
            }
        });
        if (drawn.isEmpty()) {
            return 0;
        }
        TimeAxis axis = new TimeAxis(times.text(fromNs), times.text(toNs), steps);
        String heading = name + " of " + request.name() + " in steps of "
                + ValueText.compact((double) stepNs, ValueUnit.NANOSECONDS);
        String suffix = name.equals("rate") ? "/s" : "";
        String chart = SparkLines.draw(
                heading, width, drawn, join, value -> ValueText.compact(value, ValueUnit.NONE) + suffix, axis, style);
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        return chart.lines().count();
    }
}
