package dev.loom.cli.chart;

import java.util.List;

/**
 * Counts over time and value: a column per step or several steps, and a line per bin, the highest on top. Shade or colour shows
 * the count on a logarithmic scale, so that a single value is visible beside thousands.
 */
public final class HeatMap {
    /** A bin and its count in each step. */
    public static final class Row {
        private final String label;
        private final long[] counts;

        public Row(String label, long... counts) {
            this.label = label;
            this.counts = counts.clone();
        }
    }

    private static final String[] SHADES = {"·", "░", "▒", "▓", "█"};
    /** From dark red to bright yellow, in the 256 colours that terminals share. */
    private static final int[] COLOURS = {53, 89, 125, 161, 197, 203, 209, 215, 221, 227};

    private HeatMap() {}

    /**
     * Draws the rows.
     *
     * @param rows the lowest bin first
     */
    public static String draw(List<Row> rows, TimeAxis axis, ChartStyle style) {
        int labelWidth = rows.stream().mapToInt(row -> row.label.length()).max().orElse(0) + 1;
        int room = style.width() - labelWidth - 1;
        int each = axis.stepsAColumn(room);
        int columns = axis.columns(room);
        long[][] cells = new long[rows.size()][columns];
        long max = 0;
        for (int i = 0; i < cells.length; i++) {
            long[] counts = rows.get(i).counts;
            for (int step = 0; step < counts.length; step++) {
                cells[i][step / each] += counts[step];
                max = Math.max(max, cells[i][step / each]);
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = cells.length - 1; i >= 0; i--) {
            text.append(ChartStyle.padLeft(rows.get(i).label, labelWidth - 1))
                    .append(' ')
                    .append(style.axis("│"));
            for (long count : cells[i]) {
                text.append(cell(count, max, style));
            }
            BarChart.endLine(text);
        }
        axis.draw(text, labelWidth, columns, style);
        legend(text, max, style);
        return text.toString();
    }

    private static String cell(long count, long max, ChartStyle style) {
        if (count == 0) {
            return " ";
        }
        int levels = levels(style);
        return shade(level(count, max, levels), style);
    }

    private static int levels(ChartStyle style) {
        return style.colour() ? COLOURS.length : SHADES.length;
    }

    private static String shade(int level, ChartStyle style) {
        return style.colour() ? "\u001b[48;5;" + COLOURS[level] + "m \u001b[0m" : SHADES[level];
    }

    /** The level of a count: 0 for 1, the highest for the maximum. */
    private static int level(long count, long max, int levels) {
        double power = Math.log((double) count) / Math.log((double) max);
        return max == 1 ? levels - 1 : (int) Math.min(levels - 1, Math.floor(power * levels));
    }

    /** Shows each level with the least count that has it. */
    private static void legend(StringBuilder text, long max, ChartStyle style) {
        StringBuilder line = new StringBuilder();
        int length = 0;
        int levels = levels(style);
        long least = 1;
        for (int level = max == 1 ? levels - 1 : 0; level < levels && max > 0; level++) {
            while (least < max && level(least, max, levels) < level) {
                least = next(least, max, levels, level);
            }
            if (level(least, max, levels) != level) {
                continue;
            }
            String count = BarChart.count(least);
            if (length + count.length() + 4 > style.width()) {
                break;
            }
            line.append(length == 0 ? "" : "  ")
                    .append(shade(level, style))
                    .append(' ')
                    .append(style.axis(count));
            length += count.length() + (length == 0 ? 2 : 4);
        }
        text.append(line);
        BarChart.endLine(text);
    }

    /** The least count of this level or a higher one. */
    private static long next(long from, long max, int levels, int level) {
        long low = from;
        long high = max;
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (level(middle, max, levels) < level) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
