package dev.loom.cli.chart;

/**
 * The time axis of a chart; each column stands for one step or several.
 *
 * @param first label of the start
 * @param last label of the end
 * @param steps the number of steps
 */
public record TimeAxis(String first, String last, int steps) {
    /** How many steps each column stands for, so that all columns fit. */
    int stepsAColumn(int room) {
        return Math.max(1, (steps + room - 1) / room);
    }

    int columns(int room) {
        int each = stepsAColumn(room);
        return (steps + each - 1) / each;
    }

    /** Draws the line below the columns, and below it the labels of its ends. */
    void draw(StringBuilder text, int labelWidth, int columns, ChartStyle style) {
        text.append(" ".repeat(labelWidth)).append(style.axis("└" + "─".repeat(columns)));
        BarChart.endLine(text);
        int room = columns + 1;
        String labels = first.length() + last.length() + 2 <= room
                ? first + ChartStyle.padLeft(last, room - first.length())
                : first.length() + 4 + last.length() <= style.width()
                        ? first + " .. " + last
                        : first + '\n' + " ".repeat(Math.max(0, style.width() - last.length())) + last;
        boolean within = !labels.contains("\n") && labelWidth + labels.length() <= style.width();
        text.append(" ".repeat(within ? labelWidth : 0)).append(style.axis(labels));
        BarChart.endLine(text);
    }
}
