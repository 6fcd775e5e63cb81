package dev.loom.cli.chart;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Values over time, a line for each group: a column per step or several steps, as high as its value. Each line has its own scale, from
 * 0, or from its least value if that is negative, to its greatest, which stands behind it.
 */
public final class SparkLines {
    /** The values of steps; those without a value take no memory. */
    public static final class Values {
        private int[] steps = new int[1];
        private double[] values = new double[1];
        private int count;

        /** Adds the value of a step that has none yet. */
        public void add(int step, double value) {
            if (count == steps.length) {
                steps = Arrays.copyOf(steps, 2 * count);
                values = Arrays.copyOf(values, 2 * count);
            }
            steps[count] = step;
            values[count++] = value;
        }

        private DoubleStream stream() {
            return Arrays.stream(values, 0, count);
        }
    }

    /**
     * A group and its values.
     *
     * @param label its key; the labels of all lines are equally wide
     */
    public record Line(String label, Values values) {}

    /** How the values of several steps become one, where there are more steps than columns. */
    public enum Join {
        SUM,
        LEAST,
        GREATEST
    }

    /** Texts of values. */
    public interface Texts {
        String of(double value);
    }

    private static final String[] LEVELS = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

    /** Heads the values at the lines' ends. */
    private static final String SCALE = "greatest";

    /** Axes and gaps in a line. */
    private static final int BESIDES = 4;

    private SparkLines() {}

    /**
     * Draws lines, the first one on top.
     *
     * @param heading what the values are, and how long a step is
     * @param labelWidth the width of each label
     */
    public static String draw(
            String heading, int labelWidth, List<Line> lines, Join join, Texts texts, TimeAxis axis, ChartStyle style) {
        int scaleWidth = scaleWidth(lines, texts, false);
        if (join == Join.SUM && axis.stepsAColumn(style.width() - labelWidth - scaleWidth - BESIDES) > 1) {
            // a sum over several steps is no wider than the sum over all
            scaleWidth = scaleWidth(lines, texts, true);
        }
        int room = Math.max(1, style.width() - labelWidth - scaleWidth - BESIDES);
        int columns = axis.columns(room);
        int each = axis.stepsAColumn(room);
        StringBuilder text = new StringBuilder();
        String title = heading + (each == 1 ? "" : ", " + each + " a column") + "  ";
        int end = labelWidth + columns + scaleWidth + BESIDES;
        text.append(style.heading(title + ChartStyle.padLeft(SCALE, end - title.length())));
        BarChart.endLine(text);
        for (Line line : lines) {
            double[] joined = join(line.values, each, columns, join);
            text.append(line.label)
                    .append(' ')
                    .append(style.axis("│"))
                    .append(style.bar(cells(joined)))
                    .append(style.axis("│"))
                    .append(' ')
                    .append(ChartStyle.padLeft(scale(texts, greatest(Arrays.stream(joined))), scaleWidth));
            BarChart.endLine(text);
        }
        axis.draw(text, labelWidth + 1, columns, style);
        return text.toString();
    }

    /** The width of the texts behind the lines. */
    private static int scaleWidth(List<Line> lines, Texts texts, boolean sums) {
        int width = 0;
        for (Line line : lines) {
            double sum = line.values.stream().filter(value -> value > 0).sum();
            width = Math.max(
                    width,
                    Math.max(
                            scale(texts, greatest(line.values.stream())).length(),
                            sums ? scale(texts, sum).length() : 0));
        }
        return width;
    }

    private static String scale(Texts texts, double greatest) {
        return Double.isNaN(greatest) ? "" : texts.of(greatest);
    }

    /** The greatest value; NaN if there is none. */
    private static double greatest(DoubleStream values) {
        return values.filter(value -> !Double.isNaN(value)).max().orElse(Double.NaN);
    }

    private static double[] join(Values line, int each, int columns, Join join) {
        double[] joined = new double[columns];
        Arrays.fill(joined, Double.NaN);
        for (int i = 0; i < line.count; i++) {
            int column = line.steps[i] / each;
            double before = joined[column];
            double value = line.values[i];
            if (Double.isNaN(before)) {
                joined[column] = value;
            } else if (!Double.isNaN(value)) {
                joined[column] = switch (join) {
                    case SUM -> before + value;
                    case LEAST -> Math.min(before, value);
                    case GREATEST -> Math.max(before, value);
                };
            }
        }
        return joined;
    }

    private static String cells(double[] values) {
        double high = 0;
        double low = 0;
        for (double value : values) {
            if (Double.isFinite(value)) {
                high = Math.max(high, value);
                low = Math.min(low, value);
            }
        }
        StringBuilder cells = new StringBuilder();
        for (double value : values) {
            cells.append(Double.isNaN(value) ? " " : LEVELS[level(value, low, high)]);
        }
        return cells.toString();
    }

    private static int level(double value, double low, double high) {
        if (high == low) {
            return value > high ? LEVELS.length - 1 : 0;
        }
        // halves, since the difference of two doubles may exceed a double
        double share = (value / 2 - low / 2) / (high / 2 - low / 2);
        return (int) Math.max(0, Math.min(LEVELS.length - 1, Math.floor(share * LEVELS.length)));
    }
}
