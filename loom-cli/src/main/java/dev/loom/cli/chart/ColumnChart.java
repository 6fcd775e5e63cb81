package dev.loom.cli.chart;

/** Counts over time: one column per step, or per several steps if they don't all fit. */
public final class ColumnChart {
    private static final int HEIGHT = 10;
    private static final String[] EIGHTHS = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};

    private ColumnChart() {}

    /** Draws the count of each step. */
    public static String draw(long[] counts, TimeAxis axis, ChartStyle style) {
        // the steps per column depend on the room, and the room on the largest count; no count exceeds the total
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        int labelWidth = BarChart.count(total).length() + 1;
        int room = style.width() - labelWidth - 1;
        int each = axis.stepsAColumn(room);
        long[] columns = new long[axis.columns(room)];
        long max = 0;
        for (int i = 0; i < counts.length; i++) {
            columns[i / each] += counts[i];
            max = Math.max(max, columns[i / each]);
        }
        StringBuilder text = new StringBuilder();
        for (int row = HEIGHT - 1; row >= 0; row--) {
            boolean labelled = row == HEIGHT - 1 || row == HEIGHT / 2 - 1;
            String label = labelled ? BarChart.count(Math.round((double) max * (row + 1) / HEIGHT)) : "";
            text.append(ChartStyle.padLeft(label, labelWidth - 1)).append(' ').append(style.axis(labelled ? "┤" : "│"));
            StringBuilder line = new StringBuilder();
            for (long column : columns) {
                line.append(cell(column, max, row));
            }
            text.append(style.bar(line.toString().stripTrailing()));
            BarChart.endLine(text);
        }
        axis.draw(text, labelWidth, columns.length, style);
        return text.toString();
    }

    private static String cell(long count, long max, int row) {
        if (count == 0) {
            return " ";
        }
        long eighths = Math.max(1, Math.round((double) count / max * HEIGHT * EIGHTHS.length));
        long above = eighths - (long) row * EIGHTHS.length;
        return above >= EIGHTHS.length ? "█" : above <= 0 ? " " : EIGHTHS[(int) above];
    }
}
