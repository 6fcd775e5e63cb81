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
import dev.loom.format.FieldValue;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
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
 * rate, which has the same form. Memory: 12 bytes for each value; their number is capped.
 */
final class SeriesChart {
    /** The most values of all groups, functions and steps. */
    static final int VALUES_MAX = 1 << 20;

    /** A label gets at most this part of the width. */
    private static final int LABEL_SHARE = 3;

    private final Console console;
    private final SeriesRequest request;
    private final TimePrinter times;
    private final long stepNs;
    private final int valuesMax;
    private final List<Drawn> functions = new ArrayList<>();
    /** By their keys, each of which is the same for all steps, not by labels, which may look alike. */
    private final Map<List<FieldValue>, Lines> groups = new LinkedHashMap<>();

    private int values;
    private long points;
    private boolean begun;
    /** Steps come in the order of time. */
    private long fromNs;

    private long toNs;

    /** What is drawn, and how the values of several steps become one. */
    private record Drawn(String name, Function<SeriesStep, @Nullable Number> function, Join join) {}

    /** The lines of a group, by function; null for those without a value so far. */
    private static final class Lines {
        private final String label;
        private final SparkLines.@Nullable Values[] byFunction;

        Lines(String label, int functions) {
            this.label = label;
            this.byFunction = new SparkLines.Values[functions];
        }
    }

    SeriesChart(Console console, SeriesRequest request, TimePrinter times) {
        this(console, request, times, VALUES_MAX);
    }

    SeriesChart(Console console, SeriesRequest request, TimePrinter times, int valuesMax) {
        this.console = console;
        this.request = request;
        this.times = times;
        this.valuesMax = valuesMax;
        stepNs = Objects.requireNonNull(Objects.requireNonNull(request.steps()).length())
                .toNanos();
        SeriesRequest.Functions asked = request.functions();
        if (asked.last()) {
            functions.add(new Drawn("last", SeriesStep::last, Join.GREATEST));
        }
        if (asked.rate()) {
            functions.add(new Drawn("rate", SeriesStep::rate, Join.GREATEST));
        } else if (asked.increase()) {
            functions.add(new Drawn("increase", SeriesStep::increase, Join.SUM));
        }
        for (BigDecimal p : asked.percentiles()) {
            functions.add(new Drawn("p" + p.toPlainString() + " (estimate)", step -> estimate(step, p), Join.GREATEST));
        }
    }

    private static @Nullable Number estimate(SeriesStep step, BigDecimal p) {
        PercentileEstimate estimate = step.percentiles().get(p);
        return estimate == null ? null : (Number) estimate.estimate();
    }

    /**
     * Takes what a group says in a step.
     *
     * @throws GroupLimitException if there are too many values to draw
     */
    void add(SeriesStep step) {
        if (!begun) {
            begun = true;
            fromNs = step.range().fromNs();
        }
        toNs = step.range().toNs();
        int number = (int) Long.divideUnsigned(step.range().fromNs() - fromNs, stepNs);
        points += step.points();
        Lines lines = groups.computeIfAbsent(step.key(), key -> new Lines(label(step), functions.size()));
        for (int i = 0; i < functions.size(); i++) {
            Number value = functions.get(i).function.apply(step);
            if (value != null && Double.isFinite(value.doubleValue())) {
                SparkLines.Values line = lines.byFunction[i];
                if (line == null) {
                    line = new SparkLines.Values();
                    lines.byFunction[i] = line;
                }
                if (values == valuesMax) {
                    throw new GroupLimitException(Cap.GROUPS_AND_STEPS, values + 1L, valuesMax, points);
                }
                values++;
                line.add(number, value.doubleValue());
            }
        }
    }

    private String label(SeriesStep step) {
        return SeriesRows.key(request, step).values().stream().map(KeyText::of).collect(Collectors.joining(" "));
    }

    /** Draws all groups; returns the number of lines. */
    long draw() {
        long lines = 0;
        for (int i = 0; i < functions.size(); i++) {
            lines += draw(i);
        }
        return lines;
    }

    private long draw(int number) {
        Drawn drawn = functions.get(number);
        int steps = (int) (Long.divideUnsigned(toNs - fromNs - 1, stepNs) + 1);
        ChartStyle style = new ChartStyle(console.columns(), console.outColour());
        int width = Math.min(
                style.width() / LABEL_SHARE,
                groups.values().stream()
                        .mapToInt(group -> TextWidth.of(group.label))
                        .max()
                        .orElse(0));
        List<SparkLines.Line> lines = new ArrayList<>();
        for (Lines group : groups.values()) {
            SparkLines.Values line = group.byFunction[number];
            if (line != null) {
                String cut = TextWidth.cut(group.label, 0, width);
                lines.add(new SparkLines.Line(cut + " ".repeat(Math.max(0, width - TextWidth.of(cut))), line));
            }
        }
        if (lines.isEmpty()) {
            return 0;
        }
        TimeAxis axis = new TimeAxis(times.text(fromNs), times.text(toNs), steps);
        String heading = drawn.name + " of " + request.name() + " in steps of "
                + ValueText.compact((double) stepNs, ValueUnit.NANOSECONDS);
        String suffix = drawn.name.equals("rate") ? "/s" : "";
        String chart = SparkLines.draw(
                heading,
                width,
                lines,
                drawn.join,
                value -> ValueText.compact(value, ValueUnit.NONE) + suffix,
                axis,
                style);
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        return chart.lines().count();
    }
}
