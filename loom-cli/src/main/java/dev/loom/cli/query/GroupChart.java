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
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.service.GroupRequest;
import dev.loom.server.json.GroupRows;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Draws groups over time, a line each: what they are ordered by if that was said, else the first percentile, else the number of
 * distinct values, else the mean; without a field the count.
 */
final class GroupChart {
    /** A label gets at most this part of the width. */
    private static final int LABEL_SHARE = 3;

    private final Console console;
    private final GroupRequest request;
    private final TimeRange covered;
    private final TimePrinter times;
    private final By shown;
    private final @Nullable BigDecimal percentile;
    private final ValueUnit unit;
    private final Duration step;

    /** @param covered the times of all steps */
    GroupChart(Console console, GroupRequest request, TimeRange covered, TimePrinter times) {
        this.console = console;
        this.request = request;
        this.covered = covered;
        this.times = times;
        By by = request.order().by();
        boolean ordered = by != By.KEY && by != By.COUNT;
        percentile = ordered
                ? request.order().percentile()
                : request.percentiles().isEmpty() ? null : request.percentiles().get(0);
        shown = percentile != null
                ? By.PERCENTILE
                : ordered
                        ? by
                        : request.distinct() != null ? By.DISTINCT : request.field() != null ? By.MEAN : By.COUNT;
        unit = request.records().function(request.field()).unit();
        step = Objects.requireNonNull(
                Objects.requireNonNull(request.keys().steps()).length());
    }

    /** Draws each group; returns the number of lines. */
    long draw(Groups groups, GroupRows rows) {
        int steps = (int) covered.steps(step);
        List<String> labels = new ArrayList<>();
        List<SparkLines.Values> lines = new ArrayList<>();
        Group last = null;
        SparkLines.Values values = new SparkLines.Values();
        for (Group group : groups) {
            if (last == null || !GroupRows.isSame(last, group)) {
                values = new SparkLines.Values();
                labels.add(label(group, rows));
                lines.add(values);
                last = group;
            }
            values.add(
                    (int) Long.divideUnsigned(group.range().fromNs() - covered.fromNs(), step.toNanos()), value(group));
        }
        ChartStyle style = new ChartStyle(console.columns(), console.outColour());
        TimeAxis axis = new TimeAxis(times.text(covered.fromNs()), times.text(covered.toNs()), steps);
        int width = Math.min(
                style.width() / LABEL_SHARE,
                labels.stream().mapToInt(TextWidth::of).max().orElse(0));
        List<SparkLines.Line> drawn = IntStream.range(0, labels.size())
                .mapToObj(i -> new SparkLines.Line(padded(labels.get(i), width), lines.get(i)))
                .toList();
        String chart = SparkLines.draw(heading(), width, drawn, join(), this::text, axis, style);
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        return chart.lines().count();
    }

    private String label(Group group, GroupRows rows) {
        if (group.isOther()) {
            return KeyText.OTHER;
        }
        return rows.key(group).values().stream().map(KeyText::of).collect(Collectors.joining(" "));
    }

    private static String padded(String label, int width) {
        String cut = TextWidth.cut(label, 0, width);
        return cut + " ".repeat(Math.max(0, width - TextWidth.of(cut)));
    }

    private double value(Group group) {
        return switch (shown) {
            case KEY, COUNT -> (double) group.count();
            case SUM -> group.doubleSum();
            case MEAN -> group.mean();
            case MIN -> number(group.min());
            case MAX -> number(group.max());
            case DISTINCT -> (double) group.distinct();
            case PERCENTILE -> number(Optional.ofNullable(group.percentiles().get(percentile)));
        };
    }

    private static double number(Optional<Value> value) {
        return value.map(Value::doubleValue).orElse(Double.NaN);
    }

    private Join join() {
        return switch (shown) {
            case KEY, COUNT, SUM -> Join.SUM;
            case MIN -> Join.LEAST;
            case MAX, MEAN, DISTINCT, PERCENTILE -> Join.GREATEST;
        };
    }

    private String text(double value) {
        boolean counted = shown == By.COUNT || shown == By.DISTINCT;
        return counted ? String.format(Locale.ROOT, "%,.0f", value) : ValueText.compact(value, unit);
    }

    private String heading() {
        String name = percentile != null
                ? "p" + percentile.toPlainString()
                : shown.name().toLowerCase(Locale.ROOT);
        String of = shown == By.DISTINCT ? request.distinct() : request.field();
        return name + (of == null ? "" : " of " + of) + " in steps of "
                + ValueText.compact((double) step.toNanos(), ValueUnit.NANOSECONDS);
    }
}
